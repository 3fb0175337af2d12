"""Every sample of every log format is read as it says, by the whole framing loop."""

from __future__ import annotations

from firstcause.evidence.frame_check import disproved
from firstcause.knowledge.formats import builtin


def test_every_format_reads_its_samples() -> None:
    assert disproved(builtin()) == []
