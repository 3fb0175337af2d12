"""Which line each way of reading calls the cause, on cases with a known one. firstcause itself is scored by ../shared/score.py."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ERROR = re.compile(r"\b[A-Za-z_][\w.]*(?:Error|Exception)\b: ")
Reading = Callable[[list[str]], str]


def first_error(lines: list[str]) -> str:
    """The first line that looks like an exception."""
    return next((line for line in lines if ERROR.search(line)), "")


def last_error(lines: list[str]) -> str:
    """The last line that looks like an exception."""
    return next((line for line in reversed(lines) if ERROR.search(line)), "")


def last_line(lines: list[str]) -> str:
    """The last line that is not blank."""
    return next((line for line in reversed(lines) if line.strip()), "")


READINGS: dict[str, Reading] = {"first XxxError line": first_error, "last XxxError line": last_error, "last line": last_line}


def report(folders: list[Path], data: Path) -> None:
    """Print, per folder of cases, the share of strict cases in which each way points at a right line."""
    for folder in folders:
        cases = list(_cases(folder))
        for name, reading in READINGS.items():
            right = sum(_same(reading(lines), roots) for lines, roots in cases)
            print(f"{folder.name}: {name}: {100 * right / len(cases):.0f} % of {len(cases)} (line only)")
        told = sum(_same(_firstcause(path), roots) for path, roots in _paths(folder))
        print(f"{folder.name}: firstcause: {100 * told / len(cases):.0f} % (line only)")


def _cases(folder: Path) -> Iterator[tuple[list[str], list[str]]]:
    for path, roots in _paths(folder):
        yield [line for file in sorted(path.glob("input*")) for line in file.read_text(errors="replace").split("\n")], roots


def _paths(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    for truth in sorted(folder.glob("*/truth.json")):
        data = json.loads(truth.read_text())
        if data.get("strict", True) and data.get("root_line"):
            yield truth.parent, data.get("root_lines") or [data["root_line"]]


def _firstcause(path: Path) -> str:
    files = [str(file) for file in sorted(path.glob("input*"))]
    done = subprocess.run(
        [sys.executable, "-m", "firstcause", "diagnose", "--format", "json", *files], capture_output=True, check=False
    )
    report = json.loads(done.stdout)
    answers = report["causes"] or report["conditions"]
    return str(answers[0]["evidence"][0]["text"]) if answers else ""


def _same(told: str, roots: list[str]) -> bool:
    told = _plain(told)
    return len(told) >= 8 and any(told in _plain(root) or _plain(root) in told for root in roots)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"\x1b?\[[0-9;]*m", "", text).split())
