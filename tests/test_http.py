"""One bounded request against servers that answer well, badly, slowly, endlessly or not at all: real sockets."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from firstcause.errors import UsageError
from firstcause.live.http import Answer, Call, Limits, checked, fetch

QUICK = Limits(silence=0.5, total=1.0, body=1 << 16)


@contextmanager
def speaking(talk: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server on loopback that reads a request and then talks as it is told."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    peer, _ = server.accept()
                    with peer, suppress(OSError):
                        peer.recv(65536)
                        talk(peer)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def asked(talk: Callable[[socket.socket], None]) -> Answer:
    with speaking(talk) as url:
        return fetch(Call(f"{url}/health"), QUICK)


def test_a_good_answer_is_whole() -> None:
    answer = asked(lambda peer: peer.sendall(b"HTTP/1.1 200 OK\r\nServer: uvicorn\r\nContent-Length: 2\r\n\r\nhi"))
    assert (answer.ok, answer.status, answer.text(), answer.header("server")) == (True, 200, "hi", "uvicorn")


def drip(peer: socket.socket) -> None:
    for _ in range(100):
        peer.sendall(b"X")
        time.sleep(0.1)


def drip_body(peer: socket.socket) -> None:
    peer.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    drip(peer)


def flood(peer: socket.socket) -> None:
    peer.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        peer.sendall(b"x" * 65536)


@pytest.mark.parametrize(
    ("talk", "status", "error"),
    [
        (lambda peer: peer.sendall(b"\x00\xff garbage\r\n\r\n"), 0, "not HTTP"),
        (lambda peer: None, 0, "closed without an answer"),
        (lambda peer: time.sleep(2), 0, "no answer within 0.5 s"),
        (drip, 0, "within 1 s"),
        (drip_body, 200, "within 1 s"),
        (flood, 200, "body cut after 64 KiB"),
        (lambda peer: peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort"), 200, "ended early"),
    ],
)
def test_a_bad_server_ends_within_the_limits(talk: Callable[[socket.socket], None], status: int, error: str) -> None:
    answer = asked(talk)
    assert answer.status == status
    assert error in answer.error
    assert answer.seconds < 5


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert fetch(Call(f"http://127.0.0.1:{port}/"), QUICK).error == "connection refused"


@pytest.mark.parametrize("url", ["ftp://host/", "http://", "http://host:99999", "http://host:0", "http://[::1", "host:8000"])
def test_a_url_that_cannot_be_asked_is_said(url: str) -> None:
    with pytest.raises(UsageError, match=r"expected http://HOST:PORT"):
        checked(url)
