"""The words of firstcause as frozen data: nothing else travels between the stages.

Source -> Window -> Line, Trace, Record -> Observation -> Finding -> Diagnosis. A Gap says what could not be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import BinaryIO, Protocol

Value = str | int | float


class Status(StrEnum):
    """How sure a finding is, from the evidence alone."""

    CONFIRMED = "confirmed"
    SUSPECTED = "suspected"
    RULED_OUT = "ruled_out"
    UNKNOWN = "unknown"


class Verdict(StrEnum):
    """What the whole evidence says."""

    FAILURE = "failure"
    DEGRADED = "degraded"
    HEALTHY = "healthy"
    NOT_IN_EVIDENCE = "not-in-evidence"


@dataclass(frozen=True, slots=True)
class Gap:
    """Evidence that is missing or unreadable: what, why, and how to get it."""

    what: str
    why: str
    how: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A place evidence comes from; `open` gives its decompressed bytes from the start, as often as it is called."""

    name: str
    open: Callable[[], BinaryIO] = field(compare=False)
    size: int | None = None  # bytes, where known before reading


@dataclass(frozen=True, slots=True)
class Process:
    """The process that wrote a line, as far as the line says it."""

    kind: str  # api-server | engine-core | worker | ray-worker | client | server | kernel | other
    label: str  # as written: "EngineCore_DP0", "Worker_TP3", "rank0"
    pid: int | None = None
    host: str | None = None  # container, pod, node or address the wrapper names

    @property
    def depth(self) -> int:
        """How near to the hardware: a deeper process fails first, the shallower ones tell it on."""
        return {"kernel": 4, "worker": 3, "ray-worker": 3, "engine-core": 2, "api-server": 1}.get(self.kind, 0)

    def __str__(self) -> str:
        """The label with its pid, as a person would say it."""
        return f"{self.label} pid={self.pid}" if self.pid is not None else self.label


MEASURED = "firstcause: "  # begins a line of evidence that firstcause measured itself, on a running part


@dataclass(frozen=True, slots=True)
class Line:
    """One physical line, framed: wrappers and prefixes are taken off `message` and kept as fields."""

    number: int  # from 1, counted by "\n"
    offset: int  # of the first byte in the source's decompressed bytes
    text: str  # the whole line without colours and control characters
    message: str  # what is left after all wrappers and prefixes, indentation kept
    process: Process | None = None
    level: str | None = None  # DEBUG | INFO | WARNING | ERROR | CRITICAL
    time: str | None = None  # as written
    origin: str | None = None  # "core.py:842"
    host: str | None = None  # what a collector put before the line: container, pod, node, file


@dataclass(frozen=True, slots=True)
class Raised:
    """One exception of a chain, as its last line tells it."""

    type: str  # "torch.OutOfMemoryError"; last component is the class
    message: str
    line: Line
    frames: tuple[tuple[str, str], ...] = ()  # (file, function), outermost first
    index: int = 0  # position in the chain, 0 = raised first


@dataclass(frozen=True, slots=True)
class Trace:
    """A whole traceback of one process, chained exceptions in the order in which they were raised."""

    raised: tuple[Raised, ...]
    lines: tuple[Line, ...] = ()

    @property
    def frames(self) -> tuple[tuple[str, str], ...]:
        """All frames of all exceptions of the chain, in order."""
        return tuple(frame for one in self.raised for frame in one.frames)


@dataclass(frozen=True, slots=True)
class Record:
    """One logical entry of a source: the line that was hit, with the traceback it belongs to, if any."""

    source: str
    line: Line
    trace: Trace | None = None
    raised: Raised | None = None  # the exception whose last line (or message) this is
    quoted_code: bool = False  # the line is a source line inside a traceback, not output
    status: Line | None = None  # the status line of the HTTP answer whose body this is

    @property
    def order(self) -> tuple[str, int]:
        """Place in the evidence; comparable within one source."""
        return self.source, self.line.number


class Window(Protocol):
    """A stretch of one source in memory. `new` is scanned once; records are built only around hits."""

    source: Source
    base: int
    fresh: int

    @property
    def new(self) -> memoryview:
        """The bytes that no window before held; they start at `base + fresh` of the source."""

    @property
    def settled(self) -> int:
        """Offset in the source before which hits have all the context that they will get."""

    def line_at(self, offset: int) -> Line:
        """The framed line around the byte at `offset` of the source."""

    def end_of_line(self, offset: int) -> int:
        """Offset in the source just after the line around `offset`."""

    def text_at(self, offset: int) -> str:
        """The part of the line around `offset` that a pattern is tried on, as written."""

    def record_at(self, offset: int, with_trace: bool = True) -> Record:
        """The record around the byte at `offset` of the source."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A signal seen in a record, with the captured values."""

    failure: str  # id; "" for an exception that the knowledge does not name
    signal: str
    record: Record
    values: Mapping[str, Value]
    order: int  # position over all sources read
    sure: bool = True
    phase: str | None = None  # where in its life the server was: load, profile, graph-capture, serving, ...
    incident: int = 0
    count: int = 1  # how often this signal was seen in this process


@dataclass(frozen=True, slots=True)
class Finding:
    """A failure met in this evidence."""

    failure: str
    status: Status
    observations: tuple[Observation, ...]  # [0] states it best
    values: Mapping[str, Value]
    explained_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Incident:
    """One run of one server, or one outage."""

    number: int
    source: str
    first_line: int
    verdict: Verdict
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All findings of the incident that is told, linked."""

    verdict: Verdict
    causes: tuple[Finding, ...] = ()
    consequences: tuple[Finding, ...] = ()
    conditions: tuple[Finding, ...] = ()
    benign: tuple[Finding, ...] = ()
    gaps: tuple[Gap, ...] = ()
    incidents: tuple[Incident, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)  # versions and the like: "vllm" -> "0.32.0"
