"""Running parts as evidence: a URL is asked, and what it answers becomes sources like saved files.

Heavy imports wait until a live target was given: `diagnose serve.log` does not pay for them.
"""

from __future__ import annotations

from dataclasses import dataclass

from firstcause.model import Gap, Source

SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class Ask:
    """What may be asked of a running server, and how."""

    probe: bool = False  # one token may be generated
    interval: float = 5.0  # seconds between two looks at the metrics
    model: str = ""  # the served name to ask for; empty: the first one the server has
    key: str = ""  # the API key; goes into the Authorization header and nowhere else
    verify: bool = True  # the certificate of an https server


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of one server: its name as a person would say it, what answers there, and the evidence."""

    name: str
    kind: str  # vLLM | OpenAI | Prometheus | other | nothing
    parts: tuple[Source, ...] = ()
    gaps: tuple[Gap, ...] = ()


def is_live(argument: str) -> bool:
    """Whether an argument of the command line names something running instead of a path."""
    return argument.startswith(SCHEMES)
