"""Answers as text: what a person would have saved with `curl -i`, so that live and saved evidence are read by the same knowledge.

What firstcause measured itself stands in lines that begin with "firstcause: ".
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from urllib.parse import urlsplit

from firstcause.live.http import Answer
from firstcause.model import MEASURED, Source

# what curl says, and its exit code, for what http.py says
_CURL = (
    ("refused", "(7) Failed to connect to {host} port {port} after {ms} ms: Connection refused"),
    ("resolved", "(6) Could not resolve host: {host}"),
    ("within", "(28) Operation timed out after {ms} milliseconds with {size} bytes received"),
    ("TLS", "(60) SSL certificate problem: {error}"),
    ("without an answer", "(52) Empty reply from server"),
)
_SHOWN = ("content-type", "content-length", "server", "server-timing", "retry-after", "date", "x-request-id")


def measured(text: str) -> str:
    """A line with something that firstcause measured or did itself."""
    return f"{MEASURED}{text}\n"


def exchange(answer: Answer) -> str:
    """One request and its answer, as a saved session of curl."""
    call = answer.call
    sent = f" -X {call.method}" if call.method != "GET" else ""
    if call.body is not None:
        sent += f" -d '{call.body.decode('utf-8', 'replace')}'"
    text = f"$ curl -sS -i{sent} {call.url}\n"
    if not answer.status:
        return text + _failed(answer)
    shown = "".join(f"{name.lower()}: {value}\n" for name, value in answer.headers if name.lower() in _SHOWN)
    cut = measured(f"{call.url}: {answer.error}") if answer.error else ""
    return f"{text}HTTP/1.1 {answer.status} {answer.reason}\n{shown}\n{answer.text().rstrip()}\n{cut}"


def scrape(answer: Answer, at: float) -> str:
    """A page of metrics fetched at that time (seconds since 1970); anything else as an ordinary exchange."""
    if not answer.ok:
        return exchange(answer)
    return measured(f"scraped {answer.call.url} at {at:.3f}") + answer.text().rstrip() + "\n"


def as_source(name: str, texts: Sequence[str]) -> Source:
    """A source that holds these texts."""
    data = "".join(texts).encode()
    return Source(name, lambda: io.BytesIO(data), len(data))


def _failed(answer: Answer) -> str:
    parts = urlsplit(answer.call.url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    facts = {"host": parts.hostname, "port": port, "ms": round(answer.seconds * 1000), "size": len(answer.body)}
    for sign, words in _CURL:
        if sign in answer.error:
            return f"curl: {words.format(**facts, error=answer.error)}\n"
    return measured(f"{answer.call.url}: {answer.error}")
