"""The shape of the code: the flow goes one way, and stages share words, not each other."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "firstcause"
STAGES = ("evidence", "observe", "reason", "report")
SHARED = ("model", "errors", "knowledge")


def imported(path: Path) -> set[str]:
    """First part below `firstcause` of everything the file imports from this project."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("firstcause."):
            names.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            names |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("firstcause.")}
    return names


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_imports_no_other_stage(stage: str) -> None:
    for path in (ROOT / stage).rglob("*.py"):
        foreign = imported(path) - {stage, *SHARED}
        assert not foreign, f"{path.relative_to(ROOT)} imports {foreign}"


def test_knowledge_imports_no_stage() -> None:
    for path in (ROOT / "knowledge").rglob("*.py"):
        assert imported(path) <= {"knowledge", *SHARED}, path


def test_live_collects_only() -> None:
    for path in (ROOT / "live").rglob("*.py"):
        assert imported(path) <= {"live", *SHARED}, path


def test_only_the_command_line_prints() -> None:
    for path in ROOT.rglob("*.py"):
        if "cli" not in path.parts:
            calls = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
            assert not any(isinstance(c.func, ast.Name) and c.func.id == "print" for c in calls), path
