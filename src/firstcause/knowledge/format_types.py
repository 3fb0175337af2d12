"""What a log format is: an expression that reads the head of a line, its samples, and the table to find it by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

HEAD = 400  # characters a head or a tail may have: this, and not the care of authors, keeps matching linear
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True, slots=True)
class Sample:
    """A line, and what it must be read as; a field that is not stated must not be found."""

    line: str
    expected: Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write a line, or the head of one."""

    id: str
    title: str
    kind: str  # wrapper: of a collector | prefix: of the software | whole: ends the reading | suffix
    regex: re.Pattern[str]
    samples: tuple[Sample, ...]
    starts: frozenset[str] = frozenset()  # characters it can begin with; none: any
    contains: tuple[str, ...] = ()  # one of these texts is in every such line: a quick test before the expression
    order: int = 50  # lower is tried first
    indented: bool = False  # may stand behind blanks
    process: str = ""  # kind of the process that writes so, where the label does not say it
    levels: Mapping[str, str] = field(default_factory=dict)
    decode: str = ""
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    file: str = ""

    @property
    def only_level(self) -> bool:
        """Whether the head is so weak ("WARNING: ") that it counts only where no level has been read."""
        return "level" in self.regex.groupindex and not {"time", "label", "pid"} & self.regex.groupindex.keys()


@dataclass(frozen=True, slots=True)
class ProcessName:
    """Labels which one kind of process gives itself."""

    kind: str
    label: re.Pattern[str]
    samples: tuple[str, ...]
    file: str = ""


@dataclass(frozen=True)
class Formats:
    """All formats in the order in which they are tried."""

    formats: tuple[Format, ...]
    processes: tuple[ProcessName, ...] = ()

    @cached_property
    def _tables(self) -> dict[tuple[bool, bool], dict[str, tuple[Format, ...]]]:
        return {(blanks, inner): self._table(blanks, inner) for blanks in (False, True) for inner in (False, True)}

    def _table(self, blanks: bool, inner: bool) -> dict[str, tuple[Format, ...]]:
        heads = [one for one in self.formats if one.kind != "suffix" and not one.decode]
        if blanks:
            heads = [one for one in heads if one.indented]
        if inner:
            heads = [one for one in heads if one.kind != "wrapper" and not one.only_level]
        other = tuple(one for one in heads if not one.starts)
        return {"": other} | {char: _starting(heads, char) for char in map(chr, range(128))}

    def heads(self, char: str, blanks: bool, inner: bool) -> tuple[Format, ...]:
        """The formats a head can have that begins with that character, behind blanks, inside a logger's own head."""
        table = self._tables[blanks, inner]
        return table.get(char) or table[""]

    @cached_property
    def suffixes(self) -> tuple[Format, ...]:
        """The formats that read the end of a line."""
        return tuple(one for one in self.formats if one.kind == "suffix")

    @cached_property
    def decoded(self) -> dict[str, tuple[Format, ...]]:
        """The formats that need a decoder, by the line's first character."""
        data = [one for one in self.formats if one.decode]
        starts = {char for one in data for char in one.starts}
        return {char: _starting(data, char) for char in starts}

    @cached_property
    def _kinds(self) -> dict[str, str]:
        return {}

    def kind_of(self, label: str, default: str = "") -> str:
        """The kind of the process with that label."""
        known = self._kinds.get(label)
        if known is None:
            known = next((one.kind for one in self.processes if one.label.fullmatch(label)), "")
            if len(self._kinds) < 10_000:  # labels come from the evidence, which may be hostile
                self._kinds[label] = known
        return known or default or "other"


def _starting(formats: Iterable[Format], char: str) -> tuple[Format, ...]:
    return tuple(one for one in formats if not one.starts or char in one.starts)
