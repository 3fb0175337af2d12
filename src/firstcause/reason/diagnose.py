"""Findings -> the one diagnosis: which failure is first, what follows from it, what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from firstcause.knowledge.schema import Failure, Role, Scope
from firstcause.model import Diagnosis, Finding, Gap, Incident, Observation, Status, Verdict
from firstcause.reason.findings import findings, loud, settled, unnamed
from firstcause.reason.graph import explains, first
from firstcause.reason.rank import Scale, mute

LISTED = 32  # incidents of one source; the observing stage keeps what was seen in so many


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything that was observed, as the observing stage hands it over."""

    observations: Sequence[Observation]
    starts: Sequence[tuple[str, int, int]]  # (source, incident, first line)
    facts: Mapping[tuple[str, int], Mapping[str, str]]
    phases: frozenset[str]
    gaps: Sequence[Gap]
    exchanges: frozenset[str] = frozenset()  # sources that hold a saved HTTP answer


def diagnose(seen: Seen, outlines: Mapping[str, Failure], every: bool = False) -> Diagnosis:
    """The diagnosis of the latest incident of each source; earlier ones are listed (`every`: judged together)."""
    latest = {source: incident for source, incident, _ in seen.starts}
    told = [o for o in seen.observations if every or o.incident == latest[o.record.source]]
    facts: dict[str, str] = {}
    for (source, incident), items in seen.facts.items():
        if every or incident == latest[source]:
            facts |= items
    diagnosis = _judge(told, outlines, seen)
    return replace(diagnosis, gaps=(*seen.gaps, *diagnosis.gaps), incidents=_incidents(seen, outlines), facts=facts)


def _judge(
    observations: Sequence[Observation],
    outlines: Mapping[str, Failure],
    seen: Seen,
) -> Diagnosis:
    observations = settled(observations, outlines)
    found = [f for f in findings(observations, outlines) if f.status in (Status.CONFIRMED, Status.SUSPECTED)]
    by_role = {role: [f for f in found if outlines[f.failure].role is role] for role in Role}
    strange = unnamed(observations)
    serving = "serving" in seen.phases
    after_stop = [f for f in strange + by_role[Role.CONSEQUENCE] if _all_after_stop(f)]
    strange = [f for f in strange if f not in after_stop]
    followers = [f for f in by_role[Role.CONSEQUENCE] if f not in after_stop and not (serving and _is_quiet(f))]
    causes = Scale.of(followers, outlines, seen.exchanges).ranked(by_role[Role.CAUSE], strange)
    conditions = _ordered(by_role[Role.CONDITION], outlines)
    if not any(f.failure and not _is_hint(f, outlines) for f in causes):
        causes, conditions = _demoted(causes, conditions, followers, seen.phases, outlines)
    verdict = _verdict(causes, followers, conditions, seen.phases)
    heads, rest = _heads(causes)
    explained = [_explained(f, heads, outlines) for f in [*rest, *followers, *(s for s in strange if s not in causes)]]
    return Diagnosis(
        verdict=verdict,
        causes=tuple(heads),
        consequences=tuple(sorted(explained, key=first)),
        conditions=tuple(conditions),
        benign=tuple(by_role[Role.BENIGN]),
        gaps=_missing(verdict, followers, outlines),
    )


def _ordered(conditions: list[Finding], outlines: Mapping[str, Failure]) -> list[Finding]:
    """Conditions that no other one explains first; each part in the order in which they were seen."""
    return sorted(conditions, key=lambda c: any(explains(other, c, outlines) for other in conditions))


def _demoted(
    causes: list[Finding],
    conditions: list[Finding],
    followers: list[Finding],
    phases: frozenset[str],
    outlines: Mapping[str, Failure],
) -> tuple[list[Finding], list[Finding]]:
    """What is only hinted at, or is a plain error line, while the server runs on is a condition, not the cause of a failure."""
    if causes and not followers and "serving" in phases and all(_is_hint(c, outlines) for c in causes):
        return [], [*conditions, *causes]
    signal = causes[0].observations[0].signal if causes else ""
    if signal == "trouble" and phases & {"serving", "metrics"}:
        return [], conditions
    if signal == "error" and not followers and "serving" in phases:
        return [], [*conditions, *causes]
    return causes, conditions


def _verdict(causes: list[Finding], followers: list[Finding], conditions: list[Finding], phases: frozenset[str]) -> Verdict:
    if causes:
        only_mute = all(not cause.failure and mute(cause) for cause in causes)
        return Verdict.NOT_IN_EVIDENCE if only_mute else Verdict.FAILURE
    if followers:
        return Verdict.NOT_IN_EVIDENCE
    if conditions:
        return Verdict.DEGRADED
    return Verdict.HEALTHY if phases & {"serving", "metrics"} else Verdict.NOT_IN_EVIDENCE


def _heads(causes: list[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The causes that are told: the first, and the recognised ones that stand beside it with the same certainty."""
    if not causes:
        return [], []
    lead = causes[0]
    heads = [c for c in causes if c is lead or (c.failure and lead.failure and c.status is lead.status)]
    return heads, [c for c in causes if c not in heads]


def _explained(finding: Finding, heads: list[Finding], outlines: Mapping[str, Failure]) -> Finding:
    by = [h.failure or "unrecognised-error" for h in heads if h.failure and finding.failure and explains(h, finding, outlines)]
    if not by and heads:
        by = [heads[0].failure or "unrecognised-error"]
    return replace(finding, explained_by=tuple(by))


def _is_quiet(finding: Finding) -> bool:
    return not any(loud(observation) for observation in finding.observations)


def _is_hint(finding: Finding, outlines: Mapping[str, Failure]) -> bool:
    """A suspicion about the server itself that only a quiet line raises."""
    if not finding.failure or outlines[finding.failure].scope is not Scope.SERVER:
        return False
    return finding.status is Status.SUSPECTED and _is_quiet(finding)


def _all_after_stop(finding: Finding) -> bool:
    return all(observation.phase == "shutdown" for observation in finding.observations)


def _missing(verdict: Verdict, followers: list[Finding], outlines: Mapping[str, Failure]) -> tuple[Gap, ...]:
    if verdict is not Verdict.NOT_IN_EVIDENCE:
        return ()
    told = [Gap(*gap) for f in followers for gap in outlines[f.failure].gaps]
    if told:
        return tuple(dict.fromkeys(told))
    return (
        Gap(
            "the log from the start of the server to its end",
            "this evidence holds no error that says why, and no sign that the server was ready",
            "vllm serve … 2>&1 | tee serve.log; in Kubernetes: kubectl logs POD --all-containers --previous",
        ),
    )


def _incidents(seen: Seen, outlines: Mapping[str, Failure]) -> tuple[Incident, ...]:
    """The latest incidents of each source; of those before, whose observations are no longer kept, nothing is claimed."""
    latest = {source: incident for source, incident, _ in seen.starts}
    own: dict[tuple[str, int], list[Observation]] = {}
    for observation in seen.observations:
        own.setdefault((observation.record.source, observation.incident), []).append(observation)
    result: list[Incident] = []
    for number, (source, incident, line) in enumerate(seen.starts, 1):
        if incident <= latest[source] - LISTED:
            continue
        judged = _judge(own.get((source, incident), []), outlines, seen)
        cause = judged.causes[0] if judged.causes else None
        named = (cause.failure or "unrecognised-error") if cause else None
        result.append(Incident(number, source, line, judged.verdict, named))
    return tuple(result)
