"""What leads to what: the graph that the failures write down, closed over all steps."""

from __future__ import annotations

from collections.abc import Mapping

from firstcause.knowledge.schema import Failure
from firstcause.model import Finding


def reachable(start: str, outlines: Mapping[str, Failure]) -> frozenset[str]:
    """Every failure that `start` can lead to, over any number of steps."""
    found: set[str] = set()
    open_ends = [start]
    while open_ends:
        for following in outlines[open_ends.pop()].leads_to if open_ends else ():
            if following not in found and following in outlines:
                found.add(following)
                open_ends.append(following)
    return frozenset(found)


def explains(cause: Finding, other: Finding, outlines: Mapping[str, Failure]) -> bool:
    """Whether the knowledge says so and time allows it: the cause does not first show after the last sign of the other."""
    if cause.failure == other.failure or other.failure not in reachable(cause.failure, outlines):
        return False
    return first(cause) <= max(observation.order for observation in other.observations) or bool(_places(cause) & _places(other))


def _places(finding: Finding) -> set[tuple[str, int]]:
    """The lines of a finding; on one line nothing is earlier than the other."""
    return {observation.record.order for observation in finding.observations}


def first(finding: Finding) -> int:
    """Position of the first sign of a finding."""
    return min(observation.order for observation in finding.observations)
