"""`firstcause catalog check`: the knowledge is proved by its own examples, through the same code that reads real evidence."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from firstcause.evidence.frame_check import disproved
from firstcause.evidence.window import windows
from firstcause.knowledge.catalog import Catalog, open_catalog
from firstcause.knowledge.coverage import row_titles
from firstcause.knowledge.formats import Formats, builtin
from firstcause.knowledge.loader import BUILTIN, load_folder
from firstcause.knowledge.phases import life
from firstcause.knowledge.schema import Failure, Role, Signal
from firstcause.knowledge.templates import captured_names, problem
from firstcause.model import Diagnosis, Observation, Source
from firstcause.observe.detector import Detector, detector
from firstcause.observe.observer import Observer
from firstcause.reason.diagnose import Seen, diagnose
from firstcause.reason.findings import settled
from firstcause.reason.graph import reachable
from firstcause.report.fill import check_expression, holes

STATUSES = ("confirmed", "suspected", "ruled_out", "unknown")


def check(folders: Sequence[Path] = ()) -> list[str]:
    """Every problem of the built-in knowledge, or of the user's folders beside it; an empty list is the proof."""
    loaded = [load_folder(folder) for folder in (BUILTIN, *folders)]
    broken = [str(error) for _, errors in loaded for error in errors]
    own = loaded[-1][0]
    forms = [text for failure in own for text in _form(failure)]
    if broken or any(problem(signal) for failure in own for signal in failure.signals if not signal.metric):
        return broken + forms  # the engine cannot run on these
    catalog = open_catalog(folders)
    bench = Bench(catalog, detector(catalog), builtin())
    links = list(_links(own, catalog))
    proofs = [text for failure in own for text in (*_signals(failure, bench), *_examples(failure, bench))]
    return [*forms, *disproved(bench.formats), *links, *proofs]


@dataclass(frozen=True, slots=True)
class Bench:
    """What it takes to try a text: the same parts that read real evidence."""

    catalog: Catalog
    detector: Detector
    formats: Formats

    def observe(self, files: Mapping[str, str]) -> Observer:
        """Everything that the texts show."""
        observer = Observer(self.detector)
        for name, text in files.items():
            data = text.encode()
            for window in windows(Source(name, lambda data=data: io.BytesIO(data), len(data)), self.formats):  # type: ignore[misc]
                observer.take(window)
        observer.close(self.catalog.signals())
        return observer

    def observations(self, text: str) -> list[Observation]:
        """The recognised observations in one text."""
        return [seen for seen in self.observe({"seen": text}).observations if seen.failure]

    def diagnosis(self, files: Mapping[str, str]) -> Diagnosis:
        """What these files are diagnosed as."""
        observer = self.observe(files)
        seen = Seen(
            observer.observations, observer.starts, observer.facts, frozenset(observer.phases), (), frozenset(observer.exchanges)
        )
        return diagnose(seen, self.catalog.outlines)


def _form(failure: Failure) -> Iterator[str]:
    """Problems of one file alone: names, patterns, texts."""
    path = Path(failure.file)
    if failure.id != path.stem:
        yield f"{failure.file}: id: is {failure.id!r}; expected the file's name, {path.stem!r}"
    if failure.stack != path.parent.name:
        yield f"{failure.file}: stack: is {failure.stack!r}; expected the folder's name, {path.parent.name!r}"
    names = [signal.name for signal in failure.signals]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{failure.file}: signal: the name {name!r} is given twice"
    for name in {*failure.needs, *failure.supports, *failure.excludes} - set(names):
        yield f"{failure.file}: needs/supports/excludes: {name!r} is no signal of this file; there are {', '.join(names)}"
    for signal in failure.signals:
        yield from _signal_form(failure, signal)
    for row in set(failure.covers) - set(row_titles()):
        yield f"{failure.file}: covers: {row!r} is no row of the requirements"
    for name, expression in failure.compute.items():
        if wrong := check_expression(expression):
            yield f"{failure.file}: compute.{name}: {wrong}"
    yield from _duties(failure)
    yield from _unfilled(failure)


def _signal_form(failure: Failure, signal: Signal) -> Iterator[str]:
    where = f"{failure.file}: signal {signal.name}"
    if not signal.metric and (wrong := problem(signal)):
        yield f"{where}: {wrong}"
    if signal.metric and signal.above is None and signal.below is None:
        yield f"{where}: a metric needs a bound: above or below"
    if not signal.seen or not signal.not_seen:
        yield f"{where}: needs at least one text under seen and one under not_seen"
    known = {phase.name for phase in life().phases}
    for phase in set(signal.during) - known:
        yield f"{where}: during: {phase!r} is no phase; there are {', '.join(sorted(known))}"


def _duties(failure: Failure) -> Iterator[str]:
    if failure.role is Role.CAUSE and not failure.remedies:
        yield f"{failure.file}: remedy: a cause says what to change; at least one is expected"
    if failure.role is Role.CAUSE and not failure.examples:
        yield f"{failure.file}: example: a cause is proved by at least one example"
    if failure.role is Role.BENIGN and not failure.why:
        yield f"{failure.file}: why: a benign entry says why it is harmless"
    for example in failure.examples:
        if example.expect not in STATUSES or not example.files:
            yield f"{failure.file}: example {example.name!r}: expected one of {', '.join(STATUSES)} and at least one file"


def _unfilled(failure: Failure) -> Iterator[str]:
    """Holes in texts that a signal of the file may leave empty and that say nothing for that case."""
    certain = frozenset.intersection(*(captured_names(signal) for signal in failure.signals))
    texts = [failure.summary, *failure.avoid, *failure.check, *(part for gap in failure.gaps for part in gap)]
    for remedy in failure.remedies:
        texts += [remedy.title, remedy.cost, remedy.risk, *remedy.set.values(), *remedy.commands]
    for name in sorted({name for text in texts for name, words in holes(text) if words is None and name not in certain}):
        yield f"{failure.file}: {{{name}}}: not every signal gives this value; write {{{name}|words for when it is not known}}"


def _links(failures: Sequence[Failure], catalog: Catalog) -> Iterator[str]:
    outlines = catalog.outlines
    for failure in failures:
        for id in failure.leads_to:
            if id not in outlines:
                yield f"{failure.file}: leads_to: {id!r} is no failure"
    try:
        TopologicalSorter({id: failure.leads_to for id, failure in outlines.items()}).prepare()
    except CycleError as error:
        yield f"leads_to: goes round in a circle: {' -> '.join(error.args[1])}"
    led_to = {id for failure in outlines.values() for id in failure.leads_to}
    for failure in failures:
        if failure.role is Role.CONSEQUENCE and failure.id not in led_to:
            yield f"{failure.file}: role: is a consequence, but no failure leads to it"


def _signals(failure: Failure, bench: Bench) -> Iterator[str]:
    """Every `seen` fires its signal and no unrelated cause; no `not_seen` fires it."""
    for signal in failure.signals:
        for text in signal.seen:
            fired = settled(bench.observations(text), bench.catalog.outlines)
            if not any(o.failure == failure.id and o.signal == signal.name for o in fired):
                yield f"{failure.file}: signal {signal.name}: is not seen in its own text: {_short(text)}"
            for other in sorted({o.failure for o in fired} - {failure.id}):
                if _rivals(failure, bench.catalog.outlines[other], bench.catalog):
                    yield f"{failure.file}: signal {signal.name}: its text is also taken by {other}: {_short(text)}"
        for text in signal.not_seen:
            if any(o.failure == failure.id and o.signal == signal.name for o in bench.observations(text)):
                yield f"{failure.file}: signal {signal.name}: is seen where it must not be: {_short(text)}"


def _rivals(one: Failure, other: Failure, catalog: Catalog) -> bool:
    """Two causes that claim the same text without one leading to the other."""
    if one.role is not Role.CAUSE or other.role is not Role.CAUSE:
        return False
    outlines = catalog.outlines
    return other.id not in reachable(one.id, outlines) and one.id not in reachable(other.id, outlines)


def _examples(failure: Failure, bench: Bench) -> Iterator[str]:
    for example in failure.examples:
        diagnosis = bench.diagnosis(example.files)
        told = {
            f.failure: f.status.value
            for f in (*diagnosis.causes, *diagnosis.consequences, *diagnosis.conditions, *diagnosis.benign)
        }
        status = told.get(failure.id, "unknown")
        if example.expect in ("ruled_out", "unknown"):
            status = example.expect if status == "unknown" else status
        if status != example.expect:
            yield f"{failure.file}: example {example.name!r}: is {status}; expected {example.expect}"
        elif failure.role is Role.CAUSE and status in ("confirmed", "suspected"):
            first = diagnosis.causes[0].failure if diagnosis.causes else "none"
            if first != failure.id:
                yield f"{failure.file}: example {example.name!r}: the first cause is {first or 'an unrecognised error'}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 160 else line[:157] + "...")
