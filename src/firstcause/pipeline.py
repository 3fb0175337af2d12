"""The flow, one way: collect -> read -> observe -> reason -> report. The only module that sees all stages."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from firstcause.evidence.sources import sources
from firstcause.evidence.window import TextWindow, windows
from firstcause.knowledge.catalog import Catalog
from firstcause.knowledge.formats import Formats, builtin
from firstcause.model import Diagnosis, Gap, Source, Window
from firstcause.observe.detector import detector
from firstcause.observe.observer import Observer
from firstcause.reason.diagnose import Seen, diagnose
from firstcause.report.document import document

Progress = Callable[[Source, int], None]


@dataclass(frozen=True, slots=True)
class Request:
    """What to diagnose: paths as typed ("-" is standard input), what was fetched live, and whether every incident is told."""

    paths: Sequence[str]
    every: bool = False
    stdin: BinaryIO | None = None
    progress: Progress | None = None
    live: Sequence[Source] = ()  # answers and measurements of running parts, as they would be saved
    gaps: Sequence[Gap] = ()  # what could not be fetched


@dataclass(frozen=True, slots=True)
class Outcome:
    """The diagnosis, its report, and how many sources could be read."""

    diagnosis: Diagnosis
    report: dict[str, Any]
    read: int


def run(request: Request, catalog: Catalog) -> Outcome:
    """The whole flow. What cannot be read becomes a gap; nothing is raised for evidence."""
    gaps = list(request.gaps)
    observer = Observer(detector(catalog))
    read = _observe(request, observer, gaps)
    observer.close(catalog.signals())
    seen = Seen(
        observer.observations, observer.starts, observer.facts, frozenset(observer.phases), gaps, frozenset(observer.exchanges)
    )
    diagnosis = diagnose(seen, catalog.outlines, request.every)
    return Outcome(diagnosis, document(diagnosis, catalog), read)


def _observe(request: Request, observer: Observer, gaps: list[Gap]) -> int:
    formats = builtin()
    read = 0
    for source in chain(sources(request.paths, request.stdin, on_gap=gaps.append), request.live):
        read += _read(source, observer, formats, gaps, request.progress)
    return read


def _take(observer: Observer, window: TextWindow, gaps: list[Gap]) -> None:
    """One window. Whatever breaks over a line of it, by a mistake of ours, becomes a gap; the lines after it are read."""
    step: Callable[[Window], None] = observer.take
    while True:
        try:
            return step(window)
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - the one place where a failure of our own becomes data
            gap = _broken(window.source.name, error)
            if gap not in gaps:
                gaps.append(gap)
            step = observer.settle


def _broken(source: str, error: Exception) -> Gap:
    at = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error}"[:200]
    why = f"a line of it could not be judged: firstcause itself broke ({what} in {Path(at.filename).name}:{at.lineno})"
    return Gap(source, why, "report this as a defect of firstcause, with the line if it may be shown")


def _read(source: Source, observer: Observer, formats: Formats, gaps: list[Gap], progress: Progress | None) -> int:
    """One source from start to end; 1 if anything of it could be read."""
    size = 0
    try:
        for window in windows(source, formats):
            _take(observer, window, gaps)
            size = window.base + window.end
            if progress is not None:
                progress(source, size)
    except (OSError, EOFError, ValueError) as error:
        gaps.append(Gap(source.name, f"cannot be read to its end: {error}", "fetch the file again"))
    return int(size > 0)
