"""The report in the form that was asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from firstcause.errors import UsageError
from firstcause.report.markdown import markdown
from firstcause.report.terminal import terminal


def _json(report: dict[str, Any], width: int, color: bool) -> str:
    """The contract itself, keys in its order."""
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def _markdown(report: dict[str, Any], width: int, color: bool) -> str:
    return markdown(report)


FORMATS: Mapping[str, Callable[[dict[str, Any], int, bool], str]] = {
    "terminal": terminal,
    "json": _json,
    "markdown": _markdown,
}


def render(report: dict[str, Any], format: str, width: int, color: bool) -> str:
    """The report as text; raises UsageError for a format that does not exist."""
    if format not in FORMATS:
        raise UsageError(f"{format!r} is no format; there are {', '.join(FORMATS)}")
    return FORMATS[format](report, width, color)
