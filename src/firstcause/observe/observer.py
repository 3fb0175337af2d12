"""Windows -> observations. Python runs only around hits; a pattern that hits a million times keeps the first ones and a count."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from firstcause.knowledge.phases import frame_matches, life
from firstcause.knowledge.schema import Signal
from firstcause.knowledge.templates import capture
from firstcause.model import Line, Observation, Record, Value, Window
from firstcause.observe.detector import Detector, Entry, Kind, unpacked
from firstcause.observe.facts import facts_in
from firstcause.observe.generic import unnamed
from firstcause.observe.metrics import Samples

KEEP = {
    Kind.EXCEPTION: 48,
    Kind.ERROR: 32,
    Kind.BANNER: 1 << 60,
    Kind.METRIC: 4096,
    Kind.FACT: 1 << 60,
}  # records built per pattern and incident
KEEP_SIGNAL = 12
TRIES = 512  # hits of one signal looked at in one incident, kept or not
INCIDENTS = 32  # whose observations are kept, at least; of earlier ones only the number
MOST_FACTS = 500  # of one incident; an engine has some two hundred arguments
QUIET = ("INFO", "DEBUG")
HEADERS = 40  # lines between a status line and its body


@dataclass(slots=True)
class Run:
    """What is known while one source is read."""

    source: str
    incident: int = 0
    phase: str | None = None
    failed: bool = False  # something other than noise was seen since the incident began
    status: Line | None = None  # the last status line of a saved HTTP answer
    begun: bool = False  # a start banner was seen
    counts: dict[int, int] = field(default_factory=dict)  # kept, of a signal; looked at, of anything else
    tries: dict[int, int] = field(default_factory=dict)
    spent: set[int] = field(default_factory=set)  # patterns of which enough was seen in this incident
    line_ends: dict[int, int] = field(default_factory=dict)
    waiting: array[int] = field(default_factory=lambda: array("Q"))  # hits, packed; those without enough context stay


@dataclass(slots=True)
class Observer:
    """Collects the observations of all sources, in the order in which they were read."""

    detector: Detector
    observations: list[Observation] = field(default_factory=list)
    facts: dict[tuple[str, int], dict[str, str]] = field(default_factory=dict)  # per (source, incident)
    starts: list[tuple[str, int, int]] = field(default_factory=list)  # (source, incident, first line)
    phases: set[str] = field(default_factory=set)
    exchanges: set[str] = field(default_factory=set)  # sources that hold a saved HTTP answer
    samples: Samples = field(default_factory=Samples)
    _run: Run = field(default_factory=lambda: Run(""))
    _order: int = 0

    def take(self, window: Window) -> None:
        """Scan the new bytes of a window and turn what is settled into observations."""
        if self._run.source != window.source.name:
            self._run = Run(window.source.name)
            self.starts.append((window.source.name, 0, 1))
        with window.new as data:
            self.detector.scan(data, window.base + window.fresh - 1, self._run.waiting)
        self.settle(window)

    def settle(self, window: Window) -> None:
        """Turn the hits that have their context into observations; after an error, called again, it goes on behind it."""
        run = self._run
        settled = window.settled
        done = 0
        try:
            for hit in run.waiting:
                offset, number = unpacked(hit)
                if offset >= settled:
                    break
                done += 1
                if number not in run.spent:
                    self._hit(window, offset, number)
        finally:
            del run.waiting[:done]

    def close(self, signals: Sequence[tuple[str, Signal]]) -> None:
        """All sources are read: judge what needs the whole, the metrics."""
        for source in self.samples.sources():
            self.phases.add("metrics")
            incident = max(incident for name, incident, _ in self.starts if name == source)
            for failure, signal in signals:
                judged = self.samples.judge(signal, source) if signal.metric else None
                if judged is not None:
                    self._order += 1
                    record = Record(source, judged[1])
                    values = {"value": judged[0]}
                    self.observations.append(
                        Observation(failure, signal.name, record, values, self._order, signal.sure, None, incident)
                    )

    def _hit(self, window: Window, offset: int, number: int) -> None:
        run = self._run
        entry = self.detector.entries[number]
        if entry.kind is Kind.PHASE:  # by far the most frequent: a line of statistics every few seconds
            self._enter(entry.name)
            return
        if offset <= run.line_ends.get(number, -1):
            return  # the same line again
        run.line_ends[number] = window.end_of_line(offset)
        self._order += 1
        kept = self._read(window, offset, entry)
        run.tries[number] = run.tries.get(number, 0) + 1
        run.counts[number] = run.counts.get(number, 0) + kept
        if run.counts[number] >= KEEP.get(entry.kind, KEEP_SIGNAL) or run.tries[number] >= TRIES * KEEP.get(entry.kind, 1):
            run.spent.add(number)

    def _read(self, window: Window, offset: int, entry: Entry) -> bool:
        """Act on a hit; whether it counts towards what is kept of its pattern."""
        match entry.kind:
            case Kind.BANNER:
                self._begin(window.line_at(offset).number)
            case Kind.FACT:
                facts = self.facts.setdefault((self._run.source, self._run.incident), {})
                found = facts_in(entry.name, window.line_at(offset).text)
                facts.update(list(found.items())[: max(0, MOST_FACTS - len(facts))])
            case Kind.EXCHANGE:
                self.exchanges.add(self._run.source)
                self._run.status = window.line_at(offset)
            case Kind.METRIC:
                self.samples.add(self._run.source, window.line_at(offset))
            case Kind.SIGNAL:
                return self._signal(window, offset, entry)
            case _:
                self._generic(window, offset, entry)
        return True

    def _enter(self, phase: str) -> None:
        """The server enters a phase; a stop after a failure is part of the failure."""
        if not (phase == "shutdown" and self._run.failed):
            self._run.phase = phase
        self.phases.add(phase)

    def _begin(self, line: int) -> None:
        """A banner: a new incident, if the one before got anywhere."""
        run = self._run
        early = run.phase in (None, "config") and not (run.begun and run.failed)
        run.begun = True
        if early:
            return  # the same start: several processes print a banner, and imports may complain before it
        run.incident += 1
        run.phase, run.failed = None, False
        run.counts.clear()
        run.tries.clear()
        run.spent.clear()
        self.starts.append((run.source, run.incident, line))
        if run.incident % INCIDENTS == 0:
            self._forget(run.source, run.incident - INCIDENTS)

    def _forget(self, source: str, until: int) -> None:
        """Drop what was seen in the incidents of a source up to that one: memory does not grow with the restarts."""
        self.observations = [o for o in self.observations if o.record.source != source or o.incident > until]
        self.facts = {key: facts for key, facts in self.facts.items() if key[0] != source or key[1] > until}

    def _signal(self, window: Window, offset: int, entry: Entry) -> bool:
        """Test the signal at a hit; whether it is really seen there."""
        signal = entry.signal
        assert signal is not None
        values = _captured(signal, window, offset)
        if values is None:
            return False
        line = window.line_at(offset)
        if signal.process and line.process and line.process.kind not in (*signal.process, "other"):
            return False
        record = window.record_at(offset, with_trace=line.level not in QUIET)
        phase = self._phase(record)
        if not _stands(signal, record, phase):
            return False
        if signal.code:
            quoted = _quoted(signal, record)
            if quoted is None:
                return False
            values = {**quoted, **values}
        self._keep(entry, Observation(entry.failure, signal.name, record, values, self._order, signal.sure, phase))
        return True

    def _generic(self, window: Window, offset: int, entry: Entry) -> None:
        line = window.line_at(offset)
        if line.level in QUIET:
            return
        found = unnamed(entry.kind, window.record_at(offset))
        if found is not None:
            record, values = found
            self._keep(entry, Observation("", entry.kind.value, record, values, self._order, False, self._phase(record)))

    def _keep(self, entry: Entry, observation: Observation) -> None:
        run = self._run
        loud = observation.record.line.level not in QUIET
        run.failed = run.failed or (entry.grave and loud and run.phase != "shutdown")
        self.observations.append(replace(observation, record=self._answered(observation.record), incident=run.incident))

    def _answered(self, record: Record) -> Record:
        """The record with the status line before it, where it is the body of a saved HTTP answer."""
        status = self._run.status
        if status is None or not record.line.message.lstrip().startswith("{"):
            return record
        return replace(record, status=status) if 0 < record.line.number - status.number <= HEADERS else record

    def _phase(self, record: Record) -> str | None:
        proved = life().of_frames(record.trace.frames) if record.trace else None
        if self._run.phase == "shutdown":
            return "shutdown"
        return proved or self._run.phase


def _captured(signal: Signal, window: Window, offset: int) -> Mapping[str, Value] | None:
    """The values of the signal in the line as written, or in what is left of it without wrappers."""
    values = capture(signal, window.text_at(offset))
    return values if values is not None else capture(signal, window.line_at(offset).message)


def _quoted(signal: Signal, record: Record) -> Mapping[str, Value] | None:
    """The values of the line of code in the record's traceback that the signal asks for."""
    code = Signal(signal.name, text=signal.code)
    found = (capture(code, line.message) for line in (record.trace.lines if record.trace else ()))
    return next((values for values in found if values is not None), None)


def _stands(signal: Signal, record: Record, phase: str | None) -> bool:
    """Whether the record fulfils what the signal asks of traceback and phase."""
    frames = record.trace.frames if record.trace else ()
    if signal.not_trace and _has_frame(signal.not_trace, frames):
        return False
    if signal.trace and not _has_frame(signal.trace, frames):
        return False
    return not signal.during or phase in signal.during


def _has_frame(wanted: tuple[str, ...], frames: tuple[tuple[str, str], ...]) -> bool:
    return any(frame_matches(one, file, function) for one in wanted for file, function in frames)
