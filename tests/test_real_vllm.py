"""Failures made with the real vLLM, as a user would make them, and diagnosed by the command as a user would call it.

Needs `make real-vllm`; without it these tests say so and are not run. In CI (CI=true) it must be there.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

HOME = Path(os.environ.get("FIRSTCAUSE_REAL_VLLM", Path.home() / ".cache/firstcause/vllm-0.32.0-cpu"))
INSTALLED = (HOME / ".complete").exists()
REQUIRED = os.environ.get("CI") == "true"
TINY = Path(__file__).parent / "real" / "tiny_model.py"
SMALL = ("--load-format", "dummy", "--max-model-len", "1024", "--enforce-eager")
READY = "Application startup complete."

pytestmark = [
    pytest.mark.real_vllm,
    pytest.mark.skipif(not INSTALLED and not REQUIRED, reason="the real vLLM is not installed: run `make real-vllm`"),
]


@dataclass(frozen=True)
class Start:
    """One start of the server, and what `firstcause diagnose` must call it."""

    name: str
    cause: str  # id of the first cause; "" for a healthy start
    flags: tuple[str, ...] = SMALL
    env: dict[str, str] = field(default_factory=dict)
    change: dict[str, object] = field(default_factory=dict)  # of the model's config.json
    remove: tuple[str, ...] = ()  # files of the model folder


STARTS = (
    Start("longer than the model", "max-model-len-above-model", ("--load-format", "dummy", "--max-model-len", "9999")),
    Start(
        "longer than the KV cache",
        "kv-blocks-override-too-small",
        (*SMALL, "--num-gpu-blocks-override", "8", "--max-model-len", "2048"),
    ),
    Start("a bad value read by the API server", "vllm-env-not-parsable", env={"VLLM_ENGINE_READY_TIMEOUT_S": "ten"}),
    Start("a bad value read by the worker", "vllm-env-not-parsable", env={"VLLM_XLA_CHECK_RECOMPILATION": "yes"}),
    Start("heads that cannot be split", "tensor-parallel-not-divisible", (*SMALL, "--tensor-parallel-size", "3")),
    Start("no weights in the folder", "weights-missing", ("--max-model-len", "1024", "--enforce-eager")),
    Start("an architecture that does not exist", "model-architecture-unsupported", change={"architectures": ["FooForCausalLM"]}),
    Start("a Kubernetes service named vllm", "vllm-port-from-kubernetes-service", env={"VLLM_PORT": "tcp://10.0.0.1:8000"}),
    Start("an unknown flag", "cli-argument-unknown", (*SMALL, "--max-model-length", "5")),
    Start("tool choice without its parser", "tool-parser-flags-half-set", (*SMALL, "--enable-auto-tool-choice")),
    Start("a chat template that is not there", "chat-template-path-invalid", (*SMALL, "--chat-template", "/nope.jinja")),
    Start("no configuration in the folder", "model-path-invalid", remove=("config.json",)),
    Start("healthy", ""),
    Start("healthy with a served name", "", (*SMALL, "--served-model-name", "tiny")),
)


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "tiny"
    subprocess.run([HOME / "bin/python", TINY, folder], check=True, capture_output=True)
    return folder


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def prepared(model: Path, start: Start, folder: Path) -> Path:
    """The model folder with the changes of this start."""
    copy = folder / "model"
    shutil.copytree(model, copy)
    config = json.loads((copy / "config.json").read_text()) | start.change
    (copy / "config.json").write_text(json.dumps(config))
    for name in start.remove:
        (copy / name).unlink()
    return copy


def serve(command: list[str], env: dict[str, str], log: Path, limit: float = 240) -> None:
    """Run the server until it ends or is ready; then stop it as an operator would."""
    with log.open("wb") as out:
        child = subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        end = time.monotonic() + limit
        while child.poll() is None and READY not in log.read_text(errors="replace") and time.monotonic() < end:
            time.sleep(0.5)
        if child.poll() is None:
            child.send_signal(signal.SIGTERM)
            child.wait(60)
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait(30)


@pytest.fixture
def log(request: pytest.FixtureRequest, model: Path, tmp_path: Path) -> Iterator[Path]:
    start: Start = request.param
    env = os.environ | {"HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"} | start.env
    folder = prepared(model, start, tmp_path)
    file = tmp_path / "serve.log"
    serve([str(HOME / "bin/vllm"), "serve", str(folder), "--port", str(free_port()), *start.flags], env, file)
    yield file


@pytest.mark.parametrize(("log", "start"), [(s, s) for s in STARTS], indirect=["log"], ids=[s.name for s in STARTS])
def test_a_real_start_gets_its_cause(log: Path, start: Start) -> None:
    command = [sys.executable, "-m", "firstcause", "diagnose", "--format", "json", str(log)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    report = json.loads(done.stdout)
    told = report["causes"][0]["id"] if report["causes"] else ""
    assert told == start.cause, log.read_text(errors="replace")[-3000:]
    assert done.returncode == (1 if start.cause else 0)
