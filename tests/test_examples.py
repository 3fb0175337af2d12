"""Whole files of a real vLLM: the failure gets its cause, the healthy start stays quiet."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[1] / "examples"


def diagnosed(name: str) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, "-m", "firstcause", "diagnose", "--format", "json", str(EXAMPLES / name)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    return done.returncode, json.loads(done.stdout)


def test_a_failed_start_gets_its_cause() -> None:
    code, report = diagnosed("failed-start.log")
    assert code == 1
    assert [cause["id"] for cause in report["causes"]] == ["kv-blocks-override-too-small"]
    assert report["causes"][0]["evidence"][0]["line"] == 68


def test_a_healthy_start_and_stop_is_healthy() -> None:
    code, report = diagnosed("healthy-start.log")
    assert (code, report["verdict"], report["causes"], report["conditions"]) == (0, "healthy", [], [])
