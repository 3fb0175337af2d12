"""Which rows of the requirements the catalog covers, told by the failures themselves."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firstcause.knowledge.schema import Failure

ROWS = Path(__file__).parent / "rows.toml"


@dataclass(frozen=True, slots=True)
class Row:
    """One row with the failures that say they cover it."""

    id: str
    title: str
    failures: tuple[str, ...]


def row_titles() -> dict[str, str]:
    """All rows, in order."""
    return tomllib.loads(ROWS.read_text(encoding="utf-8"))


def coverage(outlines: Mapping[str, Failure]) -> list[Row]:
    """Every row with what covers it."""
    return [
        Row(id, title, tuple(failure.id for failure in outlines.values() if id in failure.covers))
        for id, title in row_titles().items()
    ]
