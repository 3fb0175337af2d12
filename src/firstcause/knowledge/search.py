"""Finding a failure by a few words: of its message, its matter or its name."""

from __future__ import annotations

import re

from firstcause.knowledge.catalog import Catalog
from firstcause.knowledge.schema import Failure
from firstcause.knowledge.templates import capture

_WORD = re.compile(r"[a-z0-9_]{2,}")


def search(words: str, catalog: Catalog) -> list[Failure]:
    """The failures that hold the words, best first; a whole pasted message finds the failure whose signal it is."""
    named = [id for id, signal in catalog.signals() if not signal.metric and capture(signal, words) is not None]
    wanted = set(_WORD.findall(words.lower()))
    scores: dict[str, float] = {id: 100.0 for id in named}
    for id, failure in catalog.outlines.items():
        scores[id] = scores.get(id, 0.0) + _score(failure, wanted)
    ranked = sorted((id for id, score in scores.items() if score > 0), key=lambda id: (-scores[id], id))
    if named:
        ranked = [id for id in ranked if id in named]
    return [catalog.outlines[id] for id in ranked]


def _score(failure: Failure, wanted: set[str]) -> float:
    """How well the words fit: all of them must stand somewhere; in the name they weigh most."""
    name = set(_WORD.findall(failure.id.replace("-", " ")))
    title = set(_WORD.findall(failure.title.lower()))
    patterns = set(_WORD.findall(" ".join(signal.text or signal.regex for signal in failure.signals).lower()))
    if not wanted or not wanted <= name | title | patterns:
        return 0.0
    return 3 * len(wanted & name) + 2 * len(wanted & title) + len(wanted & patterns) - 0.001 * len(failure.title)
