"""Exceptions, crashes and error lines that no signal names: told as they are, judged with care."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from firstcause.model import Line, Record, Value
from firstcause.observe.detector import Kind

# The last line of a traceback: "torch.OutOfMemoryError: CUDA out of memory."
_RAISED = re.compile(
    r"^\s{0,8}((?:[A-Za-z_][\w]*\.)*[A-Za-z_]\w*(?:Error|Exception|Interrupt|Timeout|Expired|OutOfMemory)(?:_\w+)?)(?:: ?(.*)|)$",
    re.DOTALL,
)
_LOUD = ("ERROR", "CRITICAL", "FATAL")
_SAYS_ERROR = re.compile(r"(?:^|[\s:\]\"])(?:error|fatal|NCCL WARN)(?::|\"?[: ])", re.IGNORECASE)
# {"error":{"message":"The model `x` does not exist.","type":"NotFoundError",…}}  {"object":"error","message":"…"}  {"error":"…"}
_BODY = re.compile(r'"(?:message|error|detail)": ?"((?:[^"\\]|\\.)*)"')
_BODY_TYPE = re.compile(r'"type": ?"([A-Za-z_]+)"')
# Warning  FailedMount  9h  kubelet  Unable to attach or mount volumes: …
_EVENT = re.compile(r"Warning[ \t]+([A-Z][A-Za-z]+)[ \t]+(.*)")
# 1 validation error for ModelConfig — the reason stands on the next lines: "  Value error, …"
_REASONLESS = re.compile(r"\d+ validation errors? for |1 sub-exceptions?")
_REASON = re.compile(r"^\s+(?:Value error|Assertion failed|Input should|Field required|Extra inputs|Unexpected keyword)")
PLUMBING = (
    "/multiprocessing/", "/asyncio/", "/concurrent/", "/uvloop/", "/starlette/", "/uvicorn/", "/fastapi/", "/contextlib.py",
    "/threading.py", "/runpy.py", "/importlib/", "/torch/utils/_contextlib.py", "/pydantic/", "<frozen", "/ray/_private/",
    "/torch/nn/modules/module.py", "/torch/_ops.py",
)  # fmt: skip


def unnamed(kind: Kind, record: Record) -> tuple[Record, dict[str, Value]] | None:
    """The record with what can be said of it, or None where it is nothing of its own (a frame, quoted code, plain talk)."""
    if record.quoted_code:
        return None
    if kind is Kind.EXCEPTION:
        return _exception(record)
    if record.trace is not None:
        return None  # the exception of that traceback speaks for it
    return READERS[kind](record)


def _exception(record: Record) -> tuple[Record, dict[str, Value]] | None:
    raised = record.raised
    if raised is None:
        match = _RAISED.match(record.line.message)
        return (record, {"type": match[1], "message": (match[2] or "").strip()}) if match else None
    if raised.line.number != record.line.number:
        return None
    values: dict[str, Value] = {"type": raised.type, "message": raised.message}
    if frame := innermost(raised.frames):
        values["frame"] = frame
    reason = _reason(record) if _REASONLESS.match(raised.message) else None
    return (record, values) if reason is None else (replace(record, line=reason), values)


def _reason(record: Record) -> Line | None:
    """The line of a validation error that says what is wrong: it follows the one that only counts the errors."""
    lines = record.trace.lines if record.trace else ()
    after = [line for line in lines if line.number > record.line.number]
    return next((line for line in after[:12] if _REASON.match(line.message)), None)


def _crash(record: Record) -> tuple[Record, dict[str, Value]] | None:
    message = record.line.message.strip()
    return record, {"type": message.partition(":")[0][:80], "message": message}


def _error(record: Record) -> tuple[Record, dict[str, Value]] | None:
    message = record.line.message.strip()
    if record.line.level in _LOUD or (record.line.level is None and _SAYS_ERROR.search(message)):
        return record, {"type": "error line", "message": message}
    return None


def _body(record: Record) -> tuple[Record, dict[str, Value]] | None:
    match = _BODY.search(record.line.text)
    if match is None or record.line.level is not None:
        return None
    kind = _BODY_TYPE.search(record.line.text)
    return record, {"type": kind[1] if kind else "HTTP error", "message": match[1]}


def _event(record: Record) -> tuple[Record, dict[str, Value]] | None:
    match = _EVENT.search(record.line.text)
    return (record, {"type": match[1], "message": match[2].strip()}) if match else None


def _trouble(record: Record) -> tuple[Record, dict[str, Value]] | None:
    message = record.line.message.strip()
    return (record, {"type": "line", "message": message}) if record.line.level is None else None


READERS: dict[Kind, Callable[[Record], tuple[Record, dict[str, Value]] | None]] = {
    Kind.CRASH: _crash,
    Kind.ERROR: _error,
    Kind.BODY: _body,
    Kind.EVENT: _event,
    Kind.TROUBLE: _trouble,
}


def innermost(frames: tuple[tuple[str, str], ...]) -> str | None:
    """The deepest frame that is not plumbing of a library, as "file.py:function"."""
    for file, function in reversed(frames):
        if not any(part in file for part in PLUMBING):
            return f"{'/'.join(file.rsplit('/', 3)[-3:])}:{function}"
    return None
