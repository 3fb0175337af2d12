"""Stand-ins for servers that tests put on loopback: real sockets, answers as told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answering = Callable[[str, bytes], tuple[int, str]]  # path and body of a request -> status and text
Answers = Mapping[str, tuple[int, str] | Answering]


@dataclass(slots=True)
class Standin:
    """A running stand-in: where it is, and the requests that it got ("GET /health")."""

    url: str
    asked: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)  # the Authorization header of each request


@contextmanager
def serving(answers: Answers) -> Iterator[Standin]:
    """A server that gives the answer of each path; 404 for any other path."""
    standin = Standin("")

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            standin.asked.append(f"{self.command} {self.path}")
            standin.keys.append(self.headers.get("Authorization") or "")
            answer = answers.get(self.path, (404, '{"detail":"Not Found"}'))
            status, text = answer(self.path, body) if callable(answer) else answer
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json" if text.startswith("{") else "text/plain")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = _answer

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    standin.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield standin
    finally:
        server.shutdown()
        server.server_close()


def models(*names: str) -> tuple[int, str]:
    """What /v1/models of vLLM answers."""
    served = [{"id": name, "object": "model", "owned_by": "vllm", "max_model_len": 4096} for name in names]
    return 200, json.dumps({"object": "list", "data": served}, separators=(",", ":"))


def page(**values: float) -> str:
    """A page of metrics; `generation_tokens_total=3` is vllm:generation_tokens_total of engine 0."""
    return "".join(f'vllm:{name}{{engine="0",model_name="acme/m-8b"}} {value}\n' for name, value in values.items())


def vllm(metrics: str | Answering, health: int = 200, more: Answers | None = None) -> dict[str, tuple[int, str] | Answering]:
    """The pages of a vLLM server."""
    return {
        "/health": (health, ""),
        "/v1/models": models("acme/m-8b"),
        "/version": (200, '{"version":"0.32.0"}'),
        "/metrics": (200, "# HELP x\n" + metrics) if isinstance(metrics, str) else metrics,
        **(more or {}),
    }
