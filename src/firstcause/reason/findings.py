"""Observations of one incident -> findings: each failure with its status, and what the knowledge does not name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from firstcause.knowledge.schema import Failure, Role
from firstcause.knowledge.templates import weight
from firstcause.model import MEASURED, Finding, Observation, Status, Value
from firstcause.reason.graph import reachable

LOUD = ("ERROR", "CRITICAL", "FATAL")


def findings(observations: Sequence[Observation], outlines: Mapping[str, Failure]) -> list[Finding]:
    """One finding per failure of which a signal was seen, in the order in which they were first seen."""
    groups: dict[str, list[Observation]] = {}
    for seen in observations:
        if seen.failure:
            groups.setdefault(seen.failure, []).append(seen)
    found = (_finding(outlines[id], group) for id, group in groups.items())
    return [finding for finding in found if finding is not None]


def settled(observations: Sequence[Observation], outlines: Mapping[str, Failure]) -> list[Observation]:
    """Without the causes that claim a line which another cause describes more closely, unless one leads to the other."""
    claims: dict[tuple[str, int], list[Observation]] = {}
    for seen in observations:
        if seen.failure and outlines[seen.failure].role is Role.CAUSE:
            claims.setdefault((seen.record.source, seen.record.line.number), []).append(seen)
    beaten: set[int] = set()
    for rivals in claims.values():
        best = max(rivals, key=lambda o: _closeness(o, outlines))
        kin = reachable(best.failure, outlines)
        for other in rivals:
            if (
                other.failure != best.failure
                and other.failure not in kin
                and best.failure not in reachable(other.failure, outlines)
            ):
                beaten.add(id(other))
    return [seen for seen in observations if id(seen) not in beaten]


def _closeness(observation: Observation, outlines: Mapping[str, Failure]) -> tuple[bool, int]:
    signal = next(s for s in outlines[observation.failure].signals if s.name == observation.signal)
    return observation.sure, weight(signal)


def unnamed(observations: Sequence[Observation]) -> list[Finding]:
    """One finding per exception, crash or error line that no signal names and that is not part of a named event."""
    named = _named_lines(observations)
    groups: dict[tuple[Value, Value], list[Observation]] = {}
    for seen in observations:
        if not seen.failure and not _lines_of(seen) & named:
            groups.setdefault((seen.values["type"], seen.values["message"]), []).append(seen)
    return [Finding("", Status.SUSPECTED, tuple(group), dict(group[0].values)) for group in groups.values()]


def loud(observation: Observation) -> bool:
    """Whether the line itself reports an error: an exception, a line of level ERROR and above, an error object of an answer.

    What firstcause measured itself is as good: it asked, and nobody phrases it by the way.
    """
    record = observation.record
    told = '"error"' in record.line.text or record.line.text.startswith(MEASURED)
    return told or record.raised is not None or record.line.level in LOUD or record.trace is not None


def _finding(failure: Failure, group: Sequence[Observation]) -> Finding | None:
    seen = {observation.signal for observation in group}
    if seen & set(failure.excludes):
        return Finding(failure.id, Status.RULED_OUT, tuple(group), _values(group))
    status = _status(failure, group, seen)
    if status is None:
        return None
    ordered = sorted(group, key=lambda o: (o.signal in failure.supports, o.record.quoted_code, not o.sure, o.order))
    return Finding(failure.id, status, tuple(ordered), _values(ordered))


def _status(failure: Failure, group: Sequence[Observation], seen: set[str]) -> Status | None:
    if failure.needs:
        return Status.CONFIRMED if set(failure.needs) <= seen else None
    telling = [observation for observation in group if observation.signal not in failure.supports]
    if not telling:
        return None
    supported = bool(seen & set(failure.supports))
    return Status.CONFIRMED if supported or any(o.sure for o in telling) else Status.SUSPECTED


def _values(group: Iterable[Observation]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for observation in group:
        for name, value in observation.values.items():
            values.setdefault(name, value)
    return values


def _named_lines(observations: Iterable[Observation]) -> set[tuple[str, int]]:
    lines: set[tuple[str, int]] = set()
    for seen in observations:
        if seen.failure:
            record = seen.record
            lines.add((record.source, record.line.number))
            if record.raised is not None:
                lines.add((record.source, record.raised.line.number))
    return lines


def _lines_of(observation: Observation) -> set[tuple[str, int]]:
    """The line itself and the last lines of all exceptions of its chain."""
    record = observation.record
    chain = record.trace.raised if record.trace else ()
    return {(record.source, record.line.number), *((record.source, raised.line.number) for raised in chain)}
