"""Which lines one process wrote in one go: the lines among which a traceback is looked for.

A logger repeats its head (process, level, place) on every line of a record, or writes it on the first line only. Other
processes write in between. So each line has an owner: its own head, or, where it has none, the record it continues.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firstcause.evidence.trace_shape import HEADER, Look, Shape, shape
from firstcause.model import Line

Who = tuple[str | None, int | None, str | None]
Owner = tuple[Who, str | None, str | None]

_OPEN = frozenset({Look.HEADER, Look.FRAME, Look.MARK, Look.CELL, Look.CHAIN, Look.QUOTE})
_GOES_ON = frozenset({Look.FRAME, Look.MARK, Look.CELL, Look.CHAIN, Look.QUOTE, Look.RAISED})


@dataclass(frozen=True, slots=True)
class Unit:
    """One line of text of a physical line; a decoded or quoted record holds several."""

    at: int  # position of its Line
    line: Line
    shape: Shape


def stream(lines: Sequence[Line], low: int, high: int, at: int) -> list[Unit]:
    """The units of all lines of [low, high) that have the same owner as the line `at`, in order."""
    owned = _Owners(lines[at])
    owners: dict[int, Owner] = {}
    units: dict[int, list[Unit]] = {}
    for position in range(low, high):
        line = lines[position]
        if not owned.concerns(line):
            owned.foreign()
            continue
        units[position] = [Unit(position, line, shape(text)) for text in texts(line.message)]
        owners[position] = owned.owner(line, units[position])
    mine = owners.get(at)
    return [unit for position, owner in owners.items() if owner == mine for unit in units[position]]


def texts(message: str) -> Iterator[str]:
    """The lines inside a message, also when a traceback was quoted as a string."""
    if HEADER in message and "\\n" in message:
        message = message.replace("\\\\n", "\n").replace("\\n", "\n").replace('\\"', '"')
    return iter(message.split("\n"))


class _Owners:
    """Gives each line its owner, from the lines before it."""

    def __init__(self, hit: Line) -> None:
        self.wanted = _who(hit)
        self.bare = hit.process is None
        self.looks: dict[Owner, Look] = {}  # what the last line of an owner looked like
        self.indents: dict[Owner, int] = {}
        self.last: dict[Who, Owner] = {}  # the owner of a process's last line
        self.before: Owner | None = None  # the owner of the line just before

    def concerns(self, line: Line) -> bool:
        """Whether the line can matter to the line that was hit."""
        return self.bare or line.process is None or _who(line) == self.wanted

    def foreign(self) -> None:
        """A line of another process stands here."""
        self.before = None

    def owner(self, line: Line, units: list[Unit]) -> Owner:
        who, last = _who(line), units[-1].shape
        owner: Owner = (who, line.level, line.origin)
        if line.level is None and line.origin is None:
            candidate = self.last.get(who) if line.process else self.before
            if candidate and candidate != owner and self._goes_on(candidate, owner, units[0].shape):
                owner = candidate
        if last.look is not Look.BLANK:
            self.looks[owner] = last.look
            self.indents[owner] = last.indent
            self.last[who] = owner
            self.before = owner
        return owner

    def _goes_on(self, candidate: Owner, own: Owner, text: Shape) -> bool:
        """Whether a line without a head goes on with the record of the candidate."""
        if self._is_open(own) and own in self.looks:
            return False
        look = self.looks.get(candidate)
        if text.look is Look.HEADER:
            return look is Look.CHAIN
        if self._is_open(candidate):
            return text.look in _GOES_ON or text.indent > 0
        return look is Look.RAISED and (text.look is Look.CHAIN or text.indent > 0)

    def _is_open(self, owner: Owner) -> bool:
        look = self.looks.get(owner)
        return look in _OPEN or (look is Look.TEXT and self.indents[owner] >= 4)


def _who(line: Line) -> Who:
    if line.process is None:
        return None, None, line.host
    return line.process.label, line.process.pid, line.process.host or line.host
