"""Signals on metrics: what one scrape says, what two say, and what says nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from firstcause.knowledge.schema import Failure, Remedy, Role, Signal

BUSY = Signal("busy", metric="acme:busy", above=10)
LOST = Signal("lost", metric="acme:lost_total", above=0)
FAST = Signal("fast", metric="acme:lost_total", above=2, over="rate")
SHARE = Signal("share", metric="acme:hits_total", per="acme:asked_total", least=100, below=0.1)
SOME = Signal("some", metric='acme:done_total{reason="error"}', per="acme:done_total", least=10, above=0.5)


def seen(lab: Callable[..., Any], signal: Signal, *pages: str) -> bool:
    """Whether a signal is seen in pages of metrics fetched ten seconds apart (one page: as a person saves it)."""
    sick = Failure("sick", "sick", "vllm", "serving", Role.CONDITION, "", (signal,), remedies=(Remedy("mend it"),))
    marks = [f"firstcause: scraped http://127.0.0.1:8000/metrics at {moment}\n" for moment in (100.0, 110.0, 120.0)]
    text = "".join(mark + page for mark, page in zip(marks, pages, strict=False)) if len(pages) > 1 else pages[0]
    return bool(lab(sick).diagnose(text).conditions)


@pytest.mark.parametrize(
    ("signal", "pages", "expected"),
    [
        (BUSY, ['acme:busy{engine="0"} 11\n'], True),
        (BUSY, ['acme:busy{engine="0"} 10\n'], False),
        (BUSY, ['acme:busy{engine="0"} 3\nacme:busy{engine="1"} 30\n'], True),  # the worst series counts
        (BUSY, ["acme:busy 11\n", "acme:busy 3\n"], False),  # a gauge must be beyond its bound in every scrape
        (BUSY, ["acme:busy 11\n", "acme:busy 30\n"], True),
        (BUSY, ["acme:busy NaN\n"], False),
        (LOST, ["acme:lost_total 5\n"], True),
        (LOST, ["acme:lost_total 5\n", "acme:lost_total 5\n"], False),  # what is over is over
        (LOST, ["acme:lost_total 5\n", "acme:lost_total 6\n"], True),
        (LOST, ["acme:lost_total 5\n", "acme:lost_total 2\n"], True),  # began anew, and counted two since
        (FAST, ["acme:lost_total 500\n"], False),  # one scrape has no rate
        (FAST, ["acme:lost_total 500\n", "acme:lost_total 519\n"], False),  # 1.9 per second
        (FAST, ["acme:lost_total 500\n", "acme:lost_total 521\n"], True),
        (SHARE, ["acme:hits_total 1\nacme:asked_total 1000\n"], True),
        (SHARE, ["acme:hits_total 1\nacme:asked_total 99\n"], False),  # too little to judge by
        (SHARE, ["acme:hits_total 500\nacme:asked_total 1000\n"], False),
        (SHARE, ["acme:hits_total 500\nacme:asked_total 1000\n", "acme:hits_total 501\nacme:asked_total 2000\n"], True),
        (SHARE, ["acme:asked_total 1000\n"], False),
        (SOME, ['acme:done_total{reason="stop"} 4\nacme:done_total{reason="error"} 8\n'], True),
        (SOME, ['acme:done_total{reason="stop"} 8\nacme:done_total{reason="error"} 4\n'], False),
    ],
)
def test_judged(lab: Callable[..., Any], signal: Signal, pages: list[str], expected: bool) -> None:
    assert seen(lab, signal, *pages) is expected


@pytest.mark.parametrize(
    "line", ["acme:busy 1.2.3", "acme:busy --", "acme:busy", "acme:busy{ 11", "acme:busy 11x", "# acme:busy 11"]
)
def test_what_is_no_sample_is_no_sample(lab: Callable[..., Any], line: str) -> None:
    assert not seen(lab, BUSY, f"acme:other 1\n{line}\n")
