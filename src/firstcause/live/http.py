"""One bounded HTTP request. Whatever the other side does (nothing, garbage, drip, flood), it ends, and says what happened."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from urllib.parse import SplitResult, urlsplit

from firstcause.errors import UsageError

CHUNK = 64 << 10


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how much: seconds without a byte, seconds in all, bytes of a body that are read."""

    silence: float = 5.0
    total: float = 10.0
    body: int = 16 << 20


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Call:
    """One request. Nothing in it is ever shown but method, URL without user and password, and body."""

    url: str
    method: str = "GET"
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    verify: bool = True  # the certificate of an https server


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: status 0 and an `error` where no answer could be read; a cut body has both."""

    call: Call
    status: int = 0
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    seconds: float = 0.0
    error: str = ""  # "refused", "no answer within 5 s", "body cut after 16 MiB", …

    @property
    def ok(self) -> bool:
        """A whole answer of the 2xx kind."""
        return 200 <= self.status < 300 and not self.error

    def header(self, name: str) -> str:
        """The first header of that name, or nothing."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    def text(self) -> str:
        """The body as text; what is no UTF-8 is replaced."""
        return self.body.decode("utf-8", "replace")


def fetch(call: Call, limits: Limits = DEFAULT_LIMITS) -> Answer:
    """The answer to a call, within the limits. Raises UsageError for a URL that cannot be asked; nothing else."""
    parts = checked(call.url)
    begun = time.monotonic()
    answer = Answer(call)
    try:
        with _connected(parts, call, limits) as (connection, cut):
            try:
                response = _asked(connection, parts, call)
                answer = replace(answer, status=response.status, reason=response.reason, headers=tuple(response.getheaders()))
                for piece in _pieces(response, limits.body):
                    answer = replace(answer, body=answer.body + piece)
                answer = replace(answer, error=_cut(response, len(answer.body), limits.body))
            finally:
                late = cut.is_set()
            if late:
                answer = replace(answer, error=f"not whole within {limits.total:g} s")
    except (OSError, http.client.HTTPException, ValueError) as error:
        late = time.monotonic() - begun >= limits.total
        answer = replace(answer, error=f"no whole answer within {limits.total:g} s" if late else _said(error, limits))
    return replace(answer, seconds=time.monotonic() - begun)


def checked(url: str) -> SplitResult:
    """The parts of a URL that can be asked. Raises UsageError otherwise."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"{url}: is no URL ({error}); expected http://HOST:PORT") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise UsageError(f"{url}: cannot be asked; expected http://HOST:PORT or https://HOST:PORT")
    return parts


@contextmanager
def _connected(parts: SplitResult, call: Call, limits: Limits) -> Iterator[tuple[http.client.HTTPConnection, threading.Event]]:
    """A connection that is cut when the time is over: a server that sends a byte now and then cannot hold us."""
    assert parts.hostname is not None
    if parts.scheme == "https":
        context = ssl.create_default_context()
        if not call.verify:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            parts.hostname, parts.port, timeout=limits.silence, context=context
        )
    else:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=limits.silence)
    cut = threading.Event()
    connection.connect()
    wire = connection.sock  # http.client lets go of it before the body is read

    def end() -> None:
        cut.set()
        with suppress(OSError):
            wire.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(limits.total, end)
    timer.daemon = True
    timer.start()
    try:
        yield connection, cut
    finally:
        timer.cancel()
        connection.close()


def _asked(connection: http.client.HTTPConnection, parts: SplitResult, call: Call) -> http.client.HTTPResponse:
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    own = {"Accept": "*/*", "Connection": "close", "User-Agent": "firstcause"}
    connection.request(call.method, target, call.body, {**own, **call.headers})
    return connection.getresponse()


def _pieces(response: http.client.HTTPResponse, most: int) -> Iterator[bytes]:
    left = most
    while left > 0:
        piece = response.read1(min(CHUNK, left))
        if not piece:
            return
        left -= len(piece)
        yield piece


def _cut(response: http.client.HTTPResponse, size: int, most: int) -> str:
    if size >= most:
        return f"body cut after {most >> 10} KiB"
    return "the body ended early" if response.length else ""


def _said(error: Exception, limits: Limits) -> str:
    """What went wrong, in the words of the network."""
    if isinstance(error, TimeoutError):
        return f"no answer within {limits.silence:g} s"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    if isinstance(error, socket.gaierror):
        return "the host name cannot be resolved"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed: {error.reason or error}"
    if isinstance(error, ConnectionResetError | http.client.RemoteDisconnected):
        return "the connection was closed without an answer"
    if isinstance(error, http.client.HTTPException):
        return f"the answer is not HTTP ({type(error).__name__})"
    return str(error) or type(error).__name__
