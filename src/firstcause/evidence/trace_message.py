"""Where the message of an exception ends, when it has several lines."""

from __future__ import annotations

import re

from firstcause.evidence.trace_build import Built, Told
from firstcause.evidence.trace_shape import Look, Shape, is_error_name
from firstcause.evidence.trace_stream import Unit

_LOOSE_LINES = 6  # unindented lines without a head that are taken as the rest of a message
_BLANKS = 2  # blank lines a message may hold in a row
_PARTS = frozenset({Look.HEADER, Look.FRAME, Look.CHAIN, Look.QUOTE, Look.FATAL})

# what begins something new where no logger's head says so:
# Process EngineCore_0:       user@host:~/work$ ls        /srv/x.py:12: FutureWarning: text        Loading shards: 25%|##
_NEWS = re.compile(
    r"Process \S+:$|Exception in |\S+@\S+[:~ ].{0,200}[$#] |[$#] |\(\w+\) |/\S+:\d+: \w*Warning|nanobind|Fatal |\*\*\* "
    r"|terminate called|Loading |Processed |Capturing |.{0,60}\d%\||usage: |HTTP/|!{4,}|-{8,}|={8,}|```"
)


def is_message(built: Built, last: Told, unit: Unit, blanks: int, following: Shape | None) -> bool:
    """Whether the unit goes on with the message of the last exception; `blanks` blank lines stand before it."""
    one = unit.shape
    if blanks > _BLANKS or one.look in _PARTS or one.depth != last.unit.shape.depth or last.full:
        return False
    if one.indent > 0 and blanks <= 1:
        return _same_record(last.unit, unit)
    if following is not None and following.look is Look.HEADER:
        return False  # what a logger says before the next traceback
    if unit.line.level:
        return _same_record(last.unit, unit)
    if blanks > built.spaced:
        return _is_unfinished(last)
    return len(last.message) < _LOOSE_LINES and not _is_news(one)


def _same_record(first: Unit, unit: Unit) -> bool:
    """A record's lines have the same time, when each repeats the head."""
    return not unit.line.level or unit.line.time == first.line.time or not _has_own_time(unit)


def _has_own_time(unit: Unit) -> bool:
    """A time of the logger itself; collectors stamp the lines of one record one after the other."""
    return unit.line.origin is not None and unit.line.origin.rpartition(":")[2].isdecimal()


def _is_unfinished(told: Told) -> bool:
    """pydantic ends its message with a link; until then blank lines belong to it."""
    text = "\n".join(told.message)
    return "validation error" in text and "For further information visit" not in text


def _is_news(one: Shape) -> bool:
    if one.look is Look.RAISED and is_error_name(one.first):
        return "." in one.first or one.first[0].isupper()  # "ncclSystemError: …" explains the exception before it
    return _NEWS.match(one.text) is not None
