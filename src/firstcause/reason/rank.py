"""Which failure is told first: what is most likely to be the one thing to change, judged by a few plain rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firstcause.knowledge.schema import Failure, Scope
from firstcause.model import Finding, Status
from firstcause.reason.findings import loud
from firstcause.reason.graph import explains, first

# Exceptions that only tell that somebody else ended: never a first cause while anything else is there.
ECHOES = (
    "KeyboardInterrupt",
    "CancelledError",
    "SystemExit",
    "BrokenPipeError",
    "EOFError",
    "ConnectionResetError",
    "RayTaskError",
)
# Types whose message is a bare key or nothing: they name no cause.
# How much an unrecognised sign weighs; an exception without its traceback weighs like a crash.
STRANGE = {"exception": 0, "crash": 1, "body": 2, "event": 3, "error": 4, "trouble": 5}
ECHOING_EVENTS = ("BackOff", "FailedMount", "Unhealthy")  # they mostly follow from another event
MUTE = ("KeyError", "IndexError", "StopIteration", "AssertionError")


@dataclass(frozen=True, slots=True)
class Scale:
    """What causes are weighed against: the knowledge, whether the server itself fell, and which sources are HTTP exchanges."""

    outlines: Mapping[str, Failure]
    server_fell: bool
    exchanges: frozenset[str]

    @classmethod
    def of(cls, followers: list[Finding], outlines: Mapping[str, Failure], exchanges: frozenset[str]) -> Scale:
        """The scale for an incident with these consequences."""
        fell = any(outlines[f.failure].scope is Scope.SERVER for f in followers)
        return cls(outlines, fell, exchanges)

    def ranked(self, causes: list[Finding], strange: list[Finding]) -> list[Finding]:
        """Causes that no other cause explains, best first; an unrecognised one leads only where no recognised one answers."""
        roots = [c for c in causes if not any(explains(other, c, self.outlines) for other in causes)]
        ranked = sorted(roots, key=self._weight)
        best = best_strange(strange)
        saved_error = bool(best) and best[0].observations[0].signal == "body" and self._is_saved(best[0])
        answering = [c for c in roots if self._answers(c)]
        if saved_error and all(self._is_request(c) and not self._is_saved(c) for c in answering):
            return [*best, *ranked]
        return ranked if answering else [*best, *ranked]

    def _is_saved(self, finding: Finding) -> bool:
        """Whether it is seen in an HTTP answer that the person saved: what they ask about."""
        return any(observation.record.source in self.exchanges for observation in finding.observations)

    def _is_request(self, cause: Finding) -> bool:
        return self.outlines[cause.failure].scope is Scope.REQUEST

    def _answers(self, cause: Finding) -> bool:
        """Whether a recognised cause can stand for the end that was seen; a mere hint or a failed request cannot."""
        if self.server_fell and self._is_request(cause):
            return False
        return cause.status is Status.CONFIRMED or loud(cause.observations[0])

    def _weight(self, cause: Finding) -> tuple[bool, bool, bool, bool, int, int]:
        """The server before a request, what the person saved before what the log holds, sure, loud, early and deep first."""
        best = cause.observations[0]
        depth = best.record.line.process.depth if best.record.line.process else 0
        return (
            self.server_fell and self._is_request(cause),
            cause.status is not Status.CONFIRMED,
            self._is_request(cause) and bool(self.exchanges) and not self._is_saved(cause),
            not loud(best),
            first(cause),
            -depth,
        )


def best_strange(strange: list[Finding]) -> list[Finding]:
    """The unrecognised error that says most about the first thing that went wrong, alone; none where only echoes are left."""
    telling = [f for f in strange if class_name(f) not in ECHOES]
    return sorted(telling, key=_strange_weight)[:1]


def mute(finding: Finding) -> bool:
    """Whether an unrecognised error says nothing about why."""
    if finding.observations[0].signal == "trouble":
        return True
    message = str(finding.values.get("message", "")).strip()
    return (class_name(finding) in MUTE and len(message.split()) < 4) or not message


def class_name(finding: Finding) -> str:
    """The exception's type without its module."""
    return str(finding.values.get("type", "")).rpartition(".")[2]


def _strange_weight(finding: Finding) -> tuple[int, bool, int, int]:
    observation = finding.observations[0]
    kind = STRANGE.get(observation.signal, 9)
    if observation.signal == "exception" and observation.record.trace is None:
        kind = 1
    record = observation.record
    start = record.trace.raised[0].line.number if record.trace and record.trace.raised else record.line.number
    return kind, mute(finding) or class_name(finding) in ECHOING_EVENTS, start, observation.order
