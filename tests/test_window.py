"""Windows give every byte once, keep line numbers over block borders, and stay flat in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from firstcause.evidence import window as module


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Borders everywhere: what holds for blocks of 4 MiB is tried with blocks of a kilobyte."""
    monkeypatch.setattr(module, "BLOCK", 1024)
    monkeypatch.setattr(module, "BACK", 4096)
    monkeypatch.setattr(module, "AHEAD", 512)


def test_line_numbers_hold_over_block_borders(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    lines = [f"INFO filler number {number}" for number in range(3000)]
    for number in (0, 17, 999, 2999):
        lines[number] = f"ERROR CUDA out of memory at {number}"
    told = lab(made("oom", "CUDA out of memory at {number:int}")).observe({"a.log": "\n".join(lines)}).observations
    assert [(o.record.line.number, o.values["number"]) for o in told if o.failure] == [
        (1, 0),
        (18, 17),
        (1000, 999),
        (3000, 2999),
    ]


def test_a_traceback_over_a_border_is_whole(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    frames = "".join(f'  File "/x/vllm/f{n}.py", line {n}, in step_{n}\n    call_{n}()\n' for n in range(40))
    text = (
        "INFO filler\n" * 60
        + "Traceback (most recent call last):\n"
        + frames
        + "RuntimeError: CUDA out of memory at 3\n"
        + "INFO filler\n" * 60
    )
    told = [o for o in lab(made("oom", "CUDA out of memory at")).observe({"a.log": text}).observations if o.failure]
    assert len(told) == 1
    assert len(told[0].record.trace.frames) == 40


def test_a_line_longer_than_a_block_is_read_in_parts(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    text = "x" * 5000 + " CUDA out of memory at 1 " + "y" * 5000 + "\nERROR CUDA out of memory at 2\n"
    told = lab(made("oom", "CUDA out of memory at {number:int}")).observe({"a.log": text}).observations
    assert (2, 2) in [(o.record.line.number, o.values["number"]) for o in told if o.failure]


def test_a_pattern_that_hits_forever_keeps_the_first_ones(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    observer = lab(made("oom", "CUDA out of memory at")).observe({"a.log": "ERROR CUDA out of memory at 1\n" * 20_000})
    assert len([o for o in observer.observations if o.failure]) < 50
