"""The life of a server in phases, and the marks that show them: data in formats/phases.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).parent / "formats" / "phases.toml"


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of a server's life: `lines` announce it, `frames` in a traceback prove it."""

    name: str
    lines: tuple[str, ...]
    often: tuple[str, ...]  # lines that come again and again: looked for once per block
    frames: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Life:
    """All phases, innermost frames first, and the lines that begin a new run of a server."""

    phases: tuple[Phase, ...]
    banners: tuple[str, ...]

    def of_frames(self, frames: tuple[tuple[str, str], ...]) -> str | None:
        """The phase that a traceback proves, judged by its innermost telling frame."""
        return next((name for frame in reversed(frames) if (name := _of_frame(self, *frame)) is not None), None)


@lru_cache(maxsize=4096)
def _of_frame(stages: Life, file: str, function: str) -> str | None:
    """The phase that one frame proves; kept, since a long chain of exceptions shows the same frames again and again."""
    for phase in stages.phases:
        if any(frame_matches(wanted, file, function) for wanted in phase.frames):
            return phase.name
    return None


def frame_matches(wanted: str, file: str, function: str) -> bool:
    """Whether a frame is the one meant by "fn", "file.py" or "file.py:fn"; "Class.fn" of newer Pythons counts as "fn"."""
    name, _, inner = wanted.partition(":")
    short = function.rpartition(".")[2]
    if inner:
        return file.endswith(name) and inner in (function, short)
    return file.endswith(wanted) if ".py" in wanted else wanted in (function, short)


@lru_cache(maxsize=1)
def life() -> Life:
    """The phases as the data file has them."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    phases = tuple(
        Phase(p["name"], tuple(p.get("lines", ())), tuple(p.get("often", ())), tuple(p.get("frames", ()))) for p in data["phase"]
    )
    return Life(phases, tuple(data["banners"]))
