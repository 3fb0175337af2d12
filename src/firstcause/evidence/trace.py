"""The traceback that a line belongs to, put together from the lines of one process."""

from __future__ import annotations

from collections.abc import Sequence

from firstcause.evidence.trace_blocks import read
from firstcause.evidence.trace_build import Built
from firstcause.evidence.trace_shape import Look, shape
from firstcause.evidence.trace_stream import Unit, stream, texts
from firstcause.model import Line, Raised, Trace

BACK = 600  # lines looked at before and after the line that was hit
AHEAD = 60
_NEAR = 64  # most tracebacks end within so many lines
_NEVER_CODE = frozenset({Look.BLANK, Look.HEADER, Look.FRAME, Look.CHAIN, Look.FATAL, Look.QUOTE})


def assemble(lines: Sequence[Line], at: int) -> Trace | None:
    """The traceback that the line `at` belongs to as frame, source, exception or message line; None: to none."""
    built = _built_around(lines, at)
    return built.trace() if built is not None else None


def raised_at(trace: Trace, line_number: int) -> Raised | None:
    """The exception whose type or message stands on that line."""
    for one in trace.raised:
        if line_number in _message_lines(trace, one):
            return one
    return None


def is_quoted_code(lines: Sequence[Line], at: int) -> bool:
    """Whether the line is source code or a caret line shown under a frame, and so nothing that was put out."""
    if shape(lines[at].message).look in _NEVER_CODE:
        return False
    built = _built_around(lines, at, whole=False)
    if built is None:
        return False
    roles = [code for unit, code in built.units if unit.at == at]
    return bool(roles) and all(roles)


def _built_around(lines: Sequence[Line], at: int, whole: bool = True) -> Built | None:
    """The traceback around a line; looks farther back only while its beginning is not in view."""
    high = min(len(lines), at + AHEAD + 1)
    found: Built | None = None
    for back in (_NEAR, BACK) if whole else (_NEAR,):
        low = max(0, at - back)
        units = stream(lines, low, high, at)
        found = next((one for one in read(units) if any(unit.at == at for unit, _ in one.units)), None)
        if found is None or low == 0 or not _begins_before(units, found):
            break
    return found


def _begins_before(units: Sequence[Unit], built: Built) -> bool:
    """Whether the traceback may have begun before the units that were looked at."""
    first = next((unit for unit in units if unit.shape.text), None)
    return built.headless or (first is not None and built.units[0][0].at <= first.at)


def _message_lines(trace: Trace, one: Raised) -> set[int]:
    """Numbers of the lines that hold the exception line and the rest of its message."""
    left = one.message.count("\n") + 1
    numbers: set[int] = set()
    for line in trace.lines:
        if left > 0 and line.number >= one.line.number:
            numbers.add(line.number)
            left -= sum(1 for _ in texts(line.message))
    return numbers
