"""The grammar of tracebacks: units of one stream -> traces, each a row of blocks (header, frames, exception line)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firstcause.evidence.trace_build import Built, Told
from firstcause.evidence.trace_message import is_message
from firstcause.evidence.trace_shape import Look, Shape, is_error_name
from firstcause.evidence.trace_stream import Unit

_JUNK = 20  # lines of others between two frames, until the block counts as cut off


def read(units: Sequence[Unit]) -> list[Built]:
    """All tracebacks of one stream, in order."""
    reader = _Reader(units)
    for position, unit in enumerate(units):
        reader.step(position, unit)
    reader.finish()
    return reader.done


class _Reader:
    """Reads one unit after the other. A block is open from its header or first frame to its exception line."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.units = units
        self.done: list[Built] = []
        self.built: Built | None = None  # the traceback that may still go on
        self.frames: list[tuple[str, str]] | None = None  # of the open block
        self.indent = 2  # of its frames
        self.after: Look | None = None  # what came last in the open block
        self.junk = 0
        self.chained = False  # "During handling of …" came, its second part has not begun
        self.nested = 0  # depth of the remote call whose traceback is being told
        self.quoted = False
        self.fatal = False
        self.blanks: list[Unit] = []

    def finish(self) -> None:
        self._end()

    def step(self, position: int, unit: Unit) -> None:
        look = unit.shape.look
        if look is Look.BLANK:
            self.blanks.append(unit)
            return
        if not self._continues_message(position, unit):
            _STEPS.get(look, _Reader.text)(self, position, unit)
        self.blanks.clear()

    def _continues_message(self, position: int, unit: Unit) -> bool:
        built = self.built
        if built is None or built.last is None or self.frames is not None or self.chained or self.fatal:
            return False
        last = built.last
        if not last.ended and is_message(built, last, unit, len(self.blanks), self._following(position)):
            last.message += ["" for _ in self.blanks] + [" " * unit.shape.indent + unit.shape.text]
            self._add(unit)
            return True
        last.ended = True
        return False

    def _following(self, position: int) -> Shape | None:
        near = self.units[position + 1 : position + 4]
        return next((one.shape for one in near if one.shape.look is not Look.BLANK), None)

    # ---- one method for each look

    def header(self, position: int, unit: Unit) -> None:
        if self.fatal:
            self._fatal_thread(unit)
            return
        if self.built is None or not (self.chained or self.quoted or self._is_deeper(unit.shape)):
            self._begin(headless=False)
        elif "ray::" not in unit.shape.text and not self.quoted:
            self.nested = 0
        self._open(unit.shape.indent + 2)
        self._add(unit)

    def frame(self, position: int, unit: Unit) -> None:
        if self.frames is None:
            self._open_at_frame()
        assert self.frames is not None
        if not self.frames:
            self.indent = unit.shape.indent
        self.frames.append((unit.shape.first, unit.shape.second))
        self.after, self.junk = Look.FRAME, 0
        self._add(unit)

    def _open_at_frame(self) -> None:
        """A block without header: of a remote call, or of an excerpt that begins in the middle."""
        last = self.built.last if self.built else None
        if last is not None and last.calls:
            self.nested = 1
        elif self.built is None or not self.chained:
            self._begin(headless=True)
        self._open(2)

    def chain(self, position: int, unit: Unit) -> None:
        if self.built is None:
            self._begin(headless=True)
        self.chained, self.frames = True, None
        self._add(unit)

    def quote(self, position: int, unit: Unit) -> None:
        """Three quotes open the text that a RemoteTraceback carries, and close it."""
        last = self.built.last if self.built else None
        if last is not None and self.frames is None:
            self.quoted = last.remote and not self.quoted
            self.nested = int(self.quoted)
            self._add(unit)

    def raised(self, position: int, unit: Unit) -> None:
        one = unit.shape
        if self.frames is not None:
            if self._ends_block(one):
                self._tell(unit)
            else:
                self.text(position, unit)
        elif is_error_name(one.first) and one.indent == 0:
            if self.built is None or not (self.chained or self._is_deeper(one)):
                self._begin(headless=True)
            self._tell(unit)

    def _is_deeper(self, one: Shape) -> bool:
        """Whether it stands inside the group whose exception was told last."""
        last = self.built.last if self.built else None
        return last is not None and one.depth > 0 and one.depth >= last.unit.shape.depth

    def _ends_block(self, one: Shape) -> bool:
        """Whether the line is the exception line of the open block, and not a source line or somebody else's."""
        sure = is_error_name(one.first)
        if self.frames and self.indent == 0:  # a notebook, or the indentation is lost
            return sure or (self.after is Look.CELL and bool(one.second))
        if one.indent >= self.indent:
            return False
        return sure or "." in one.first.strip(".") or (bool(one.second) and self.after is not Look.TEXT)

    def fatal_error(self, position: int, unit: Unit) -> None:
        self._begin(headless=False)
        self._tell(unit)
        self.fatal = True

    def _fatal_thread(self, unit: Unit) -> None:
        """Of all threads the one told first is the one that failed."""
        if self.frames:
            self._end()
            return
        self._open(2)
        self._add(unit)

    def text(self, position: int, unit: Unit) -> None:
        if self.frames is None:
            if self._is_first_code(position, unit):
                self._begin(headless=True)
                self._open(2)
                self._add(unit, code=True)
            return
        if self._is_code(unit.shape):
            self.after = Look.CELL if unit.shape.look is Look.CELL else Look.MARK
            self._add(unit, code=True)
            return
        self.after = Look.TEXT
        self.junk += 1
        if self.fatal or self.junk > _JUNK:
            self._end()

    def _is_code(self, one: Shape) -> bool:
        if one.look in (Look.MARK, Look.CELL):
            return True
        if not self.frames:
            return one.indent >= self.indent + 2
        return one.indent > self.indent or (self.indent == 0 and self.after in (Look.FRAME, Look.MARK))

    def _is_first_code(self, position: int, unit: Unit) -> bool:
        """An excerpt may begin with a source line: carets or the next frame follow it."""
        if unit.shape.look is Look.MARK:
            return bool(unit.shape.text)
        following = self._following(position)
        if following is None or unit.shape.indent < 4:
            return False
        return following.look in (Look.MARK, Look.FRAME) and bool(following.text)

    # ---- blocks

    def _begin(self, headless: bool) -> None:
        self._end()
        self.built = Built(headless)
        self.done.append(self.built)

    def _end(self) -> None:
        if self.fatal and self.built and self.built.last and self.frames:
            self.built.last.frames = tuple(reversed(self.frames))
        self.built, self.frames, self.nested = None, None, 0
        self.chained = self.quoted = self.fatal = False

    def _open(self, indent: int) -> None:
        self.frames, self.chained, self.junk, self.indent, self.after = [], False, 0, indent, Look.HEADER

    def _tell(self, unit: Unit) -> None:
        assert self.built is not None
        depth = self.nested + unit.shape.depth
        self.built.told.append(Told(unit, tuple(self.frames or ()), depth, [unit.shape.second]))
        self.frames, self.chained = None, False
        self._add(unit)

    def _add(self, unit: Unit, code: bool = False) -> None:
        assert self.built is not None
        self.built.units += [(blank, False) for blank in self.blanks]
        self.built.units.append((unit, code))
        self.blanks.clear()


_STEPS: dict[Look, Callable[[_Reader, int, Unit], None]] = {
    Look.HEADER: _Reader.header,
    Look.FRAME: _Reader.frame,
    Look.CHAIN: _Reader.chain,
    Look.QUOTE: _Reader.quote,
    Look.RAISED: _Reader.raised,
    Look.FATAL: _Reader.fatal_error,
}
