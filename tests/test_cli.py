"""The command line: exit codes, messages, and what a shell, a container or another process does to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

BROKEN = Path(__file__).parent / "broken"
EXAMPLE = Path(__file__).parent.parent / "examples" / "failed-start.log"
OWN = """
id      = "disk-on-fire"
title   = "The disk is on fire"
stack   = "vllm"
phase   = "startup"
role    = "cause"
summary = "The disk of {host|the node} is on fire."

[[signal]]
text     = "the disk of {host:word} is on fire"
seen     = ["ERROR the disk of node7 is on fire"]
not_seen = ["the disk is full"]

[[remedy]]
title = "Put it out"

[[example]]
name   = "fire"
expect = "confirmed"
[example.files]
"serve.log" = "ERROR the disk of node7 is on fire\\n"
"""
SECRETS = {
    "hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345": "hf_AbCdEfGhIj",
    "sk-proj-abcdefghij0123456789ABCDEF": "abcdefghij0123456789",
    "Authorization: Bearer 8f14e45fceea167a5a36dedd4bea2543": "ceea167a5a36",
    "https://user:hunter2secret@host/x": "hunter2secret",
    "VLLM_API_KEY=topsecretvalue123": "topsecretvalue123",
    "vllm serve m --api-key anothersecret99": "anothersecret99",
}


def firstcause(
    *arguments: str | Path, stdin: bytes = b"", env: Mapping[str, str | None] | None = None
) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **(env or {})}
    given = {name: value for name, value in environment.items() if value is not None}
    command = [sys.executable, "-m", "firstcause", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, env=given, timeout=120, check=False)
    assert b"Traceback (most recent call last)" not in done.stderr, done.stderr
    return done


def put(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def own(tmp_path: Path) -> Path:
    put(tmp_path / "knowledge" / "disk-on-fire.toml", OWN)
    return tmp_path / "knowledge"


def test_a_failure_exits_with_1() -> None:
    assert firstcause("diagnose", EXAMPLE).returncode == 1


def test_what_is_not_in_the_evidence_exits_with_1(tmp_path: Path) -> None:
    done = firstcause("diagnose", put(tmp_path / "a.log", "hello\n"), "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (1, "not-in-evidence")


def test_a_server_that_runs_exits_with_0(tmp_path: Path) -> None:
    log = put(tmp_path / "a.log", "(APIServer pid=1) INFO:     Application startup complete.\n")
    assert firstcause("diagnose", log).returncode == 0


@pytest.mark.parametrize("data", [b"", None, b"\x7fELF\x02\x01\x01" + bytes(500)])
def test_nothing_readable_exits_with_3_and_a_gap(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "a.log"
    if data is not None:
        put(path, data)
    done = firstcause("diagnose", path, "--format", "json")
    assert (done.returncode, len(json.loads(done.stdout)["gaps"]) > 0) == (3, True)


def test_empty_standard_input_exits_with_3() -> None:
    assert firstcause("diagnose", "-").returncode == 3


def test_a_missing_file_beside_a_readable_one_is_a_gap(tmp_path: Path) -> None:
    done = firstcause("diagnose", EXAMPLE, tmp_path / "missing.log", "--format", "json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert report["causes"][0]["recognised"]
    assert any("missing.log" in gap["what"] and gap["how"] for gap in report["gaps"])


def test_a_pipe_that_is_named_is_read_like_standard_input() -> None:
    command = f'"{sys.executable}" -m firstcause diagnose <(cat "{EXAMPLE}") --format json'
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=120, check=False)
    assert json.loads(done.stdout)["causes"][0]["id"] == "kv-blocks-override-too-small", done.stderr


@pytest.mark.parametrize("arguments", [("diagnose",), ("diagnose", "a", "--format", "pdf"), ("nonsense",), ()])
def test_wrong_usage_exits_with_2(arguments: tuple[str, ...]) -> None:
    assert firstcause(*arguments).returncode == 2


def test_an_output_file_in_a_missing_folder_is_refused_with_what_to_do(tmp_path: Path) -> None:
    done = firstcause("diagnose", EXAMPLE, "-o", tmp_path / "no" / "report.md")
    assert done.returncode == 2
    assert b"cannot be written" in done.stderr
    assert b"a folder that exists" in done.stderr


def test_a_folder_of_ones_own_knowledge_is_used(tmp_path: Path, own: Path) -> None:
    log = put(tmp_path / "a.log", "ERROR the disk of node7 is on fire\n")
    done = firstcause("diagnose", log, "--knowledge", own, "--format", "json")
    assert json.loads(done.stdout)["causes"][0]["summary"] == "The disk of node7 is on fire."


def test_every_mistake_of_a_knowledge_folder_is_told_at_once_with_its_place() -> None:
    done = firstcause("diagnose", EXAMPLE, "--knowledge", BROKEN / "mistakes")
    told = done.stderr.decode()
    assert done.returncode == 2
    for part in (
        "many-mistakes.toml: colour",
        "many-mistakes.toml: summary: is missing",
        "many-mistakes.toml: id: is 'another-name'",
    ):
        assert part in told
    assert "bad-pattern.toml: signal[1].regex" in told
    assert "bad-pattern.toml: signal[2].text: unknown hole type 'nonsense'" in told


def test_a_file_that_is_no_toml_is_located() -> None:
    done = firstcause("diagnose", EXAMPLE, "--knowledge", BROKEN / "syntax")
    assert (done.returncode, b"not-toml.toml" in done.stderr, b"line 2" in done.stderr) == (2, True, True)


def test_an_id_that_exists_already_is_refused(own: Path) -> None:
    put(own / "kv-blocks-override-too-small.toml", OWN.replace("disk-on-fire", "kv-blocks-override-too-small"))
    done = firstcause("diagnose", EXAMPLE, "--knowledge", own)
    assert (done.returncode, b"is given twice" in done.stderr) == (2, True)


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    done = firstcause("diagnose", EXAMPLE, "--knowledge", tmp_path / "none")
    assert (done.returncode, b"is not a folder" in done.stderr) == (2, True)


@pytest.mark.parametrize("format", ["terminal", "json", "markdown"])
@pytest.mark.parametrize("to_file", [False, True])
def test_no_secret_and_no_control_sequence_is_written(tmp_path: Path, format: str, to_file: bool) -> None:
    nasty = "\x1b]8;;http://evil\x07click\x1b]8;;\x07\x1b[31m\x9b1m\u202eevil\x00"
    lines = [f"ERROR RuntimeError: {nasty} {secret}" for secret in SECRETS]
    log = put(tmp_path / "a\x1b[31m\u202e.log", "\n".join(lines) + "\n")
    out = tmp_path / "report"
    done = firstcause("diagnose", log, "--format", format, *(["-o", str(out)] if to_file else []))
    text = out.read_text() if to_file else done.stdout.decode()
    assert text
    assert not set(text) & {"\x1b", "\x9b", "\x07", "\u202e", "\x00"}
    assert not [hidden for hidden in SECRETS.values() if hidden in text]


def test_a_reader_that_stops_reading_changes_nothing() -> None:
    command = f'"{sys.executable}" -m firstcause catalog list | head -1; echo ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=120, check=False)
    assert done.stdout.decode().split()[-1] == "0"
    assert done.stderr == b""


@pytest.mark.parametrize("place", ["/dev/null/no", "/proc/no"])
def test_a_cache_that_cannot_be_written_is_no_reason_to_fail(own: Path, place: str) -> None:
    assert firstcause("explain", "kv-blocks-override-too-small", env={"FIRSTCAUSE_CACHE": place}).returncode == 0


def test_no_home_is_no_reason_to_fail() -> None:
    code = "import pwd, pathlib, sys; pathlib.Path.home = classmethod(lambda c: (_ for _ in ()).throw(RuntimeError()))\n"
    code += "from firstcause.cli import main; sys.exit(main(['explain', 'kv-blocks-override-too-small']))"
    env = {k: v for k, v in os.environ.items() if k not in ("FIRSTCAUSE_CACHE", "XDG_CACHE_HOME", "HOME")}
    assert subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda data: b"garbage" * 99, lambda data: b"", lambda data: b"[]"]
)
def test_damaged_cache_files_are_made_anew(cache: Path, damage: object) -> None:
    before = firstcause("diagnose", EXAMPLE, "--format", "json").stdout
    for path in cache.iterdir():
        if path.name.startswith("outline") or damage is not None:
            path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    assert firstcause("diagnose", EXAMPLE, "--format", "json").stdout == before


def test_the_same_evidence_gives_the_same_bytes() -> None:
    runs = [firstcause("diagnose", EXAMPLE, "--format", "json", env={"PYTHONHASHSEED": seed}).stdout for seed in ("1", "2")]
    assert runs[0] == runs[1]


def test_json_needs_no_terminal_library() -> None:
    code = f"import sys; from firstcause.cli import main; main(['diagnose', {str(EXAMPLE)!r}, '--format', 'json'])\n"
    code += "sys.exit(int(any(name in sys.modules for name in ('rich', 'jsonschema'))))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_explain_knows_an_id_words_and_a_pasted_message() -> None:
    assert firstcause("explain", "kv-blocks-override-too-small").stdout.startswith(b"# num_gpu_blocks_override")
    assert b"out-of-memory" in firstcause("explain", "out", "of", "memory").stdout
    pasted = firstcause(
        "explain", "To serve at least one request with the model's max seq len (2048), (0.0 GiB KV cache is needed"
    )
    assert (pasted.returncode, b"kv" in pasted.stdout) == (0, True)


def test_explain_says_what_it_does_not_know() -> None:
    done = firstcause("explain", "xyzzy", "plugh")
    assert (done.returncode, b"nothing is known about 'xyzzy plugh'" in done.stderr) == (2, True)


def test_the_catalog_is_listed_and_covered() -> None:
    rows = firstcause("catalog", "list").stdout.decode().splitlines()
    assert len(rows) > 100
    assert all(len(row.split()) > 3 for row in rows)
    assert firstcause("catalog", "coverage").returncode in (0, 1)
