"""All patterns as one Hyperscan database: one pass over the bytes finds every place worth reading."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import hyperscan

from firstcause.knowledge.catalog import Catalog, read_cache, write_cache
from firstcause.knowledge.phases import life
from firstcause.knowledge.promtext import series
from firstcause.knowledge.schema import Role, Signal
from firstcause.knowledge.templates import find_expression
from firstcause.observe.facts import MARKS
from firstcause.observe.metrics import SCRAPED


class Kind(StrEnum):
    """What a pattern is there for."""

    SIGNAL = "signal"
    METRIC = "metric"
    PHASE = "phase"
    BANNER = "banner"
    FACT = "fact"
    EXCHANGE = "exchange"  # the status line of a saved HTTP answer
    EXCEPTION = "exception"  # some exception's last line, named by the knowledge or not
    CRASH = "crash"  # the runtime or the kernel ends a process
    ERROR = "error"  # a line of level ERROR or above
    BODY = "body"  # an error object in an HTTP answer
    EVENT = "event"  # a Kubernetes event of type Warning, as `kubectl` prints it
    TROUBLE = "trouble"  # a line without level that says something did not work


# What every software writes when it fails; catches what the knowledge does not name yet.
GENERIC: tuple[tuple[Kind, bytes], ...] = (
    (
        Kind.EXCEPTION,
        rb"[A-Za-z_](?:Error|Exception|Interrupt|Timeout|Expired|OutOfMemory)(?:_[A-Za-z]+)?(?::[ \r\n]|\r?\n)",
    ),
    (Kind.EXCHANGE, rb"HTTP/[12](?:\.[01])? [1-5][0-9][0-9][ \r\n]"),
    (Kind.CRASH, rb"Fatal Python error: "),
    (Kind.CRASH, rb"Segmentation fault|[Bb]us error|Illegal instruction|\(core dumped\)|SIGABRT|SIGSEGV|SIGBUS"),
    (Kind.CRASH, rb"terminate called after throwing|thread '[^'\n]*' panicked at |panic: |Assertion `[^\n]*' failed"),
    (Kind.ERROR, rb"(?:ERROR|CRITICAL|FATAL|Error:|error:|fatal:|NCCL WARN|level=error|level=fatal)"),
    (Kind.ERROR, rb'"(?:level|levelname|severity)": ?"(?:error|fatal|ERROR|CRITICAL)'),
    (Kind.BODY, rb'"error": ?[{"]|"object": ?"error"'),
    (Kind.EVENT, rb"Warning[ \t]+[A-Z][A-Za-z]+[ \t]"),
    (
        Kind.TROUBLE,
        rb"[Ff]ailed |[Cc]annot |[Cc]an't |[Cc]ould not |[Nn]ot found|[Rr]efused|[Dd]enied|[Tt]imed out|[Nn]o such|[Uu]nable to",
    ),
)


_ENTRY_BITS = 20
_ENTRY_MASK = (1 << _ENTRY_BITS) - 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One pattern of the database and what a hit on it means."""

    kind: Kind
    expression: bytes
    failure: str = ""
    signal: Signal | None = None
    name: str = ""
    grave: bool = False  # a hit means that this run has failed
    once: bool = False  # reported once per scan: enough for what comes again and again


@dataclass(slots=True)
class Detector:
    """The compiled database with the meaning of each pattern id."""

    entries: tuple[Entry, ...]
    database: hyperscan.Database = field(repr=False)

    def scan(self, data: memoryview, first: int, hits: array[int]) -> None:
        """Add every match to `hits`, in order of its end, counted from `first`; eight bytes each, for there may be millions."""

        def on_match(id: int, start: int, end: int, flags: int, context: object) -> None:
            hits.append((first + end) << _ENTRY_BITS | id)

        self.database.scan(data, match_event_handler=on_match)  # type: ignore[type-var]


def unpacked(hit: int) -> tuple[int, int]:
    """The offset and the entry number of a hit."""
    return hit >> _ENTRY_BITS, hit & _ENTRY_MASK


def detector(catalog: Catalog) -> Detector:
    """The detector for a catalog; compiled once, then loaded from the cache."""
    entries = tuple(_entries(catalog))
    name = f"patterns-{catalog.key}.hs"
    database = _load(name)
    if database is None:
        database = compile_database([entry.expression for entry in entries], [entry.once for entry in entries])
        write_cache(name, hyperscan.dumpb(database))
    return Detector(entries, database)


def compile_database(expressions: Sequence[bytes], once: Sequence[bool] = ()) -> hyperscan.Database:
    """One block-mode database in which an expression's id is its position."""
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=list(expressions),
        ids=list(range(len(expressions))),
        elements=len(expressions),
        flags=[_flags(single) for single in once or [False] * len(expressions)],
    )
    return database


def _flags(once: bool) -> int:
    """`^` and `$` stand for the ends of a line, as whoever writes a pattern means them."""
    return int(hyperscan.HS_FLAG_MULTILINE | (hyperscan.HS_FLAG_SINGLEMATCH if once else 0))


def _entries(catalog: Catalog) -> list[Entry]:
    signals = catalog.signals()
    grave = {id for id, failure in catalog.outlines.items() if failure.role in (Role.CAUSE, Role.CONSEQUENCE)}
    entries = [
        Entry(Kind.SIGNAL, find_expression(signal), id, signal, grave=id in grave) for id, signal in signals if not signal.metric
    ]
    metrics = {series(name).metric for _, signal in signals for name in (signal.metric, signal.per) if name}
    entries += [Entry(Kind.METRIC, _metric_expression(name), name=name) for name in sorted(metrics)]
    entries.append(Entry(Kind.METRIC, SCRAPED.encode()))
    stages = life()
    for phase in stages.phases:
        entries += [Entry(Kind.PHASE, _template(text), name=phase.name) for text in phase.lines]
        entries += [Entry(Kind.PHASE, _template(text), name=phase.name, once=True) for text in phase.often]
    entries += [Entry(Kind.BANNER, _template(text)) for text in stages.banners]
    entries += [Entry(Kind.FACT, expression, name=name) for name, expression in MARKS.items()]
    entries += [Entry(kind, found, grave=kind in (Kind.EXCEPTION, Kind.CRASH)) for kind, found in GENERIC]
    return entries


def _template(text: str) -> bytes:
    return find_expression(Signal("mark", text=text))


def _metric_expression(name: str) -> bytes:
    return name.encode() + rb"(?:\{[^\n]*\})? [0-9.eE+NaInf-]"


def _load(name: str) -> hyperscan.Database | None:
    data = read_cache(name)
    if data is None:
        return None
    try:
        database = hyperscan.loadb(data, hyperscan.HS_MODE_BLOCK)
        database.scratch = hyperscan.Scratch(database)
    except hyperscan.HyperscanError:
        return None  # from another processor or release: compile anew
    return database
