"""`diagnose http://…` against stand-ins on loopback: what is found, what is asked, what is never sent."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from socket import create_server
from typing import Any

import pytest

import firstcause.live.endpoint as endpoint
import firstcause.live.probe as probing
from firstcause.cli import main
from firstcause.live.processes import about_port
from servers import Answering, Answers, page, serving, vllm

WELL = {"num_requests_running": 1.0, "num_requests_waiting": 0.0}


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The waits of a visit, shortened: what is seen after them is what counts here."""
    monkeypatch.setattr(endpoint, "STILL", 0.4)
    monkeypatch.setattr(endpoint, "DYING", 0.3)
    monkeypatch.setattr(probing, "PATIENCE", 0.5)


def growing(**more: float) -> Answering:
    """Metrics whose counters grow from page to page."""
    count = iter(range(100, 10_000, 100))
    return lambda _path, _body: (200, "# HELP x\n" + page(generation_tokens_total=float(next(count)), **(WELL | more)))


def diagnosed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["diagnose", "--format", "json", "--interval", "0.1", *arguments])
    return code, json.loads(capsys.readouterr().out)


def causes(report: dict[str, Any]) -> list[str]:
    return [finding["id"] for finding in report["causes"]]


def found(report: dict[str, Any]) -> set[str]:
    return {finding["id"] for part in ("causes", "consequences", "conditions") for finding in report[part]}


def test_a_server_that_works_is_healthy_and_is_only_read(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(vllm(growing())) as server:
        code, report = diagnosed(capsys, server.url)
    assert (code, report["verdict"], found(report)) == (0, "healthy", set())
    assert {line.split()[0] for line in server.asked} == {"GET"}


@pytest.mark.parametrize("suffix", ["/", "/v1", "/v1/chat/completions", "/health", "/metrics"])
def test_a_url_inside_the_server_means_the_server(capsys: pytest.CaptureFixture[str], suffix: str) -> None:
    with serving(vllm(growing())) as server:
        code, _ = diagnosed(capsys, server.url + suffix)
    assert code == 0 and "GET /health" in server.asked


def test_nothing_listens(capsys: pytest.CaptureFixture[str]) -> None:
    with closing(create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    code, report = diagnosed(capsys, f"http://127.0.0.1:{port}")
    assert code == 1 and causes(report)[0] in ("client-connection-refused", "engine-orphaned")


def test_a_dead_engine_with_a_server_that_stays_is_the_keep_alive_trap(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(vllm(page(**WELL), health=503)) as server:
        code, report = diagnosed(capsys, server.url)
    assert code == 1 and {"engine-dead", "keep-alive-on-engine-death"} <= found(report)


def test_running_requests_without_a_step_are_a_wedge(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(vllm(page(generation_tokens_total=7.0, **WELL))) as server:
        code, report = diagnosed(capsys, server.url)
    assert (code, report["verdict"]) == (1, "not-in-evidence") and "engine-wedged" in found(report)
    assert any("py-spy" in gap["how"] for gap in report["gaps"])


def test_an_idle_server_is_not_wedged(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(vllm(page(generation_tokens_total=7.0, num_requests_running=0.0, num_requests_waiting=0.0))) as server:
        code, report = diagnosed(capsys, server.url)
    assert (code, found(report)) == (0, set())


@pytest.mark.parametrize(
    ("metrics", "named"),
    [
        (growing(num_requests_waiting=128.0), "requests-queue-up"),
        (growing(kv_cache_usage_perc=0.99), "kv-cache-nearly-full"),
        (page(request_queue_time_seconds_sum=900.0, request_queue_time_seconds_count=30.0), "queue-time-high"),
        (page(request_prefill_time_seconds_sum=900.0, request_prefill_time_seconds_count=30.0), "prefill-slow"),
        (page(inter_token_latency_seconds_sum=900.0, inter_token_latency_seconds_count=900.0), "decode-slow"),
        (page(prefix_cache_queries_total=90000.0, prefix_cache_hits_total=90.0), "prefix-cache-hits-low"),
    ],
)
def test_metrics_that_tell_of_trouble_degrade(capsys: pytest.CaptureFixture[str], metrics: str | Answering, named: str) -> None:
    with serving(vllm(metrics)) as server:
        code, report = diagnosed(capsys, server.url)
    assert (code, report["verdict"]) == (4, "degraded") and named in found(report)


def preempting() -> Answering:
    count = iter(range(5, 500, 5))
    return lambda _path, _body: (200, "# HELP x\n" + page(num_preemptions_total=float(next(count)), **WELL))


def test_preemption_is_what_happens_now_and_not_what_happened_once(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(vllm(preempting())) as server:
        assert "preemption" in found(diagnosed(capsys, server.url)[1])
    with serving(vllm(growing(num_preemptions_total=72.0))) as server:
        assert "preemption" not in found(diagnosed(capsys, server.url)[1])


def test_the_name_that_clients_ask_for_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(vllm(growing())) as server:
        code, report = diagnosed(capsys, server.url, "--model", "m-8b")
    assert (code, causes(report)) == (1, ["model-name-not-served"]) and "acme/m-8b" in json.dumps(report)


def test_a_missing_key_is_a_gap_and_a_given_one_is_sent_and_never_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(vllm(growing(), more={"/v1/models": (401, '{"error":"Unauthorized"}')})) as server:
        _, report = diagnosed(capsys, server.url)
        assert any("API key" in gap["why"] for gap in report["gaps"])
        monkeypatch.setenv("SECRET_OF_TEST", "tango-97")
        _, report = diagnosed(capsys, server.url, "--api-key-env", "SECRET_OF_TEST")
    assert "Bearer tango-97" in server.keys and "tango-97" not in json.dumps(report)


def answered(_path: str, _body: bytes) -> tuple[int, str]:
    return 200, '{"choices":[{"text":"1","finish_reason":"length"}]}'


def unanswered(_path: str, _body: bytes) -> tuple[int, str]:
    time.sleep(1.0)
    return 200, "{}"


def test_a_probe_is_sent_only_when_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(vllm(growing(), more={"/v1/completions": answered})) as server:
        code, report = diagnosed(capsys, server.url, "--probe")
    assert "POST /v1/completions" in server.asked
    assert (code, causes(report)) == (0, [])


def test_a_probe_without_an_answer_tells_a_wedge_from_a_queue(capsys: pytest.CaptureFixture[str]) -> None:
    idle = page(generation_tokens_total=7.0, num_requests_running=0.0)
    with serving(vllm(idle, more={"/v1/completions": unanswered})) as server:
        assert "engine-wedged" in found(diagnosed(capsys, server.url, "--probe")[1])
    with serving(vllm(growing(), more={"/v1/completions": unanswered})) as server:
        report = diagnosed(capsys, server.url, "--probe")[1]
    assert "engine-wedged" not in found(report) and "requests-queue-up" in found(report)


GARBAGE: dict[str, Answers] = {
    "no metrics": {"/health": (200, ""), "/v1/models": (200, '{"object":"list","data":[]}')},
    "html": {path: (200, "<html><body>Welcome</body></html>") for path in endpoint.PATHS},
    "broken json": {"/health": (200, ""), "/v1/models": (200, '{"data":[{"id":')},
    "binary metrics": vllm("\x00\x01vllm:num_requests_running 1e400\nvllm:x{ 1\n" + "y" * 70_000),
    "everything fails": {path: (500, "Internal Server Error") for path in endpoint.PATHS},
}


@pytest.mark.parametrize("answers", GARBAGE.values(), ids=GARBAGE)
def test_any_answer_gives_a_report(capsys: pytest.CaptureFixture[str], answers: Answers) -> None:
    with serving(answers) as server:
        code, report = diagnosed(capsys, server.url, "--probe")
    assert code in (0, 1, 4) and report["schema"] == "firstcause/report/v1"


def test_a_log_and_its_server_are_one_incident(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "serve.log"
    log.write_text("(EngineCore pid=211) ERROR 10-02 11:00:00 [core.py:1512] torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n"
                   "(EngineCore pid=211) ERROR 10-02 11:00:00 [core.py:1512] EngineCore encountered a fatal error.\n")  # fmt: skip
    with serving(vllm(page(**WELL), health=503)) as server:
        code, report = diagnosed(capsys, str(log), server.url)
    assert (code, causes(report)) == (1, ["cuda-illegal-access"]) and "engine-dead" in found(report)


@pytest.mark.parametrize("url", ["http://", "http://host:99999", "https://[::1", "http://host:0/"])
def test_a_url_that_cannot_be_asked_is_wrong_usage(capsys: pytest.CaptureFixture[str], url: str) -> None:
    assert main(["diagnose", url]) == 2
    assert "expected http://HOST:PORT" in capsys.readouterr().err


@pytest.fixture
def stopped() -> Iterator[int]:
    """A process behind a port of its own that was stopped; its server still listens in the kernel."""
    code = "import socket,sys,time; s=socket.create_server(('127.0.0.1',0)); print(s.getsockname()[1],flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        port = int(process.stdout.readline())
    process.send_signal(signal.SIGSTOP)
    yield port
    process.kill()
    process.wait()


def test_a_stopped_process_behind_the_port_is_named(stopped: int) -> None:
    lines = about_port(f"http://127.0.0.1:{stopped}", False)
    assert len(lines) == 1 and f"behind port {stopped} is stopped (T)" in lines[0]
