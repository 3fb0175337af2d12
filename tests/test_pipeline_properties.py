"""No input raises, no input is slow: the whole pipeline with all its renderers, over real shapes and what can become of them."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstcause.knowledge.catalog import Catalog, open_catalog
from firstcause.pipeline import Request, run
from firstcause.report.render import FORMATS, render

SEED = (Path(__file__).parent.parent / "examples" / "failed-start.log").read_bytes()
QUIET = settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
TRACE = b'(EngineCore_DP0 pid=7) ERROR 10-22 12:00:01 [core.py:842] Traceback (most recent call last):\n  File "/a/b.py", line 1, in f\n'


@pytest.fixture(scope="module")
def catalog(cache: Path) -> Catalog:
    return open_catalog()


def diagnosed(data: bytes, catalog: Catalog) -> dict[str, Any]:
    report = run(Request(["-"], stdin=io.BytesIO(data)), catalog).report
    for format in FORMATS:
        render(report, format, 80, color=False)
    json.loads(render(report, "json", 80, color=False), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert not [gap for gap in report["gaps"] if "firstcause itself broke" in gap["why"]], report["gaps"]
    return report


def glued(data: bytes) -> bytes:
    return data.replace(b"\n", b"")


def wrapped(data: bytes) -> bytes:
    return b"\n".join(line[at : at + 80] for line in data.split(b"\n") for at in range(0, max(1, len(line)), 80))


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "crlf": lambda data: data.replace(b"\n", b"\r\n"),
    "cr only": lambda data: data.replace(b"\n", b"\r"),
    "nuls": lambda data: data.replace(b" ", b"\0"),
    "invalid utf-8": lambda data: data.replace(b"e", b"\xff\xfe\xc3"),
    "utf-16": lambda data: data.decode("utf-8", "replace").encode("utf-16"),
    "colours": lambda data: data.replace(b"ERROR", b"\x1b[31mERROR\x1b[0m"),
    "glued": glued,
    "wrapped": wrapped,
    "blank lines": lambda data: data.replace(b"\n", b"\n\n"),
    "backwards": lambda data: b"\n".join(reversed(data.split(b"\n"))),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_changed_log_is_read(change: Any, catalog: Catalog) -> None:
    diagnosed(change(SEED), catalog)


@pytest.mark.parametrize("name", ["crlf", "colours", "blank lines", "utf-16"])
def test_a_change_of_form_does_not_change_the_cause(name: str, catalog: Catalog) -> None:
    assert diagnosed(CHANGES[name](SEED), catalog)["causes"][0]["id"] == "kv-blocks-override-too-small"


@QUIET
@given(data=st.binary(max_size=3000))
def test_no_bytes_raise(data: bytes, catalog: Catalog) -> None:
    diagnosed(data, catalog)


@QUIET
@given(
    start=st.integers(0, len(SEED)),
    end=st.integers(0, len(SEED)),
    flips=st.lists(st.tuples(st.integers(0, len(SEED) - 1), st.integers(0, 255)), max_size=40),
)
def test_no_cut_or_flipped_log_raises(start: int, end: int, flips: list[tuple[int, int]], catalog: Catalog) -> None:
    data = bytearray(SEED)
    for at, byte in flips:
        data[at] = byte
    diagnosed(bytes(data[min(start, end) : max(start, end)]), catalog)


@QUIET
@given(order=st.randoms(use_true_random=False))
def test_no_shuffled_log_raises(order: Any, catalog: Catalog) -> None:
    lines = SEED.split(b"\n")
    order.shuffle(lines)
    diagnosed(b"\n".join(lines), catalog)


@pytest.mark.parametrize(
    "line",
    [
        b"vllm:num_preemptions_total 1.2.3",
        b"vllm:num_preemptions_total --",
        b"To serve at least one request with the model's max seq len (" + b"9" * 9000 + b"), (0.0 GiB KV cache is needed",
    ],
)
def test_what_only_looks_like_a_number_hides_nothing(line: bytes, catalog: Catalog) -> None:
    assert diagnosed(line + b"\n" + SEED, catalog)["causes"][0]["recognised"]


# (what, one piece, how many at the small size): eight times as many may take sixteen times as long, not sixty-four
PILES = {
    "one line": (b"ValueError: boom [{ Error: ", 5000),
    "brackets": (b"[{(", 20_000),
    "tracebacks": (TRACE + b"RuntimeError: CUDA out of memory\n", 400),
    "one signal": (b"ERROR torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n", 1500),
    "errors": (b"ERROR 10-22 12:00:01 [core.py:1] something went wrong\n", 4000),
    "pydantic": (b"a.b.1\n  Input should be a valid integer [type=int_type, input_value='x', input_type=str]\n", 1000),
    "chain": (TRACE + b"ValueError: x\n\nDuring handling of the above exception, another exception occurred:\n\n", 300),
}


@pytest.mark.parametrize(("piece", "many"), PILES.values(), ids=PILES.keys())
def test_time_grows_with_the_log_and_not_with_its_square(piece: bytes, many: int, catalog: Catalog) -> None:
    def seconds(data: bytes) -> float:
        start = time.process_time()
        diagnosed(data, catalog)
        return time.process_time() - start

    small = max(seconds(piece * many), 0.05)
    assert seconds(piece * many * 8) < 16 * small + 1


def test_restarts_are_counted_and_only_the_latest_are_listed(catalog: Catalog) -> None:
    run_of_a_server = b"INFO vLLM API server version 0.11.0\nINFO Starting to load model m...\nERROR RuntimeError: boom\n"
    incidents = diagnosed(run_of_a_server * 200, catalog)["incidents"]
    assert len(incidents) <= 32
    assert incidents[-1]["number"] == 200
