"""How lines of the software around vLLM are read: what becomes a field, what stays the message."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from firstcause.errors import KnowledgeError
from firstcause.evidence.frame_check import disproved
from firstcause.evidence.framing import frame
from firstcause.knowledge.formats import BUILTIN_FORMATS, builtin, load_formats
from firstcause.model import Line

VLLM = "ERROR 10-25 13:08:43 [core.py:708] "
FRAME = '  File "/srv/env/acme/run.py", line 12, in step'


def read(raw: str | bytes) -> Line:
    return frame(raw.encode() if isinstance(raw, str) else raw, 7, 70, builtin())


def fields(raw: str | bytes) -> dict[str, object]:
    """The fields that are not empty; the process as (kind, label, pid, host)."""
    line = read(raw)
    found = {key: getattr(line, key) for key in ("level", "time", "origin", "host", "message")}
    if line.process:
        found["process"] = tuple(asdict(line.process).values())
    return {key: value for key, value in found.items() if value}


def test_place_and_text_are_kept() -> None:
    line = read("\x1b[0;36m(Worker pid=7)\x1b[0;0m text\r\n")
    assert (line.number, line.offset, line.text, line.message) == (7, 70, "(Worker pid=7) text", "text")


def test_every_sample_is_read_as_it_states() -> None:
    assert disproved(builtin()) == []


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("APIServer", "api-server"),
        ("ApiServer_7", "api-server"),
        ("EngineCore", "engine-core"),
        ("EngineCore_0", "engine-core"),
        ("EngineCore_DP0", "engine-core"),
        ("Worker", "worker"),
        ("Worker_TP0", "worker"),
        ("Worker_TP3_DCP1_EP3", "worker"),
        ("VllmWorkerProcess", "worker"),
        ("VllmWorker rank=3", "worker"),
        ("VllmWorker-0", "worker"),
        ("RayWorkerWrapper", "ray-worker"),
        ("MainProcess", "other"),
        ("VLLM_DP_Coordinator", "other"),
        ("ServeReplica:llm:Chat", "other"),
        ("MapBatches(Predictor)", "other"),
    ],
)
def test_a_process_is_known_by_its_name(label: str, kind: str) -> None:
    assert fields(f"({label} pid=42) hello") == {"message": "hello", "process": (kind, label, 42, None)}


@pytest.mark.parametrize(
    ("head", "label", "pid"),
    [
        ("(APIServer)(EngineCore_DP0) ", "EngineCore_DP0", None),
        ("(Worker)(Worker_TP1) ", "Worker_TP1", None),
        ("(Worker pid=5)(Worker_TP1 pid=5) ", "Worker_TP1", 5),
        ("(VllmWorkerProcess pid=3) (VllmWorkerProcess pid=6) ", "VllmWorkerProcess", 6),
        ("(Engine pid=8) (EngineCore_0 pid=9) ", "EngineCore_0", 9),
        ("(EngineCore_DP1) ", "EngineCore_DP1", None),
        ("(pid=1058) ", "process", 1058),
    ],
)
def test_the_innermost_process_is_the_writer(head: str, label: str, pid: int | None) -> None:
    process = read(f"{head}{VLLM}{FRAME}").process
    assert process is not None
    assert (process.label, process.pid) == (label, pid)
    assert read(f"{head}{VLLM}{FRAME}").message == FRAME


@pytest.mark.parametrize(
    ("raw", "level", "time", "origin", "message"),
    [
        ("INFO 05-09 00:49:33 scheduler.py:1057] hi", "INFO", "05-09 00:49:33", "scheduler.py:1057", "hi"),
        ("ERROR 05-09 00:49:33 engine.py:366] hi", "ERROR", "05-09 00:49:33", "engine.py:366", "hi"),
        ("WARNING 05-09 00:49:33 [core.py:390] hi", "WARNING", "05-09 00:49:33", "core.py:390", "hi"),
        ("DEBUG 05-09 00:49:33 [v1/engine/core.py:842] hi", "DEBUG", "05-09 00:49:33", "v1/engine/core.py:842", "hi"),
        ("INFO  [gpu_worker.py:642]  Available", "INFO", None, "gpu_worker.py:642", " Available"),
        ("ERROR 05-09 00:49:33 [core.py:390]", "ERROR", "05-09 00:49:33", "core.py:390", ""),
        ("blue/3> ERROR 05-09 00:49:33 [core.py:390] hi", "ERROR", "05-09 00:49:33", "core.py:390", "hi"),
        ("    ERROR 05-09 00:49:33 [core.py:390] hi", "ERROR", "05-09 00:49:33", "core.py:390", "hi"),
    ],
)
def test_vllm_records_of_all_eras(raw: str, level: str, time: str | None, origin: str, message: str) -> None:
    line = read(raw)
    assert (line.level, line.time, line.origin, line.message) == (level, time, origin, message)


@pytest.mark.parametrize(
    "raw",
    [
        FRAME,
        "    self.run()",
        "           ^^^^^^^^^^",
        "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
        "pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig",
        "api_server.py: error: unrecognized arguments: /models/chat",
        "usage: api_server.py [-h] [--headless | --no-headless]",
        "/srv/nvshmem/src/ibrc.cpp:418: non-zero status: 110 ibv_modify_qp failed",
        "/srv/env/x.py:139: FutureWarning: use ReduceOp instead",
        "Fatal Python error: Segmentation fault",
        "*** SIGSEGV received at time=1770000000 on cpu 3 ***",
        "Bus error (core dumped)",
        "panic: runtime error: invalid memory address or nil pointer dereference",
        "thread 'main' panicked at src/router.rs:12:5: no workers",
        "(llm) user@host:~/work$ vllm serve acme/chat",
        "llama_model: 8 experts | 2 active",
        '{"error": {"message": "The model does not exist.", "type": "NotFoundError", "code": 404}}',
        '{"model": "acme/chat", "messages": [{"role": "user", "content": "hi"}]}',
        "config.json: 100%|####| 600/600",
        "Exception: (it failed)",
        ">>> llm.generate(prompts)",
        "404: Not Found",
    ],
)
def test_a_line_without_head_is_its_own_message(raw: str) -> None:
    assert fields(raw) == {"message": raw}


@pytest.mark.parametrize(
    ("outer", "host"),
    [
        ("llm-1  | ", "llm-1"),
        ("2026-01-02T03:04:05.123456789Z stderr F ", None),
        ("2026-01-02T03:04:05.123456789Z ", None),
        ("[pod/llm-0/vllm] ", "pod/llm-0/vllm"),
        ("[pod/llm-0/vllm] 2026-01-02T03:04:05.123456789Z ", "pod/llm-0/vllm"),
        ("llm-7d9c5b6f4-x2x9k vllm ", "llm-7d9c5b6f4-x2x9k vllm"),
        ("Nov 30 22:59:40 node-3 vllm[4242]: ", "node-3"),
        ("2026-11-30T22:59:40+0100 node-3 vllm[4242]: ", "node-3"),
        ("0: ", "0"),
        ("[1,0]<stderr>:", "1,0"),
        ("logs/rank0.out:", "logs/rank0.out"),
        ("serve.log:12:", "serve.log"),
        ("12:", None),
        ("   12\t", None),
        ("2026-01-02T03:04:05.1234567Z ", None),
        ("2026-01-02T03:04:05.123456Z 01O ", None),
        ("e2e\tRun tests\t2026-01-02T03:04:05.1234567Z ", None),
        ("2026-04-21 10:50:43 ", None),
        ("[2026-04-21 10:50:43,123] ", None),
        ("[10:50:43] ", None),
        ("> ", None),
        ("> > ", None),
        ("2024-11-18T16:43:45,496 [INFO ] W-9000-chat_1.0-stdout MODEL_LOG - ", None),
        ("2026-03-12 10:02:14 | ERROR | stderr | ", None),
        ("serve.log:llm-1  | 2026-01-02T03:04:05Z ", "llm-1"),
    ],
)
@pytest.mark.parametrize("rest", [FRAME, "Traceback (most recent call last):", "ValueError: too short", "    raise e"])
def test_a_wrapper_goes_and_the_indentation_stays(outer: str, host: str | None, rest: str) -> None:
    line = read(outer + rest)
    assert (line.message, line.host) == (rest, host)


@pytest.mark.parametrize("outer", ["llm-1  | ", "2026-04-21 10:50:43 ", "Nov 30 22:59:40 n vllm[1]: ", "3: ", "a.log:"])
def test_vllms_own_time_wins_over_the_collectors(outer: str) -> None:
    line = read(f"{outer}(EngineCore pid=9) {VLLM}{FRAME}")
    assert (line.time, line.level, line.origin, line.message) == ("10-25 13:08:43", "ERROR", "core.py:708", FRAME)
    assert line.process is not None
    assert (line.process.label, line.process.host) == ("EngineCore", line.host)


def test_ray_names_the_address_and_three_heads_are_read() -> None:
    raw = (
        "2026-01-02T03:04:05Z (RayWorkerWrapper pid=9, ip=10.0.0.8) [rank8]:[E ProcessGroupGloo.cpp:144] "
        "Gloo connectFullMesh failed [repeated 30x across cluster]"
    )
    assert fields(raw) == {
        "level": "ERROR",
        "time": "2026-01-02T03:04:05Z",
        "origin": "ProcessGroupGloo.cpp:144",
        "message": "Gloo connectFullMesh failed",
        "process": ("ray-worker", "RayWorkerWrapper", 9, "10.0.0.8"),
    }


def test_a_weak_head_is_not_taken_off_a_message() -> None:
    assert read(f"{VLLM}WARNING: do not").message == "WARNING: do not"
    assert read(f"{VLLM}WARNING: do not").level == "ERROR"


@pytest.mark.parametrize(
    ("raw", "message", "level", "host"),
    [
        ({"log": f"{VLLM}{FRAME}\n", "stream": "stderr", "time": "2026-01-02T03:04:05Z"}, FRAME, "ERROR", None),
        ({"level": "error", "ts": 1.5, "msg": "no", "error": "why"}, "no\nwhy", "ERROR", None),
        ({"level": 50, "time": 1767323045123, "msg": "no", "err": {"a": 1}}, "no", "ERROR", None),
        ({"levelname": "ERROR", "asctime": "x", "message": "no", "exc_info": "T\nK"}, "no\nT\nK", "ERROR", None),
        ({"event": "no", "level": "warning", "timestamp": "2026"}, "no", "WARNING", None),
        ({"text": "t\n", "record": {"level": {"name": "ERROR"}, "message": "t"}}, "t", "ERROR", None),
        ({"MESSAGE": list(b"\x1b[31mKeyError: 1"), "_HOSTNAME": "n", "PRIORITY": "3"}, "KeyError: 1", "ERROR", "n"),
        ({"jsonPayload": {"message": "no"}, "severity": "ERROR", "timestamp": "2026"}, "no", "ERROR", None),
        ({"line": "KeyError: 1", "timestamp": "1", "fields": {"pod": "llm-0"}}, "KeyError: 1", None, "llm-0"),
        ({"message": "KeyError: 1", "ingestionTime": 2, "timestamp": 1}, "KeyError: 1", None, None),
        ({"log": '{"level":"error","ts":1,"msg":"inner"}\n', "stream": "stdout", "time": "2026"}, "inner", "ERROR", None),
    ],
)
def test_json_lines_are_unwrapped(raw: dict[str, object], message: str, level: str | None, host: str | None) -> None:
    line = read(json.dumps(raw))
    assert (line.message, line.level, line.host) == (message, level, host)


@pytest.mark.parametrize(
    "outer", ["llm-1  | ", "2026-01-02T03:04:05Z stdout F ", "[pod/llm-0/router] ", "Nov 30 22:59:40 n x[1]: "]
)
def test_json_behind_a_wrapper_is_unwrapped(outer: str) -> None:
    line = read(outer + '{"level":"warn","ts":1.5,"caller":"pick.go:7","msg":"no endpoint"}')
    assert (line.message, line.level, line.origin, line.time) == ("no endpoint", "WARNING", "pick.go:7", "1.5")


def test_json_that_was_cut_off_still_tells_its_message() -> None:
    raw = json.dumps({"severity": "ERROR", "timestamp": "2026-01-02T03:04:05Z", "textPayload": 'say "no"\nand ' + "x" * 99})
    line = read(raw[:-40])
    assert line.message.startswith('say "no"\nand xxx')
    assert (line.level, line.time) == ("ERROR", "2026-01-02T03:04:05Z")


def test_each_line_of_a_decoded_record_loses_its_head() -> None:
    inner = f"(Worker pid=7) {VLLM}Traceback (most recent call last):\n(Worker pid=7) {VLLM}{FRAME}\n"
    line = read(json.dumps({"log": inner, "stream": "stderr", "time": "2026"}))
    assert line.message == f"Traceback (most recent call last):\n{FRAME}"


def test_csv_exports_are_unwrapped() -> None:
    line = read('"2026-01-02T03:04:05.123Z","node-3","error","(Worker pid=7) KeyError: ""x"""')
    assert (line.message, line.level, line.time) == ('KeyError: "x"', "ERROR", "2026-01-02T03:04:05.123Z")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"\x1b[0;36m(Worker pid=7)\x1b[0;0m \x1b[1mbold\x1b[0m\x1b[K", "bold"),
        (b"[0;36m(Worker pid=7)[0;0m text", "text"),
        (b"#033[36m(Worker pid=7)#033[0m text", "text"),
        (b"^[[36m(Worker pid=7)^[[0m text", "text"),
        (b"\x1b]0;title\x07text\x1b(B", "text"),
        (b"text\r", "text"),
        (b"text\r\r\n", "text"),
        (b"Loading:  25%\rLoading:  50%\rLoading: 100%\r   \r", "Loading: 100%"),
        (b"\xef\xbb\xbftext", "text"),
        (b"caf\xe9 \xff", "caf� �"),
        ("It’s “quoted”".encode(), "It’s “quoted”"),
        (b"a\x00b\x07c\x9b", "abc�"),
        ("a\u202eb\u2066c".encode(), "abc"),
        (b"index[1m] and [multi]", "index[1m] and [multi]"),
        (b"```", "```"),
        (b"", ""),
        (b"\r", ""),
    ],
)
def test_colours_and_control_characters_go(raw: bytes, message: str) -> None:
    expected = "index] and [multi]" if message.startswith("index") else message
    assert read(raw).message == expected


def test_only_the_first_16_kilobytes_are_looked_at() -> None:
    assert len(read(b"x" * 20_000).text) == 16_384


def test_tabs_in_a_message_stay() -> None:
    assert read("(Worker pid=7) a\tb").message == "a\tb"


def test_a_quoted_list_without_a_time_is_no_export() -> None:
    assert read('"a","b"').message == '"a","b"'


def test_escapes_of_json_that_was_cut_off() -> None:
    raw = r'{"level": "error", "ts": 7, "msg": "caf\u00e9 \ud800 \q C:\\dir'
    assert fields(raw) == {"level": "ERROR", "time": "7", "message": "café � q C:\\dir"}


def test_names_of_processes_are_remembered_up_to_a_limit() -> None:
    formats = load_formats(BUILTIN_FORMATS)[0]
    kinds = {formats.kind_of(f"Acme{number}") for number in range(10_010)}
    assert kinds == {"other"}
    assert formats.kind_of("Worker_TP1") == "worker"


# ---- broken files


def write(folder: Path, text: str) -> list[str]:
    (folder / "acme.toml").write_text(text, encoding="utf-8")
    return [str(problem) for problem in load_formats(folder)[1]]


GOOD = """
[[format]]
id = "acme"
title = "Acme"
kind = "prefix"
regex = 'ACME (?P<level>[A-Z]+) '
[[format.sample]]
line = 'ACME ERROR no'
message = 'no'
level = 'ERROR'
"""


def test_a_good_file_has_no_problems(tmp_path: Path) -> None:
    assert write(tmp_path, GOOD) == []
    assert disproved(load_formats(tmp_path)[0]) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("id =", "idd =", "format[1].idd: is not a key of this format"),
        ('"prefix"', '"prefx"', "format[1] acme.kind: is 'prefx'; expected one of"),
        ("(?P<level>", "(?P<", "format[1] acme.regex: "),
        ("(?P<level>", "(?P<lvl>", "names the group 'lvl'"),
        ("[[format.sample]]", "[[format.samples]]", "format[1].samples: is not a key"),
        ("line =", "lines =", "sample[1].lines: is not a key"),
        ("message = 'no'", "", "states no line or no message"),
        ('title = "Acme"', "title = 3", "format[1].title: is a int; expected a str"),
        ("[[format]]", "[[formats]]", "formats: is not a key"),
        ('kind = "prefix"', 'kind = "prefix"\nlevels = { X = "LOUD" }', "levels.X: is 'LOUD'"),
        ('kind = "prefix"', 'kind = "prefix"\ndecode = "xml"', "decode: is 'xml'"),
        ('kind = "prefix"', 'kind = "prefix"\nkeys = { msg = ["a"] }', "keys.msg: is not a field"),
        ('kind = "prefix"', 'kind = "prefix"\ndecode = "json"', "decode: is without starts or keys.message"),
        ('kind = "prefix"', 'kind = "prefix"\nkeys = { message = "a" }', "keys.message: is something else"),
        ('kind = "prefix"', 'kind = "prefix"\ncontains = [1]', "contains: is something else"),
        ("ACME ERROR no'", "ACME ERROR no", "(file): "),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, old: str, new: str, told: str) -> None:
    found = write(tmp_path, GOOD.replace(old, new, 1))
    assert any(told in text for text in found), found
    assert all(text.startswith("formats/acme.toml: ") for text in found)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("line = 'ACME ERROR no'", "line = 'OTHER no'", "is read by no format"),
        ("message = 'no'", "message = 'yes'", "message is read as 'no', stated is 'yes'"),
        ("level = 'ERROR'", "", "level is read as 'ERROR', stated is None"),
    ],
)
def test_a_sample_that_proves_nothing_is_told(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert write(tmp_path, GOOD.replace(old, new, 1)) == []
    assert any(told in text for text in disproved(load_formats(tmp_path)[0]))


def test_a_sample_that_another_format_takes_away_is_told(tmp_path: Path) -> None:
    thief = GOOD.replace('"acme"', '"thief"').replace("ACME (?P<level>[A-Z]+) ", "A(?P<level>C)ME ").replace("ERROR", "C")
    write(tmp_path, GOOD + thief.replace('kind = "prefix"', 'kind = "prefix"\norder = 1'))
    assert any("acme: sample 'ACME ERROR no': is read by thief" in text for text in disproved(load_formats(tmp_path)[0]))


def test_an_id_given_twice_and_a_process_without_sample_are_told(tmp_path: Path) -> None:
    found = write(tmp_path, GOOD + GOOD + "[[process]]\nkind = 'wrker'\nlabel = 'A.*'\n")
    assert [text.split(": ", 2)[1] for text in found] == ["process[1].kind", "process[1].samples", "acme"]
    found = write(tmp_path, "[[process]]\nkind = 'worker'\nlabel = 'A.*'\nsamples = ['B']\n")
    assert found == ["formats/acme.toml: process[1].samples: 'B' is not read by the label's expression"]


def test_tables_that_are_none_are_told(tmp_path: Path) -> None:
    assert write(tmp_path, "format = [3]") == ["formats/acme.toml: format[1]: is not a table; expected [[format]]"]
    assert any("sample: is missing" in text for text in write(tmp_path, GOOD.split("[[format.sample]]")[0]))


def test_a_mistake_in_a_builtin_format_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "format = [3]")
    monkeypatch.setattr("firstcause.knowledge.formats.BUILTIN_FORMATS", tmp_path)
    with pytest.raises(KnowledgeError):
        builtin.__wrapped__()


def test_the_builtin_formats_are_whole() -> None:
    assert load_formats(BUILTIN_FORMATS)[1] == []
    assert len(builtin().formats) > 60
