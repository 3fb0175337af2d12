"""TOML files -> Failure. Every mistake of a file is told at once, with file and key; unknown keys are mistakes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firstcause.errors import KnowledgeError
from firstcause.knowledge.promtext import series
from firstcause.knowledge.schema import KINDS, PHASES, PROCESSES, STACKS, Example, Failure, Remedy, Role, Scope, Signal
from firstcause.knowledge.templates import problem

BUILTIN = Path(__file__).parent / "failures"

_FAILURE = {
    "id": str, "title": str, "stack": str, "phase": str, "role": str, "scope": str, "summary": str, "why": str,
    "versions": str, "covers": list, "leads_to": list, "needs": list, "supports": list, "excludes": list,
    "avoid": list, "check": list, "refs": list, "compute": dict, "signal": list, "remedy": list, "gap": list,
    "example": list,
}  # fmt: skip
_SIGNAL = {
    "name": str, "in": list, "process": list, "text": str, "regex": str, "metric": str, "per": str,
    "above": (int, float), "below": (int, float), "least": (int, float), "over": str, "lasting": int,
    "trace": list, "not_trace": list, "code": str, "during": list, "sure": bool,
    "seen": list, "not_seen": list,
}  # fmt: skip
_REMEDY = {"title": str, "set": dict, "commands": list, "cost": str, "risk": str}
_GAP = {"what": str, "why": str, "how": str}
_EXAMPLE = {"name": str, "expect": str, "files": dict}
_REQUIRED = ("id", "title", "stack", "phase", "role", "summary", "signal")


class Problems:
    """Collects what is wrong in one file."""

    def __init__(self, file: str) -> None:
        """For the file of that name."""
        self.file = file
        self.found: list[KnowledgeError] = []

    def add(self, key: str, problem: str, expected: str = "") -> None:
        """Note one problem at a key."""
        self.found.append(KnowledgeError(self.file, key, problem, expected))


def load_file(path: Path) -> tuple[Failure | None, list[KnowledgeError]]:
    """One file: the failure as far as it can be read, and everything that is wrong in its form."""
    problems = Problems(f"{path.parent.name}/{path.name}")
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        problems.add("(file)", str(error), "a TOML file in UTF-8")
        return None, problems.found
    _check_table(data, _FAILURE, "", problems)
    for key in _REQUIRED:
        if key not in data:
            problems.add(key, "is missing")
    if isinstance(data.get("id"), str) and data["id"] != path.stem:
        problems.add("id", f"is {data['id']!r}", f"the name of the file, {path.stem!r}")
    if not problems.found:
        _check_choices(data, problems)
    if problems.found:
        return None, problems.found
    failure = _failure(data, problems.file)
    _check_patterns(failure, problems)
    return failure, problems.found


def load_folder(folder: Path) -> tuple[list[Failure], list[KnowledgeError]]:
    """All failures of a folder, sorted by id, and all that is wrong in their form."""
    failures: list[Failure] = []
    problems: list[KnowledgeError] = []
    for path in sorted(folder.rglob("*.toml")):
        failure, found = load_file(path)
        problems += found
        if failure is not None:
            failures.append(failure)
    return sorted(failures, key=lambda failure: failure.id), problems


def _check_table(data: Mapping[str, Any], fields: Mapping[str, Any], where: str, problems: Problems) -> None:
    nested: dict[str, Mapping[str, Any]] = {"signal": _SIGNAL, "remedy": _REMEDY, "gap": _GAP, "example": _EXAMPLE}
    for key, value in data.items():
        place = f"{where}{key}"
        if key not in fields:
            problems.add(place, "is not a key of this format", f"one of {', '.join(fields)}")
        elif not isinstance(value, fields[key]) or (isinstance(value, bool) and fields[key] is not bool):
            problems.add(place, f"is a {type(value).__name__}", _type_name(fields[key]))
        elif key in nested and not where:
            for number, item in enumerate(value, 1):
                if isinstance(item, dict):
                    _check_table(item, nested[key], f"{key}[{number}].", problems)
                else:
                    problems.add(f"{key}[{number}]", "is not a table", f"[[{key}]]")
        elif isinstance(value, list) and not all(isinstance(item, str) for item in value):
            problems.add(place, "holds something else than text", "a list of texts")
        elif isinstance(value, dict) and not all(isinstance(item, str) for item in value.values()):
            problems.add(place, "holds something else than text", "a table of texts")


def _check_choices(data: Mapping[str, Any], problems: Problems) -> None:
    closed: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("stack", STACKS),
        ("phase", PHASES),
        ("role", tuple(Role)),
        ("scope", tuple(Scope)),
    )
    for key, choices in closed:
        if key in data and data[key] not in choices:
            problems.add(key, f"is {data[key]!r}", f"one of {', '.join(choices)}")
    for number, signal in enumerate(data.get("signal", []), 1):
        if not isinstance(signal, dict):
            continue
        given = [key for key in ("text", "regex", "metric") if signal.get(key)]
        if len(given) != 1:
            problems.add(f"signal[{number}]", f"gives {', '.join(given) or 'nothing'}", "one of text, regex, metric")
        _check_metric(signal, f"signal[{number}]", problems)
        for key, choices in (("in", KINDS), ("process", PROCESSES)):
            for item in signal.get(key, []):
                if item not in choices:
                    problems.add(f"signal[{number}].{key}", f"holds {item!r}", f"some of {', '.join(choices)}")


def _check_metric(signal: Mapping[str, Any], where: str, problems: Problems) -> None:
    """Metrics can be read, and what only belongs to them stands with them."""
    for key in ("metric", "per"):
        try:
            series(signal[key]) if key in signal else None
        except ValueError as error:
            problems.add(f"{where}.{key}", str(error))
    if signal.get("over", "") not in ("", "increase", "rate"):
        problems.add(f"{where}.over", f"is {signal['over']!r}", "increase or rate")
    for key in ("per", "least", "over", "lasting", "above", "below"):
        if key in signal and "metric" not in signal:
            problems.add(f"{where}.{key}", "belongs to a metric", "a signal with metric")


def _check_patterns(failure: Failure, problems: Problems) -> None:
    """Every pattern can be used; one that cannot would break the whole database."""
    for number, signal in enumerate(failure.signals, 1):
        for key, text, one in (
            ("regex" if signal.regex else "text", signal.text or signal.regex, signal),
            ("code", signal.code, Signal("", text=signal.code)),
        ):
            if text and (wrong := problem(one)):
                problems.add(f"signal[{number}].{key}", wrong, "a pattern as `firstcause catalog check` wants it")


def _failure(data: Mapping[str, Any], file: str) -> Failure:
    plain = {key: data[key] for key in ("id", "title", "stack", "phase", "summary", "why", "versions") if key in data}
    lists = {
        key: tuple(data.get(key, ())) for key in ("covers", "leads_to", "needs", "supports", "excludes", "avoid", "check", "refs")
    }
    fields: dict[str, Any] = plain | lists
    return Failure(
        **fields,
        role=Role(data["role"]),
        scope=Scope(data.get("scope", "server")),
        signals=tuple(_signal(item, number) for number, item in enumerate(data["signal"], 1)),
        compute=dict(data.get("compute", {})),
        remedies=tuple(_remedy(item) for item in data.get("remedy", ())),
        gaps=tuple((gap.get("what", ""), gap.get("why", ""), gap.get("how", "")) for gap in data.get("gap", ())),
        examples=tuple(_example(item) for item in data.get("example", ())),
        file=file,
    )


def _signal(data: Mapping[str, Any], number: int) -> Signal:
    lists = {key: tuple(data.get(key, ())) for key in ("process", "trace", "not_trace", "during", "seen", "not_seen")}
    plain = {
        key: data[key]
        for key in ("text", "regex", "metric", "per", "code", "above", "below", "least", "over", "lasting", "sure")
        if key in data
    }
    fields: dict[str, Any] = plain | lists
    return Signal(name=data.get("name", f"s{number}"), kinds=tuple(data.get("in", ("log",))), **fields)


def _example(data: Mapping[str, Any]) -> Example:
    return Example(data.get("name", ""), data.get("expect", ""), data.get("files", {}))


def _remedy(data: Mapping[str, Any]) -> Remedy:
    return Remedy(
        title=data.get("title", ""),
        set=dict(data.get("set", {})),
        commands=tuple(data.get("commands", ())),
        cost=data.get("cost", ""),
        risk=data.get("risk", ""),
    )


def _type_name(kind: Any) -> str:
    names = {str: "a text", list: "a list", dict: "a table", bool: "true or false"}
    return names.get(kind, "a number")
