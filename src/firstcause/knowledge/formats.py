"""Log formats as data: formats/*.toml -> Format. A format is proven by its own samples.

A regular expression reads the head of a line (or, for a suffix, its tail); its named groups are the fields. What is
left is the message. That the samples hold is proved where lines are read: firstcause.evidence.frame_check.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from firstcause.errors import KnowledgeError
from firstcause.knowledge.format_types import HEAD, LEVELS, Format, Formats, ProcessName, Sample
from firstcause.knowledge.schema import PROCESSES

__all__ = [
    "BUILTIN_FORMATS", "HEAD", "LEVELS", "Format", "Formats", "ProcessName", "Sample", "builtin", "load_formats"
]  # fmt: skip

BUILTIN_FORMATS = Path(__file__).parent / "formats"
KINDS = ("wrapper", "prefix", "whole", "suffix")
DECODERS = ("json", "csv", "logfmt")
FIELDS = ("label", "pid", "address", "host", "level", "time", "origin")
_NOT_FORMATS = frozenset({"phases.toml"})

_FORMAT: dict[str, type] = {
    "id": str, "title": str, "kind": str, "regex": str, "starts": str, "contains": list, "order": int, "indented": bool,
    "process": str, "levels": dict, "decode": str, "keys": dict, "sample": list,
}  # fmt: skip
_SAMPLE: dict[str, type] = {
    "line": str, "message": str, "process": str, "pid": int, "kind": str, "address": str,
    "level": str, "time": str, "origin": str, "host": str,
}  # fmt: skip
_PROCESS: dict[str, type] = {"kind": str, "label": str, "samples": list}
_TABLES: dict[str, dict[str, type]] = {"format": _FORMAT, "process": _PROCESS}
_KEYS = ("message", "more", "level", "time", "host", "label", "pid", "origin", "proof")


@lru_cache(maxsize=1)
def builtin() -> Formats:
    """The formats firstcause brings along; a mistake in them is raised."""
    formats, problems = load_formats(BUILTIN_FORMATS)
    if problems:
        raise problems[0]
    return formats


def load_formats(folder: Path) -> tuple[Formats, list[KnowledgeError]]:
    """All formats of a folder, and everything that is wrong in their files."""
    formats: list[Format] = []
    processes: list[ProcessName] = []
    problems: list[KnowledgeError] = []
    for path in sorted(folder.glob("*.toml")):
        if path.name not in _NOT_FORMATS:
            file = _File(path.name, problems)
            data = file.read(path)
            formats += [one for place, item in file.tables(data, "format") if (one := file.format(item, place))]
            processes += [name for place, item in file.tables(data, "process") if (name := file.process(item, place))]
    seen: dict[str, str] = {}
    for one in formats:
        if one.id in seen:
            problems.append(KnowledgeError(one.file, one.id, f"is also an id of {seen[one.id]}", "a unique id"))
        seen[one.id] = one.file
    ordered = sorted(formats, key=lambda one: (one.order, one.id))
    return Formats(tuple(ordered), tuple(processes)), problems


class _File:
    """Reads the tables of one file and notes every mistake."""

    def __init__(self, name: str, problems: list[KnowledgeError]) -> None:
        self.name = f"formats/{name}"
        self.problems = problems

    def wrong(self, key: str, problem: str, expected: str = "") -> None:
        self.problems.append(KnowledgeError(self.name, key, problem, expected))

    def read(self, path: Path) -> dict[str, Any]:
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            self.wrong("(file)", str(error), "a TOML file in UTF-8")
            return {}
        for key in data.keys() - _TABLES.keys():
            self.wrong(key, "is not a key of this format", "[[format]] or [[process]]")
        return data

    def tables(self, data: Mapping[str, Any], key: str) -> Iterable[tuple[str, dict[str, Any]]]:
        items = data.get(key, [])
        for number, item in enumerate(items if isinstance(items, list) else [items], 1):
            place = f"{key}[{number}]"
            if not isinstance(item, dict):
                self.wrong(place, "is not a table", f"[[{key}]]")
            elif self.keys_fit(item, _TABLES[key], place):
                yield place, item

    def keys_fit(self, item: Mapping[str, Any], known: Mapping[str, type], place: str) -> bool:
        before = len(self.problems)
        for key, value in item.items():
            if key not in known:
                self.wrong(f"{place}.{key}", "is not a key of this format", f"one of {', '.join(known)}")
            elif type(value) is not known[key]:
                self.wrong(f"{place}.{key}", f"is a {type(value).__name__}", f"a {known[key].__name__}")
        return len(self.problems) == before

    def pattern(self, text: str, place: str) -> re.Pattern[str] | None:
        try:
            return re.compile(text)
        except re.error as error:
            self.wrong(f"{place}.regex", str(error), "a regular expression")
            return None

    def process(self, item: Mapping[str, Any], place: str) -> ProcessName | None:
        label = self.pattern(item.get("label", ""), place)
        kind, samples = item.get("kind", ""), item.get("samples", [])
        if kind not in PROCESSES:
            self.wrong(f"{place}.kind", f"is {kind!r}", f"one of {', '.join(PROCESSES)}")
        if not samples:
            self.wrong(f"{place}.samples", "is missing", "at least one label")
        for sample in samples:
            if not isinstance(sample, str) or (label and not label.fullmatch(sample)):
                self.wrong(f"{place}.samples", f"{sample!r} is not read by the label's expression")
        return ProcessName(kind, label, tuple(samples), self.name) if label else None

    def format(self, item: Mapping[str, Any], place: str) -> Format | None:
        place = f"{place} {item.get('id', '')}".strip()
        before = len(self.problems)
        regex = self.pattern(item.get("regex", ""), place)
        self._choices(item, place)
        samples = tuple(self._samples(item, place))
        if regex is not None:
            for group in regex.groupindex.keys() - set(FIELDS):
                self.wrong(f"{place}.regex", f"names the group {group!r}", f"one of {', '.join(FIELDS)}")
        if regex is None or len(self.problems) > before:
            return None
        options = {key: item[key] for key in ("order", "indented", "process", "levels", "decode") if key in item}
        keys = {key: tuple(paths) for key, paths in item.get("keys", {}).items()}
        starts = frozenset(_characters(item.get("starts", "")))
        contains = tuple(item.get("contains", ()))
        texts = (item["id"], item["title"], item["kind"])
        return Format(*texts, regex, samples, starts, contains, keys=keys, file=self.name, **options)

    def _choices(self, item: Mapping[str, Any], place: str) -> None:
        for key in ("id", "title", "kind"):
            if not item.get(key):
                self.wrong(f"{place}.{key}", "is missing")
        choices = {"kind": KINDS, "decode": ("", *DECODERS), "process": ("", *PROCESSES)}
        for key, known in choices.items():
            if key in item and item[key] not in known:
                self.wrong(f"{place}.{key}", f"is {item[key]!r}", f"one of {', '.join(known)}")
        for name, level in item.get("levels", {}).items():
            if level not in LEVELS:
                self.wrong(f"{place}.levels.{name}", f"is {level!r}", f"one of {', '.join(LEVELS)}")
        for name, paths in item.get("keys", {}).items():
            if name not in _KEYS:
                self.wrong(f"{place}.keys.{name}", "is not a field", f"one of {', '.join(_KEYS)}")
            self._is_texts(paths, f"{place}.keys.{name}")
        self._is_texts(item.get("contains", []), f"{place}.contains")
        if item.get("decode") and not (item.get("starts") and item.get("keys", {}).get("message")):
            self.wrong(f"{place}.decode", "is without starts or keys.message", "both")

    def _is_texts(self, value: object, place: str) -> None:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self.wrong(place, "is something else", "a list of texts")

    def _samples(self, item: Mapping[str, Any], place: str) -> Iterable[Sample]:
        samples = item.get("sample", [])
        if not samples:
            self.wrong(f"{place}.sample", "is missing", "at least one [[format.sample]]")
        for number, sample in enumerate(samples, 1):
            where = f"{place}.sample[{number}]"
            if self.keys_fit(sample, _SAMPLE, where):
                if not {"line", "message"} <= sample.keys():
                    self.wrong(where, "states no line or no message", "both")
                yield Sample(sample.get("line", ""), {k: v for k, v in sample.items() if k != "line"})


def _characters(text: str) -> Iterable[str]:
    """The characters of "a-z(" and the like."""
    for match in re.finditer(r"(?s)(.)-(.)|(.)", text):
        yield from map(chr, range(ord(match[1]), ord(match[2]) + 1)) if match[1] else match[3]
