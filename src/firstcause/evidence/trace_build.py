"""A traceback while it is being read, and the Trace it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from firstcause.evidence.trace_shape import Look, is_ray_call
from firstcause.evidence.trace_stream import Unit
from firstcause.model import Line, Raised, Trace

MESSAGE_LINES = 20
MESSAGE_SIZE = 4096


@dataclass(slots=True)
class Told:
    """An exception while its message is still being read."""

    unit: Unit
    frames: tuple[tuple[str, str], ...]
    depth: int
    message: list[str]
    ended: bool = False

    @property
    def remote(self) -> bool:
        """Whether it only carries the traceback of another process: multiprocessing's RemoteTraceback."""
        return self.unit.shape.first.endswith("RemoteTraceback")

    @property
    def calls(self) -> bool:
        """Whether the traceback of a remote call follows its message."""
        return is_ray_call(self.unit.shape.second)

    @property
    def full(self) -> bool:
        """Whether the message has reached its limits."""
        return len(self.message) >= MESSAGE_LINES or sum(map(len, self.message)) >= MESSAGE_SIZE


@dataclass(slots=True)
class Built:
    """One traceback as it is read: its units, each with whether it is quoted source code."""

    headless: bool = False  # it began in the middle
    units: list[tuple[Unit, bool]] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)

    @property
    def last(self) -> Told | None:
        """The exception that was told last."""
        return self.told[-1] if self.told else None

    @property
    def spaced(self) -> bool:
        """Whether the text has a blank line after every line."""
        return sum(unit.shape.look is Look.BLANK for unit, _ in self.units[:9]) >= 3

    def trace(self) -> Trace | None:
        """The trace with its exceptions in the order raised, none where its end is missing; None: it is no traceback."""
        ordered = [one for one in _inner_first(self.told) if not one.remote]
        if not ordered and not any(unit.shape.look in (Look.HEADER, Look.FRAME) for unit, _ in self.units):
            return None
        lines: dict[int, Line] = {unit.at: unit.line for unit, _ in self.units}
        return Trace(tuple(_raised(one, index) for index, one in enumerate(ordered)), tuple(lines.values()))


def _raised(one: Told, index: int) -> Raised:
    message = "\n".join(one.message).rstrip()[:MESSAGE_SIZE]
    return Raised(one.unit.shape.first, message, one.unit.line, one.frames, index)


def _inner_first(told: Sequence[Told]) -> list[Told]:
    """A nested exception is told after, and was raised before, the one that carries it."""
    ordered: list[Told] = []
    waiting: list[Told] = []
    for one in told:
        while waiting and waiting[-1].depth >= one.depth:
            ordered.append(waiting.pop())
        waiting.append(one)
    return ordered + waiting[::-1]
