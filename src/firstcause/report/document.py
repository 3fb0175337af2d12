"""The diagnosis as the document `firstcause/report/v1`: plain JSON data, complete, masked, the same for the same evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from firstcause.knowledge.schema import Failure, Remedy
from firstcause.model import Diagnosis, Finding, Line, Observation, Value
from firstcause.report import unrecognised
from firstcause.report.fill import computed, fill, fill_command, holes
from firstcause.report.redact import safe, safe_value

SCHEMA = "firstcause/report/v1"
UNRECOGNISED = "unrecognised-error"
LONGEST_QUOTE = 2000  # characters of one line, or of one captured value
MOST_EVIDENCE = 5

Failures = Mapping[str, Failure]


def document(diagnosis: Diagnosis, failures: Failures) -> dict[str, Any]:
    """The report. Every string in it is masked and harmless to a terminal; keys stand in the order of the contract."""
    facts = diagnosis.facts
    failures = _met(diagnosis, failures)
    report = {
        "schema": SCHEMA,
        "verdict": diagnosis.verdict.value,
        "causes": [_answer(finding, failures, facts) for finding in diagnosis.causes],
        "consequences": [_consequence(finding, failures, facts) for finding in diagnosis.consequences],
        "conditions": [_answer(finding, failures, facts) for finding in diagnosis.conditions],
        "benign": [_benign(finding, failures, facts) for finding in diagnosis.benign],
        "gaps": _gaps(diagnosis, failures),
        "incidents": [
            {"number": one.number, "source": one.source, "first_line": one.first_line}
            | {"verdict": one.verdict.value, "cause": one.cause}
            for one in diagnosis.incidents
        ],
        "stack": {name: facts[name] for name in sorted(facts)},
    }
    safe_report: dict[str, Any] = _cleaned(report)
    return safe_report


def _met(diagnosis: Diagnosis, failures: Failures) -> dict[str, Failure]:
    """The failures that this diagnosis speaks of, each read once: a catalog reads a file at every access."""
    met = (*diagnosis.causes, *diagnosis.consequences, *diagnosis.conditions, *diagnosis.benign)
    return {id: failures[id] for id in sorted({finding.failure for finding in met}) if not _is_unrecognised(id)}


def _cleaned(value: Any, name: str = "") -> Any:
    """The tree with `safe` applied to every string, and what stands under the name of a secret masked as a whole."""
    if isinstance(value, str):
        return safe_value(name, value)
    if isinstance(value, Mapping):
        return {safe(str(key)): _cleaned(item, str(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item, name) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no word for it
    return value


def _answer(finding: Finding, failures: Failures, facts: Mapping[str, str]) -> dict[str, Any]:
    """A cause or a condition: what it is, what proves it, what to do."""
    failure = _known(finding, failures)
    return _unrecognised(finding) if failure is None else _recognised(finding, failure, facts)


def _recognised(finding: Finding, failure: Failure, facts: Mapping[str, str]) -> dict[str, Any]:
    known: dict[str, Value] = {**facts, **finding.values}
    results = computed(failure.compute, known)
    known |= results
    told = {name for seen in finding.observations for name in seen.values} | set(results) | set(_named(failure))
    return {
        "id": failure.id,
        "title": fill(failure.title, known),
        "status": finding.status.value,
        "recognised": True,
        "phase": failure.phase,
        "stack": failure.stack,
        "summary": fill(failure.summary, known),
        "why": fill(failure.why, known).strip(),
        "values": {name: _cut(known[name]) for name in sorted(told) if name in known},
        "evidence": _evidence(finding.observations),
        "remedies": [_remedy(remedy, known) for remedy in failure.remedies],
        "avoid": [fill(text, known) for text in failure.avoid],
        "check": [fill_command(text, known) for text in failure.check],
        "refs": list(failure.refs),
    }


def _remedy(remedy: Remedy, values: Mapping[str, Value]) -> dict[str, Any]:
    return {
        "title": fill(remedy.title, values),
        "set": {name: fill(text, values) for name, text in remedy.set.items()},
        "commands": [fill_command(text, values) for text in remedy.commands],
        "cost": fill(remedy.cost, values),
        "risk": fill(remedy.risk, values),
    }


def _named(failure: Failure) -> list[str]:
    """The values that the texts of a failure speak of."""
    texts = [failure.title, failure.summary, *failure.avoid, *failure.check]
    for remedy in failure.remedies:
        texts += [remedy.title, remedy.cost, remedy.risk, *remedy.set.values(), *remedy.commands]
    return [name for text in texts for name, _ in holes(text)]


def _unrecognised(finding: Finding) -> dict[str, Any]:
    """An error that the knowledge does not name, told as it is: no remedy is guessed, the checks say where to look."""
    return {
        "id": UNRECOGNISED,
        "title": unrecognised.title(finding),
        "status": finding.status.value,
        "recognised": False,
        "phase": unrecognised.phase(finding),
        "stack": "",
        "summary": unrecognised.summary(finding),
        "why": "",
        "values": {name: _cut(finding.values[name]) for name in sorted(finding.values)},
        "evidence": _evidence(finding.observations),
        "remedies": [],
        "avoid": [],
        "check": unrecognised.where_to_look(finding),
        "refs": [],
    }


def _consequence(finding: Finding, failures: Failures, facts: Mapping[str, str]) -> dict[str, Any]:
    return {
        "id": _id(finding, failures),
        "title": _title(finding, failures, facts),
        "evidence": _evidence(finding.observations),
        "explained_by": [UNRECOGNISED if _is_unrecognised(id) else id for id in finding.explained_by],
    }


def _benign(finding: Finding, failures: Failures, facts: Mapping[str, str]) -> dict[str, Any]:
    failure = _known(finding, failures)
    why = fill(failure.why, {**facts, **finding.values}).strip() if failure else ""
    return {
        "id": _id(finding, failures),
        "title": _title(finding, failures, facts),
        "why": why,
        "evidence": _evidence(finding.observations),
    }


def _gaps(diagnosis: Diagnosis, failures: Failures) -> list[dict[str, str]]:
    """What is missing. Only gaps that the knowledge wrote are texts with holes; others may name a file with braces."""
    written: dict[tuple[str, str, str], Mapping[str, Value]] = {}
    for finding in diagnosis.consequences:
        if failure := _known(finding, failures):
            written |= {gap: {**diagnosis.facts, **finding.values} for gap in failure.gaps}
    gaps = []
    for gap in diagnosis.gaps:
        values = written.get((gap.what, gap.why, gap.how))
        what, why, how = gap.what, gap.why, gap.how
        if values is not None:
            what, why, how = fill(what, values), fill(why, values), fill_command(how, values)
        gaps.append({"what": what, "why": why, "how": how})
    return gaps


def _evidence(observations: Sequence[Observation]) -> list[dict[str, Any]]:
    """The line that states it best, then others; no line twice."""
    distinct: dict[tuple[str, int], Observation] = {}
    for seen in observations:
        distinct.setdefault(seen.record.order, seen)
    return [_piece(seen) for seen in list(distinct.values())[:MOST_EVIDENCE]]


def _piece(seen: Observation) -> dict[str, Any]:
    line = seen.record.line
    piece: dict[str, Any] = {"source": seen.record.source, "line": line.number, "process": _process(line)}
    status = f"{seen.record.status.text}\n" if seen.record.status else ""  # an error body means little without it
    piece |= {"time": line.time, "text": status + line.text[:LONGEST_QUOTE]}
    return piece | ({"count": seen.count} if seen.count > 1 else {})


def _process(line: Line) -> str | None:
    """Who wrote the line: the process, and where it runs if the line says so."""
    host = (line.process.host if line.process else None) or line.host
    who = [str(line.process)] if line.process else []
    return " on ".join([*who, host] if host else who) or None


def _known(finding: Finding, failures: Failures) -> Failure | None:
    return None if _is_unrecognised(finding.failure) else failures[finding.failure]


def _is_unrecognised(id: str) -> bool:
    return id in ("", UNRECOGNISED) or id.startswith("unrecognised:")


def _id(finding: Finding, failures: Failures) -> str:
    failure = _known(finding, failures)
    return failure.id if failure else UNRECOGNISED


def _title(finding: Finding, failures: Failures, facts: Mapping[str, str]) -> str:
    failure = _known(finding, failures)
    return fill(failure.title, {**facts, **finding.values}) if failure else unrecognised.title(finding)


def _cut(value: Value) -> Value:
    return value[:LONGEST_QUOTE] if isinstance(value, str) else value
