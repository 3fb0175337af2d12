"""The processes behind a local port: which of them stand still, and which live on without their server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import psutil

LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0")
STATES = {
    psutil.STATUS_STOPPED: "stopped (T)",
    psutil.STATUS_TRACING_STOP: "stopped by a debugger (t)",
    psutil.STATUS_DEAD: "dead (X)",
}


def about_port(base: str, silent: bool) -> list[str]:
    """What is wrong with the processes behind the port of a URL of this machine; nothing for other machines.

    `silent`: nothing listens there, so that engines which lost their server are looked for.
    """
    parts = urlsplit(base)
    if parts.hostname not in LOCAL:
        return []
    if silent:
        return list(_orphans())
    port = parts.port or 80
    return [line for process in _family(port) if (line := _still(process, port))]


def _family(port: int) -> list[psutil.Process]:
    """Who listens on the port, with all that descends from it; empty where it may not be seen."""
    found: list[psutil.Process] = []
    with suppress(psutil.Error):
        for connection in psutil.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port and connection.pid:
                process = psutil.Process(connection.pid)
                found += [one for one in (process, *process.children(recursive=True)) if one not in found]
    return found


def _still(process: psutil.Process, port: int) -> str:
    with suppress(psutil.Error):
        state = STATES.get(process.status())
        if state:
            return f"process {process.pid} ({_title(process)}) behind port {port} is {state}"
    return ""


def _orphans() -> Iterator[str]:
    """Engines and workers of vLLM whose server is gone: they hold memory and serve nobody."""
    for process in psutil.process_iter(["ppid"]):
        with suppress(psutil.Error):
            title = _title(process)
            if title.startswith("VLLM::") and not _has_server(process):
                gib = process.memory_info().rss / (1 << 30)
                yield f"process {process.pid} ({title}) lives on without its API server and holds {gib:.1f} GiB of memory"


def _has_server(process: psutil.Process) -> bool:
    """Whether an ancestor serves: anything but an init, a shell or another engine."""
    return any(
        "vllm" in " ".join(parent.cmdline()).lower() and not _title(parent).startswith("VLLM::") for parent in process.parents()
    )


def _title(process: psutil.Process) -> str:
    """The title that vLLM gives its processes ("VLLM::EngineCore"), or the name."""
    with suppress(psutil.Error):
        line = process.cmdline()
        if line and line[0].startswith("VLLM::"):
            return line[0].split("\x00")[0].strip()
    return process.name()
