"""One physical line -> Line: wrappers of collectors and prefixes of loggers become fields, the rest is the message."""

from __future__ import annotations

from collections.abc import Mapping

from firstcause.evidence.frame_clean import clean, clean_text
from firstcause.evidence.frame_decode import decode
from firstcause.knowledge.formats import HEAD, LEVELS, Format, Formats
from firstcause.model import Line, Process

_BLANKS = frozenset(("", " ", "\t"))
_ROUNDS = 10  # heads in front of one message; more are not written by anything
_DEPTH = 3  # JSON in JSON in JSON
_MAX_INNER = 400  # lines of one decoded message
_LEVEL_NAMES = {
    **{name: name for name in LEVELS},
    "D": "DEBUG", "I": "INFO", "W": "WARNING", "E": "ERROR", "F": "CRITICAL", "C": "CRITICAL",
    "TRACE": "DEBUG", "VERBOSE": "DEBUG", "NOTICE": "INFO", "SUCCESS": "INFO", "INFORMATION": "INFO",
    "WARN": "WARNING", "ERR": "ERROR", "EVENT": "INFO",
    "FATAL": "CRITICAL", "CRIT": "CRITICAL", "PANIC": "CRITICAL", "DPANIC": "CRITICAL", "EMERG": "CRITICAL",
    "EMERGENCY": "CRITICAL", "ALERT": "CRITICAL",
}  # fmt: skip


def frame(raw: bytes, number: int, offset: int, formats: Formats) -> Line:
    """The line at that place of its source. Never raises; linear in the first 16 kB, the rest is not looked at."""
    text = clean(raw)
    found = _Found(formats)
    message = _inside(text, found, _DEPTH)
    return Line(
        number, offset, text, message, found.process(), found.level, found.time, found.origin, found.host
    )  # fmt: skip


class _Found:
    """What the heads of one line have told so far; the innermost head is the nearest to the writer and wins."""

    __slots__ = ("address", "formats", "host", "kind", "label", "level", "logger", "origin", "pid", "time", "whole")

    def __init__(self, formats: Formats) -> None:
        self.formats = formats
        self.label: str | None = None
        self.pid: str | None = None
        self.address: str | None = None
        self.kind = ""
        self.level: str | None = None
        self.time: str | None = None
        self.origin: str | None = None
        self.host: str | None = None
        self.whole = False  # nothing behind this head is a head
        self.logger = False  # a prefix of the software itself has told the level

    def take(self, one: Format, fields: Mapping[str, str | None]) -> None:
        self.whole = one.kind == "whole" and not one.decode
        for name in ("time", "origin", "host"):
            if value := fields.get(name):
                setattr(self, name, value.strip())
        if level := fields.get("level"):
            self.level = _level(one, level.strip()) or self.level
            self.logger = self.logger or one.kind == "prefix"
        if fields.get("label") or fields.get("pid") or one.process:
            self._take_process(one, fields)

    def _take_process(self, one: Format, fields: Mapping[str, str | None]) -> None:
        if self.pid and not fields.get("pid"):
            return  # "[rank3]:" behind "(RayWorkerWrapper pid=7)" says less
        self.label = (fields.get("label") or one.process or self.label or "process").strip()
        self.pid, self.kind = fields.get("pid"), one.process
        self.address = fields.get("address") or self.address

    def process(self) -> Process | None:
        if self.label is None:
            return None
        pid = int(self.pid) if self.pid and self.pid.isdecimal() else None
        return Process(self.formats.kind_of(self.label, self.kind), self.label, pid, self.address or self.host)


def _level(one: Format, name: str) -> str | None:
    return one.levels.get(name) or one.levels.get(name.upper()) or _LEVEL_NAMES.get(name.upper())


def _inside(text: str, found: _Found, depth: int) -> str:
    """The message inside all heads and data formats."""
    decoded = decode(text, found.formats)
    if decoded is None:
        message = _without_heads(text, found)
        decoded = decode(message, found.formats) if len(message) < len(text) else None
        if decoded is None:
            return message
    one, fields = decoded
    found.take(one, {key: value for key, value in fields.items() if key != "message"})
    first, *others = clean_text(fields["message"]).split("\n")[:_MAX_INNER]
    first = _inside(first, found, depth - 1) if depth else first
    # a record of several lines repeats its prefix on each of them
    return "\n".join([first, *(_without_heads(other, _Found(found.formats)) for other in others)])


def _without_heads(text: str, found: _Found) -> str:
    position = 0
    for _ in range(_ROUNDS):
        step = _next_head(text, position, found)
        if step is None:
            break
        position = step
        if found.whole:
            break
    return _without_tail(text[position:], found.formats)


def _next_head(text: str, position: int, found: _Found) -> int | None:
    """Where the text goes on behind the head that stands at the position, or None where none stands there."""
    start = position
    char = text[start : start + 1]
    if char in _BLANKS:
        rest = text[position : position + HEAD]
        start += len(rest) - len(rest.lstrip())
        char = text[start : start + 1]
        if not char:
            return None
    for one in found.formats.heads(char, start > position, found.logger):
        if one.contains and not _holds(text, one.contains):
            continue
        match = one.regex.match(text, start, start + HEAD)
        if match is not None and match.end() > start:
            found.take(one, match.groupdict())
            return match.end()
    return None


def _holds(text: str, parts: tuple[str, ...]) -> bool:
    return any([part in text for part in parts])  # a list: for one or two parts faster than a generator


def _without_tail(text: str, formats: Formats) -> str:
    if text[-1:] not in (")", "]"):
        return text
    for one in formats.suffixes:
        match = one.regex.search(text, max(0, len(text) - HEAD))
        if match is not None:
            return text[: match.start()]
    return text
