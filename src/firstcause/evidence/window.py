"""One source as a row of windows: each byte is in memory once, a record is built only where something was found.

Why not mmap: compressed and piped sources would need a second way, and the resident size would grow with the log. One
reused buffer keeps memory flat; the copy costs a few per cent of the scan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from firstcause.evidence.framing import frame
from firstcause.evidence.trace import assemble, is_quoted_code, raised_at
from firstcause.knowledge.formats import Formats
from firstcause.model import Line, Record, Source

BLOCK = 4 << 20  # bytes read at a time
BACK = 384 << 10  # context kept from before: a long traceback with other processes' lines in between
AHEAD = 64 << 10  # context wanted after a hit, before its record is built
LINE_MAX = 16 << 10  # bytes of one line that are looked at
LINES_BACK = 600
LINES_AHEAD = 60


@dataclass(slots=True)
class TextWindow:
    """A stretch of a source: `new` is to be scanned; hits before `settled` may be turned into records."""

    source: Source
    buffer: bytearray  # only buffer[:end] belongs to this window
    end: int
    fresh: int
    base: int  # offset of buffer[0] in the source
    base_line: int  # newlines before buffer[0]
    last: bool
    formats: Formats
    _lines: dict[int, Line] = field(default_factory=dict, init=False)
    _record: Record | None = field(default=None, init=False)  # the last one with its traceback
    _counted: tuple[int, int] = field(default=(0, 0), init=False)

    @property
    def new(self) -> memoryview:
        """The bytes that no window before held: to be scanned, then released before the next window is asked for."""
        return memoryview(self.buffer)[self.fresh : self.end]

    @property
    def settled(self) -> int:
        """Offset in the source before which hits have all the context that they will get."""
        return self.base + self.end - (0 if self.last else AHEAD)

    def line_at(self, offset: int) -> Line:
        """The framed line around the byte at `offset` of the source."""
        start, end = self._span(offset - self.base)
        return self._framed(start, end)

    def end_of_line(self, offset: int) -> int:
        """Offset in the source just after the line around `offset`."""
        return self.base + self._span(offset - self.base)[1]

    def text_at(self, offset: int) -> str:
        """The part of the line around `offset` that a pattern is tried on, as written."""
        start, end = self._span(offset - self.base)
        near = max(start, offset - self.base - LINE_MAX // 2)
        return self.buffer[near : min(end, near + LINE_MAX)].decode("utf-8", "replace")

    def record_at(self, offset: int, with_trace: bool = True) -> Record:
        """The record around the byte at `offset` of the source."""
        line = self.line_at(offset)
        if not with_trace:
            return Record(self.source.name, line)
        if self._record is not None and self._record.line is line:
            return self._record  # several patterns hit one line
        lines, at = self._around(offset - self.base)
        trace = assemble(lines, at)
        raised = raised_at(trace, line.number) if trace else None
        self._record = Record(self.source.name, line, trace, raised, is_quoted_code(lines, at))
        return self._record

    def _span(self, position: int) -> tuple[int, int]:
        position = min(position, self.end)
        start = self.buffer.rfind(b"\n", 0, position) + 1
        end = self.buffer.find(b"\n", position, self.end)
        return start, self.end if end < 0 else end

    def _framed(self, start: int, end: int) -> Line:
        line = self._lines.get(start)
        if line is None:
            raw = bytes(self.buffer[start : min(end, start + LINE_MAX)])
            line = frame(raw, self._number(start), self.base + start, self.formats)
            self._lines[start] = line
        return line

    def _number(self, start: int) -> int:
        """Line number of the line that starts there; counted from the last place asked for, forwards or backwards."""
        at, count = self._counted
        if start < at:
            count -= self.buffer.count(b"\n", start, at)
        else:
            count += self.buffer.count(b"\n", at, start)
        self._counted = (start, count)
        return self.base_line + count + 1

    def _around(self, position: int) -> tuple[list[Line], int]:
        data = self.buffer
        start, end = self._span(position)
        before: list[tuple[int, int]] = []
        edge = start
        while edge > 0 and len(before) < LINES_BACK:
            previous = data.rfind(b"\n", 0, edge - 1) + 1
            before.append((previous, edge - 1))
            edge = previous
        after: list[tuple[int, int]] = []
        edge = end + 1
        while edge < self.end and len(after) < LINES_AHEAD:
            stop = data.find(b"\n", edge, self.end)
            stop = self.end if stop < 0 else stop
            after.append((edge, stop))
            edge = stop + 1
        spans = [*reversed(before), (start, end), *after]
        return [self._framed(*span) for span in spans], len(before)


def windows(source: Source, formats: Formats) -> Iterator[TextWindow]:
    """The source from start to end; each window's data is only valid until the next one is asked for."""
    buffer = bytearray(BACK + BLOCK)
    kept = pending = 0  # bytes of context, and of a begun line, at the start of the buffer
    base = base_line = 0
    with source.open() as stream:
        while True:
            begun = kept + pending
            filled = begun + _read_into(stream, buffer, begun)
            last = filled < len(buffer)
            end = filled if last else _last_line_end(buffer, kept, filled)
            yield TextWindow(source, buffer, end, kept, base, base_line, last, formats)
            if last:
                return
            keep_from = _line_start(buffer, max(0, end - BACK), end)
            base_line += buffer.count(b"\n", 0, keep_from)
            base += keep_from
            kept, pending = end - keep_from, filled - end
            buffer[: kept + pending] = buffer[keep_from:filled]


def _read_into(stream: BinaryIO, buffer: bytearray, start: int) -> int:
    """Fill the buffer from `start` as far as the stream goes; the number of bytes read."""
    filled = start
    with memoryview(buffer) as view:
        while filled < len(view):
            count = stream.readinto(view[filled:])  # type: ignore[attr-defined]
            if not count:
                break
            filled += count
    return filled - start


def _last_line_end(buffer: bytearray, start: int, end: int) -> int:
    found = buffer.rfind(b"\n", start, end)
    return end if found < 0 else found + 1  # a line longer than a block is cut: its parts are scanned apart


def _line_start(buffer: bytearray, position: int, end: int) -> int:
    found = buffer.find(b"\n", position, end)
    return position if found < 0 or found + 1 >= end else found + 1
