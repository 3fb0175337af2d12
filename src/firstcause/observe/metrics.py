"""Pages of /metrics: what a signal asks of one scrape, or of several of the same server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from firstcause.knowledge.promtext import Series, series
from firstcause.knowledge.schema import Signal
from firstcause.model import Line

# vllm:num_preemptions_total{engine="0",model_name="m"} 72.0
_SAMPLE = re.compile(r"([A-Za-z_:][A-Za-z0-9_:]*)(\{[^\n]*\})? ([0-9.eE+-]+|NaN|[+-]Inf)(?=\s|$)")
# firstcause: scraped http://host:8000/metrics at 1765000000.5
_MARK = re.compile(r"firstcause: scraped \S+ at ([0-9.]+)")
SCRAPED = "firstcause: scraped "


@dataclass(slots=True)
class Scrape:
    """One page: the value of each label set of each metric, and when it was fetched (seconds since 1970; None: unknown)."""

    at: float | None = None
    values: dict[str, dict[str, float]] = field(default_factory=dict)

    def of(self, wanted: Series) -> dict[str, float]:
        """The values of the label sets that hold the wanted labels."""
        found = self.values.get(wanted.metric, {})
        return {labels: value for labels, value in found.items() if all(label in labels for label in wanted.labels)}


@dataclass(slots=True)
class Samples:
    """The scrapes of each source, in the order in which they were read."""

    scrapes: dict[str, list[Scrape]] = field(default_factory=dict)
    lines: dict[tuple[str, str, str], Line] = field(default_factory=dict)  # where each label set was seen last

    def add(self, source: str, line: Line) -> None:
        """Take the sample, or the beginning of a new scrape, that a line holds; of two values of one scrape the last counts."""
        if mark := _MARK.match(line.message):
            self.scrapes.setdefault(source, []).append(Scrape(float(mark[1])))
            return
        match = _SAMPLE.match(line.text)
        if match is None:
            return
        try:
            value = float(match[3])
        except ValueError:
            return  # "1.2.3", "--": shaped like a number only
        scrapes = self.scrapes.setdefault(source, [])
        if not scrapes:
            scrapes.append(Scrape())
        scrapes[-1].values.setdefault(match[1], {})[match[2] or ""] = value
        self.lines[source, match[1], match[2] or ""] = line

    def sources(self) -> list[str]:
        """All sources that hold samples, in the order in which they were read."""
        return [source for source, scrapes in self.scrapes.items() if any(scrape.values for scrape in scrapes)]

    def judge(self, signal: Signal, source: str) -> tuple[float, Line] | None:
        """The signal's value in a source if it is beyond its bound, with the line that shows it."""
        wanted = series(signal.metric)
        values = [value for value in _judged(signal, [s for s in self.scrapes[source] if s.values]) if value is not None]
        if not values or not all(_beyond(signal, value) for value in values):
            return None
        return values[-1], self._line(signal, source, wanted)

    def _line(self, signal: Signal, source: str, wanted: Series) -> Line:
        """The line of the label set that carries most of the value."""
        latest = next(found for scrape in reversed(self.scrapes[source]) if (found := scrape.of(wanted)))
        worst = max if signal.above is not None else min
        return self.lines[source, wanted.metric, worst(latest, key=lambda labels: latest[labels])]


def _beyond(signal: Signal, value: float) -> bool:
    return (signal.above is not None and value > signal.above) or (signal.below is not None and value < signal.below)


def _judged(signal: Signal, scrapes: list[Scrape]) -> Iterator[float | None]:
    """The values that must all be beyond the bound: of a gauge one per scrape, of a counter the one over all of them."""
    wanted = series(signal.metric)
    if signal.per:
        yield _ratio(signal, scrapes)
    elif wanted.counted:
        yield _counted(signal, scrapes)
    else:
        worst = max if signal.above is not None else min
        for scrape in scrapes:
            found = scrape.of(wanted)
            yield worst(found.values()) if found else None


def _counted(signal: Signal, scrapes: list[Scrape]) -> float | None:
    """A counter: its total in one scrape, its growth over several; `over` asks for growth only."""
    wanted = series(signal.metric)
    if not signal.over:
        return _growth(wanted, scrapes) if len(scrapes) > 1 else _total(wanted, scrapes)
    grown = _growth(wanted, scrapes)
    if grown is None or signal.over == "increase":
        return grown
    first, last = scrapes[0].at, scrapes[-1].at
    return grown / (last - first) if first is not None and last is not None and last > first else None


def _ratio(signal: Signal, scrapes: list[Scrape]) -> float | None:
    """One counter per other: of what came between the scrapes if that is enough to judge by, else since the server's start."""
    wanted, base = series(signal.metric), series(signal.per)
    for value in (_growth, _total) if len(scrapes) > 1 else (_total,):
        whole, part = value(base, scrapes), value(wanted, scrapes)
        if part is not None and whole and whole >= signal.least:
            return part / whole
    return None


def _total(wanted: Series, scrapes: list[Scrape]) -> float | None:
    found = scrapes[-1].of(wanted) if scrapes else {}
    if not found:
        return None
    return sum(found.values()) if wanted.counted else max(found.values())


def _growth(wanted: Series, scrapes: list[Scrape]) -> float | None:
    """How much was counted between the first and the last scrape, over all label sets; a counter that fell began anew."""
    if len(scrapes) < 2:
        return None
    before: Mapping[str, float] = scrapes[0].of(wanted)
    after = scrapes[-1].of(wanted)
    if not after:
        return None
    return sum(value - before.get(labels, 0.0) if value >= before.get(labels, 0.0) else value for labels, value in after.items())
