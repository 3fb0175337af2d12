"""How fast the whole pipeline reads a large log, beside what could be used instead."""

from __future__ import annotations

import mmap
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from firstcause.knowledge.catalog import open_catalog
from firstcause.knowledge.templates import capture_pattern
from firstcause.observe.detector import Detector, detector
from serve_log import write

BLOCK = 4 << 20
SAMPLE = 8 << 20  # bytes that a slow way is measured on


def report(folder: Path, mib: int, huge: bool) -> None:
    """Print one line per measurement."""
    log = _log(folder, mib)
    size = log.stat().st_size
    whole = detector(open_catalog())
    raw = _seconds(lambda: _raw(whole, log))
    told = _seconds(lambda: _diagnose(log))
    small = folder / "small.log"
    small.write_bytes(b"".join(log.read_bytes()[: 1 << 16].splitlines(keepends=True)[:100]))
    print(f"log: {size / 2**20:.0f} MiB, {len(whole.entries)} patterns")
    print(f"raw Hyperscan, same database, same bytes: {size / raw / 1e6:.0f} MB/s")
    print(f"firstcause diagnose, whole command: {size / told / 1e6:.0f} MB/s = {raw / told:.2f} of raw (wanted: 0.6)")
    _against_re(log, size / told)
    _against_ripgrep(folder, log, size / told)
    _against_peer(folder, log, size / told)
    print(f"peak memory at {mib} MiB: {_peak(log):.0f} MB (wanted: under 300)")
    if huge:
        print(f"peak memory at 8192 MiB: {_peak(_log(folder, 8192)):.0f} MB (wanted: the same)")
    _start(small)


def _log(folder: Path, mib: int) -> Path:
    path = folder / f"serve-{mib}.log"
    return path if path.exists() else write(path, mib << 20)


def _seconds(work: Callable[[], object]) -> float:
    """The better of two runs: the first one also warms the page cache."""
    times = []
    for _ in range(2):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def _raw(whole: Detector, log: Path) -> None:
    with log.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data, memoryview(data) as view:
        for start in range(0, len(view), BLOCK):
            with view[start : start + BLOCK] as block:
                whole.database.scan(block, match_event_handler=lambda *hit: None)  # type: ignore[type-var]


def _diagnose(log: Path) -> None:
    command = [sys.executable, "-m", "firstcause", "diagnose", "--format", "json", str(log)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr


def _against_re(log: Path, rate: float) -> None:
    signals = [signal for _, signal in open_catalog().signals() if not signal.metric]
    groups = (re.sub(r"\(\?P<\w+>", "(?:", capture_pattern(s.text, s.regex).pattern) for s in signals if "(?P=" not in s.text)
    usable = [text for text in groups if "(?P=" not in text]
    pattern = re.compile("|".join(usable).encode("utf-8"))
    with log.open("rb") as file:
        lines = file.read(SAMPLE // 64).split(b"\n")
    size = sum(map(len, lines))
    spent = _seconds(lambda: [pattern.search(line) for line in lines])
    print(
        f"Python re, one alternation of the same patterns: {size / spent / 1e6:.2f} MB/s; firstcause is {rate * spent / size:.0f} times as fast (wanted: 15)"
    )


def _against_ripgrep(folder: Path, log: Path, rate: float) -> None:
    if shutil.which("rg") is None:
        print("rg: not installed")
        return
    literals = folder / "literals.txt"
    literals.write_text("\n".join(sorted(_literals())))
    spent = _seconds(lambda: subprocess.run(["rg", "-c", "-F", "-f", literals, log], capture_output=True, check=False))
    own = log.stat().st_size / spent
    print(f"rg -c -F with the longest literal of each pattern: {own / 1e6:.0f} MB/s; firstcause is {rate / own:.2f} of it")


def _literals() -> set[str]:
    found = set()
    for _, signal in open_catalog().signals():
        parts = re.split(r"\{[^{}]*\}", signal.text) if signal.text else re.split(r"[^A-Za-z0-9 _-]+", signal.regex)
        found.add(max(parts, key=len).strip())
    return {literal for literal in found if len(literal) >= 6}


def _against_peer(folder: Path, log: Path, rate: float) -> None:
    home = folder / "peer"
    if not (home / "inferlint").exists():
        command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(home), "inferlint"]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            print("inferlint: cannot be installed here")
            return
    part = folder / "part.log"
    with log.open("rb") as file:
        part.write_bytes(file.read(SAMPLE))
    code = f"import sys; sys.path.insert(0, {str(home)!r}); from inferlint.failures import classify_file; classify_file({str(part)!r})"
    spent = _seconds(lambda: subprocess.run([sys.executable, "-c", code], capture_output=True, check=False))
    own = part.stat().st_size / spent
    print(f"inferlint: {own / 1e6:.1f} MB/s; firstcause is {rate / own:.0f} times as fast")


def _peak(log: Path) -> float:
    """Peak resident size of the whole command in MB."""
    code = (
        "import resource, subprocess, sys;"
        f"subprocess.run([sys.executable, '-m', 'firstcause', 'diagnose', '--format', 'json', {str(log)!r}], capture_output=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return int(done.stdout) / unit


def _start(small: Path) -> None:
    python = _seconds(lambda: subprocess.run([sys.executable, "-c", "pass"], check=False))
    own = _seconds(lambda: _whole(small))
    print(f"a log of 100 lines, whole command: {own:.2f} s = {own / python:.0f} times `python -c pass` ({python * 1e3:.0f} ms)")


def _whole(small: Path) -> None:
    subprocess.run([sys.executable, "-m", "firstcause", "diagnose", str(small)], capture_output=True, check=False)
