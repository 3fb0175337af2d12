"""Saved /metrics pages: the latest sum of each metric that a signal asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from firstcause.knowledge.schema import Signal
from firstcause.model import Line

# vllm:num_preemptions_total{engine="0",model_name="m"} 72.0
_SAMPLE = re.compile(r"([A-Za-z_:][A-Za-z0-9_:]*)(\{[^\n]*\})? ([0-9.eE+-]+|NaN|[+-]Inf)")


_COUNTED = ("_total", "_count", "_sum", "_bucket")  # counters add up over engines; of a gauge the highest counts


@dataclass(slots=True)
class Samples:
    """Per source and metric: the value of each label set (the last one wins) and the line it was first seen on."""

    values: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    lines: dict[tuple[str, str], Line] = field(default_factory=dict)

    def add(self, source: str, line: Line) -> None:
        """Take the sample of a line, if it is one."""
        match = _SAMPLE.match(line.text)
        if match is None:
            return
        key = (source, match[1])
        try:
            value = float(match[3])
        except ValueError:
            return  # "1.2.3", "--": shaped like a number only
        self.values.setdefault(key, {})[match[2] or ""] = value
        self.lines.setdefault(key, line)

    def sources(self) -> list[str]:
        """All sources that hold samples, in the order in which they were read."""
        return list(dict.fromkeys(source for source, _ in self.values))

    def judge(self, signal: Signal, source: str) -> tuple[float, Line] | None:
        """The signal's value in a source if it is beyond its bound, with the line that shows it."""
        total = self._sum(source, signal.metric)
        if total is None:
            return None
        if signal.per:
            base = self._sum(source, signal.per)
            if not base:
                return None
            total /= base
        beyond = (signal.above is not None and total > signal.above) or (signal.below is not None and total < signal.below)
        return (total, self.lines[source, signal.metric]) if beyond else None

    def _sum(self, source: str, metric: str) -> float | None:
        values = self.values.get((source, metric))
        if not values:
            return None
        return sum(values.values()) if metric.endswith(_COUNTED) else max(values.values())
