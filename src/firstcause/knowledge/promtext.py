"""How a signal names a metric: `vllm:num_requests_waiting`, or some series of it.

Some series: `vllm:engine_sleep_state{sleep_state="awake"}`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

COUNTED = ("_total", "_count", "_sum", "_bucket")  # what only grows, by the conventions of Prometheus
_SERIES = re.compile(r"([A-Za-z_:][A-Za-z0-9_:]*)(?:\{((?:[a-z_][a-z0-9_]*=\"[^\"{}\n]*\",?)+)\})?")
_LABEL = re.compile(r"[a-z_][a-z0-9_]*=\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class Series:
    """A metric and the labels that a series must have, as they are written."""

    metric: str
    labels: tuple[str, ...] = ()

    @property
    def counted(self) -> bool:
        """Whether it is a counter: values add up over engines, and their growth tells what happened."""
        return self.metric.endswith(COUNTED)


@cache
def series(text: str) -> Series:
    """What the text names. Raises ValueError for anything else."""
    match = _SERIES.fullmatch(text)
    if match is None:
        raise ValueError(f'{text!r} is no metric; expected a name, or name{{label="value"}}')
    return Series(match[1], tuple(_LABEL.findall(match[2] or "")))
