"""No input may raise, and none may make reading slow."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstcause.evidence.framing import frame
from firstcause.evidence.trace import assemble, is_quoted_code, raised_at
from firstcause.knowledge.formats import builtin
from firstcause.model import Line

PARTS = [
    "(Worker pid=7) ", "(EngineCore_DP0) ", "ERROR 05-09 00:49:33 [core.py:57] ", "[rank0]: ", "llm-1  | ", "\x1b[31m", "[0m",
    "2026-01-02T03:04:05Z ", '{"log":"', '","stream":"stderr","time":"x"}', "Traceback (most recent call last):", "\\n", "\n", "\r",
    '  File "/srv/x.py", line 3, in run', "    raise ValueError(", "    ^^^^^", "ValueError: no", "KeyError", "  | ", '"""', "    ",
    "  + Exception Group Traceback (most recent call last):", "  +-+---------------- 1 ----------------", "ray::A.f() (pid=1)",
    "The above exception was the direct cause of the following exception:", "ray.exceptions.RayTaskError(E): ray::A.f() (pid=1)",
    "Fatal Python error: Aborted", "Thread 0x00007f (most recent call first):", "----> 2 x", "Cell In[6], line 2", "é", "[", "(", ",",
    "multiprocessing.pool.RemoteTraceback: ", "  Value error, no", "1 validation error for X", '"', "> ", "12: ", "level=error msg=",
]  # fmt: skip
texts = st.lists(st.sampled_from(PARTS) | st.text(max_size=8), max_size=12).map("".join)


def lines_of(raw: bytes) -> list[Line]:
    return [frame(line, number, 0, builtin()) for number, line in enumerate(raw.split(b"\n"), 1)]


@given(st.binary(max_size=300))
def test_no_bytes_make_framing_raise(raw: bytes) -> None:
    line = frame(raw, 1, 0, builtin())
    assert all(char.isprintable() or char in "\t\n" or not char.isascii() for char in line.text + line.message)


@given(texts)
@settings(max_examples=300)
def test_no_log_like_text_makes_framing_raise(text: str) -> None:
    line = frame(text.encode(), 1, 0, builtin())
    assert "\x1b" not in line.text + line.message


@given(st.lists(texts, min_size=1, max_size=30), st.integers(0, 29))
@settings(max_examples=300, deadline=None)
def test_nothing_makes_assembling_raise(rows: list[str], at: int) -> None:
    lines = lines_of("\n".join(rows).encode("utf-8", "replace"))
    at %= len(lines)
    trace = assemble(lines, at)
    is_quoted_code(lines, at)
    if trace is None:
        return
    assert lines[at] in trace.lines
    assert [one.index for one in trace.raised] == list(range(len(trace.raised)))
    assert [line.number for line in trace.lines] == sorted({line.number for line in trace.lines})
    for one in trace.raised:
        assert raised_at(trace, one.line.number) is not None
        assert one.line in trace.lines


def seconds(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


PUMPS = [
    "[", "(", "{", '"', "\\", "[[1;", "(a pid=", "[rank0]: ", "a ", " ", "a.", "a/", "> ", "-", "1:", '{"a":', '","', "\x1b[", "\r", "\r ",
    "a=1 ", "ERROR ", "Traceback (most recent call last)\\n", "[repeated 3x across cluster]", "^", "x" * 50 + " |", "a b ", "\t", "INFO: ",
    "2026-01-02T03:04:05Z ", "(Worker pid=1) ", "[1m", "file.log:", "::", 'a="', "{a}", "|", " | ",
]  # fmt: skip


@pytest.mark.parametrize("pump", PUMPS)
@pytest.mark.parametrize("head", ["", '{"log":"', "x", "2026-01-02T03:04:05Z "])
def test_a_line_of_16_kilobytes_costs_milliseconds(pump: str, head: str) -> None:
    raw = (head + pump * (16_384 // len(pump.encode()))).encode()
    assert seconds(lambda: frame(raw, 1, 0, builtin())) < 0.05


@pytest.mark.parametrize("pump", PUMPS)
def test_the_shape_of_a_long_line_costs_milliseconds(pump: str) -> None:
    lines = lines_of((pump.replace("\n", " ") * (16_384 // len(pump))).encode())
    assert seconds(lambda: assemble(lines, 0)) < 0.05


def test_a_line_of_100_000_brackets_costs_milliseconds() -> None:
    raw = b"[" * 100_000
    assert seconds(lambda: frame(raw, 1, 0, builtin())) < 0.05


@pytest.mark.parametrize(
    "row",
    [
        '  File "/srv/x.py", line 3, in run',
        "Traceback (most recent call last):",
        "ValueError: no",
        "  Value error, no",
        "text",
        "    code",
        "    ^^^^",
        "(Worker pid=7) ERROR 05-09 00:49:33 [core.py:57] ValueError: no",
        "",
    ],
)
def test_a_stretch_of_660_lines_costs_milliseconds(row: str) -> None:
    lines = lines_of("\n".join([row] * 1000).encode())
    assert seconds(lambda: assemble(lines, 800)) < 0.08


def test_a_common_line_costs_some_microseconds() -> None:
    raw = b'(EngineCore_DP0 pid=223) ERROR 10-25 13:08:43 [core.py:708]   File "/srv/env/kv_cache_utils.py", line 1243, in check'
    formats = builtin()
    frame(raw, 1, 0, formats)
    assert seconds(lambda: [frame(raw, 1, 0, formats) for _ in range(200)]) / 200 < 0.0002  # aim: 25, here with room
