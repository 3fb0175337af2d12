"""Templates find and capture the same text, however it is quoted, and refuse what could be slow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstcause.knowledge.schema import Signal
from firstcause.knowledge.templates import capture, find_expression, problem
from firstcause.observe.detector import compile_database

LENGTH = "max seq len ({max_model_len:int}), ({needed_gib:float} GiB KV cache is needed"


def found(signal: Signal, text: str) -> bool:
    hits: list[int] = []
    database = compile_database([find_expression(signal)])
    database.scan(text.encode(), match_event_handler=lambda *hit: hits.append(hit[2]))
    return bool(hits)


def test_holes_are_typed() -> None:
    line = "ValueError: To serve … the model's max seq len (131,072), (16.0 GiB KV cache is needed, which is larger"
    assert capture(Signal("s", text=LENGTH), line) == {"max_model_len": 131072, "needed_gib": 16.0}


@pytest.mark.parametrize(
    "line",
    [
        'secret "hf-token" not found',
        'secret \\"hf-token\\" not found',
        "secret “hf-token” not found",
    ],
)
def test_quotes_may_be_written_in_any_way(line: str) -> None:
    signal = Signal("s", text='secret "{name}" not found')
    assert found(signal, line)
    values = capture(signal, line)
    assert values is not None and str(values["name"]).strip("\\") == "hf-token"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{a:number} of something", "unknown hole type"),
        ("{a} b {c}", "at least six"),
    ],
)
def test_a_template_that_cannot_work_is_told(text: str, why: str) -> None:
    assert why in (problem(Signal("s", text=text)) or "")


@pytest.mark.parametrize("regex", [r"(?=x)abcdef", r"(a+)+bcdefg", r".{0,80}abcdef", r"(abcdef)\1", "abc\ndef"])
def test_a_regex_that_could_be_slow_is_refused(regex: str) -> None:
    assert problem(Signal("s", regex=regex))


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=60))
def test_what_is_captured_was_found(middle: str) -> None:
    signal = Signal("s", text="cannot open file {name} for reading")
    line = f"OSError: cannot open file {middle} for reading"
    if capture(signal, line) is not None:
        assert found(signal, line)


@given(st.text(max_size=200))
def test_capture_never_raises(line: str) -> None:
    capture(Signal("s", text=LENGTH), line)
    capture(Signal("s", regex=r"(?P<n>\d+) GiB of (?P<what>\w+)"), line)


def test_the_database_knows_hits_in_any_bytes() -> None:
    assert found(Signal("s", text="CUDA out of memory"), "\x00\x1b[1m CUDA out of memory ½")
