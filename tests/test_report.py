"""The report says what the diagnosis says: as the contract, on a terminal, in Markdown; the same evidence gives the same bytes."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.cells import cell_len

from firstcause.errors import UsageError
from firstcause.knowledge.schema import Failure, Remedy, Role
from firstcause.model import Diagnosis, Finding, Gap, Incident, Line, Observation, Process, Record, Status, Value, Verdict
from firstcause.report import document as document_module
from firstcause.report.document import document
from firstcause.report.markdown import code, fenced, markdown, plain
from firstcause.report.render import FORMATS, render
from firstcause.report.rows import wrapped

SCHEMA = json.loads((Path(document_module.__file__).parent / "report-v1.schema.json").read_text())

KV_LINE = (
    "(EngineCore_DP0 pid=211) ERROR 10-22 12:00:01 [core.py:842] ValueError: To serve at least one request with the models's max seq "
    "len (131072), (16.00 GiB KV cache is needed, which is larger than the available KV cache memory (9.14 GiB). Based on the "
    "available memory, the estimated maximum model length is 74880."
)
START_LINE = "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"
HUB_LINE = (
    "(APIServer pid=1) INFO 10-22 11:59:01 [utils.py:253] non-default args: {'hf_token': 'hf_QwErTyUiOpAsDfGhJkLzXc123456'}"
)

KV = Failure(
    "kv-cache-too-small",
    "The KV cache cannot hold one request of the maximum length",
    "vllm",
    "startup",
    Role.CAUSE,
    "One request of {max_model_len} tokens needs {needed_gib} GiB of KV cache, {available_gib} GiB are there.",
    (),
    why="The cache must hold one request of the maximum length.",
    leads_to=("engine-core-start-failed",),
    compute={"missing_gib": "needed_gib - available_gib", "unknown": "needed_gib * nothing"},
    remedies=(
        Remedy(
            "Start with a shorter maximum length",
            {"flag": "--max-model-len", "value": "{estimated_max|8192}"},
            ("vllm serve {model|MODEL} --max-model-len {estimated_max|8192}",),
            "longer requests are refused with HTTP 400",
            "restart",
        ),
        Remedy("Store the cache in 8 bits", {"flag": "--kv-cache-dtype", "value": "fp8"}),
    ),
    avoid=("Copying --kv-cache-memory-bytes from another machine",),
    check=("nvidia-smi --query-gpu=memory.free --format=csv",),
    refs=("vllm/v1/core/kv_cache_utils.py",),
)
START = Failure(
    "engine-core-start-failed",
    "The engine core did not start: only the report of the failure",
    "vllm",
    "startup",
    Role.CONSEQUENCE,
    "",
    (),
    gaps=(("the lines of the engine core", "the API server only repeats it", "kubectl logs {pod|POD} --previous"),),
)
SLOW = Failure(
    "nccl-without-rdma",
    "NCCL uses TCP between the nodes",
    "distributed",
    "serving",
    Role.CONDITION,
    "There is no RDMA device.",
    (),
)
QUIET = Failure("ulimit-warning", "A small limit of open files", "vllm", "startup", Role.BENIGN, "", (), why="Only a precaution.")
FAILURES = {failure.id: failure for failure in (KV, START, SLOW, QUIET)}


def seen(
    failure: str, text: str, number: int, values: dict[str, Value] | None = None, process: str = "EngineCore_DP0", **more: Any
) -> Observation:
    line = Line(number, number * 100, text, text, Process("engine-core", process, 211), "ERROR", "10-22 12:00:01")
    return Observation(failure, more.pop("signal", "s1"), Record("logs/serve.log", line), values or {}, number, **more)


def found(*observations: Observation, status: Status = Status.CONFIRMED, by: tuple[str, ...] = ()) -> Finding:
    values = {name: value for one in reversed(observations) for name, value in one.values.items()}
    return Finding(observations[0].failure, status, observations, values, by)


VALUES: dict[str, Value] = {"max_model_len": 131072, "needed_gib": 16.0, "available_gib": 9.14, "estimated_max": 74880}
CAUSE = found(seen(KV.id, KV_LINE, 212, VALUES), seen(KV.id, KV_LINE, 230, VALUES, count=7))
FOLLOWER = found(seen(START.id, START_LINE, 240, process="APIServer"), by=(KV.id,))
CONDITION = found(seen(SLOW.id, "NCCL INFO NET/IB : No device found.", 40))
BENIGN = found(seen(QUIET.id, "WARNING Found ulimit of 1024", 9))
STRANGE_VALUES: dict[str, Value] = {
    "type": "vllm.errors.StrangeError",
    "message": "no such plan: 0x7f\nmore",
    "frame": "worker/gpu_worker.py:f",
}
STRANGE = found(
    seen("", "StrangeError: no such plan: 0x7f", 7, STRANGE_VALUES, signal="exception", phase="load"), status=Status.SUSPECTED
)
FAILED = Diagnosis(
    Verdict.FAILURE,
    (CAUSE,),
    (FOLLOWER,),
    (CONDITION,),
    (BENIGN,),
    (Gap("{node}.log", "no such file", "check the path"),),
    (
        Incident(1, "logs/serve.log", 1, Verdict.NOT_IN_EVIDENCE),
        Incident(2, "logs/serve.log", 200, Verdict.FAILURE, KV.id),
    ),
    {"vllm": "0.11.2", "model": "acme/chat-8b", "hf_token": "abc123xyz9"},
)
OPEN = Diagnosis(Verdict.NOT_IN_EVIDENCE, consequences=(replace(FOLLOWER, explained_by=()), BENIGN), gaps=(Gap(*START.gaps[0]),))
MUTE = Diagnosis(Verdict.NOT_IN_EVIDENCE, (STRANGE,), (replace(STRANGE, failure="unrecognised:x"), FOLLOWER))
NOTHING = Diagnosis(Verdict.NOT_IN_EVIDENCE)
DEGRADED = Diagnosis(Verdict.DEGRADED, conditions=(found(*CAUSE.observations), CONDITION))
HEALTHY = Diagnosis(Verdict.HEALTHY, benign=(BENIGN,) * 6)
TWO = Diagnosis(Verdict.FAILURE, (replace(CAUSE, status=Status.SUSPECTED), CAUSE, STRANGE), (FOLLOWER,) * 7)
UNKNOWN = Diagnosis(Verdict.FAILURE, (STRANGE,))
ALL = (FAILED, OPEN, MUTE, NOTHING, DEGRADED, HEALTHY, TWO, UNKNOWN)


def report(diagnosis: Diagnosis) -> dict[str, Any]:
    return document(diagnosis, FAILURES)


def shown(diagnosis: Diagnosis, width: int = 100) -> str:
    return render(report(diagnosis), "terminal", width, color=False)


# --- the document


@pytest.mark.parametrize("diagnosis", ALL)
def test_every_report_keeps_the_contract(diagnosis: Diagnosis) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(report(diagnosis), SCHEMA, jsonschema.Draft202012Validator)


@pytest.mark.parametrize("diagnosis", ALL)
@pytest.mark.parametrize("format", FORMATS)
def test_the_same_evidence_gives_the_same_bytes(diagnosis: Diagnosis, format: str) -> None:
    assert render(report(diagnosis), format, 80, True) == render(report(diagnosis), format, 80, True)


def test_the_document_tells_the_cause_with_its_proof_and_its_fix() -> None:
    told = report(FAILED)
    assert list(told) == ["schema", "verdict", "causes", "consequences", "conditions", "benign", "gaps", "incidents", "stack"]
    cause = told["causes"][0]
    assert cause["summary"] == "One request of 131072 tokens needs 16 GiB of KV cache, 9.14 GiB are there."
    assert cause["values"] == {**VALUES, "missing_gib": 6.86, "model": "acme/chat-8b"}
    assert cause["evidence"][0] == {
        "source": "logs/serve.log",
        "line": 212,
        "process": "EngineCore_DP0 pid=211",
        "time": "10-22 12:00:01",
        "text": KV_LINE,
    }
    assert cause["evidence"][1]["count"] == 7
    assert cause["remedies"][0]["set"] == {"flag": "--max-model-len", "value": "74880"}
    assert told["consequences"][0]["explained_by"] == [KV.id]
    assert told["incidents"][0]["cause"] is None


def test_commands_are_filled_from_the_facts_of_the_run() -> None:
    told = report(FAILED)["causes"][0]
    assert told["remedies"][0]["commands"] == ["vllm serve acme/chat-8b --max-model-len 74880"]
    assert "vllm" not in told["values"]  # no text of this failure speaks of it; it stands in the stack
    assert report(FAILED)["stack"] == {"hf_token": "ab…[masked]", "model": "acme/chat-8b", "vllm": "0.11.2"}


def test_secrets_and_control_sequences_are_gone_from_every_string() -> None:
    hostile = "\x1b]0;x\x07" + HUB_LINE
    finding = found(seen(KV.id, hostile, 3, {"max_model_len": "\x1b[31m5", "api_key": "abc123xyz9"}))
    told = json.dumps(report(replace(FAILED, causes=(finding,), gaps=(Gap(hostile, hostile, hostile),))), ensure_ascii=False)
    assert "hf_Qw…[masked]" in told
    assert "QwErTy" not in told
    assert "123xyz9" not in told
    assert "\\u001b" not in told


def test_evidence_is_one_line_each_none_twice_at_most_five_and_cut() -> None:
    many = [seen(KV.id, "x" * 9000, number // 2) for number in range(2, 30)]
    pieces = report(Diagnosis(Verdict.FAILURE, (found(*many),)))["causes"][0]["evidence"]
    assert [piece["line"] for piece in pieces] == [1, 2, 3, 4, 5]
    assert pieces[0]["text"] == "x" * 2000


def test_the_process_is_told_with_the_place_where_it_runs() -> None:
    line = Line(1, 0, "x", "x", host="vllm-0")
    pieces = [replace(seen(KV.id, "x", 1), record=Record("a.log", one)) for one in (line, replace(line, number=2, host=None))]
    both = replace(line, number=3, process=Process("worker", "Worker_TP1", 7, "node-3"))
    pieces.append(replace(pieces[0], record=Record("a.log", both)))
    evidence = report(Diagnosis(Verdict.FAILURE, (found(*pieces),)))["causes"][0]["evidence"]
    assert [piece["process"] for piece in evidence] == ["vllm-0", None, "Worker_TP1 pid=7 on node-3"]


def test_an_unrecognised_error_is_told_as_it_is_and_nothing_is_guessed() -> None:
    told = report(UNKNOWN)["causes"][0]
    assert (told["id"], told["recognised"], told["remedies"], told["phase"]) == ("unrecognised-error", False, [], "startup")
    assert told["title"].endswith("vllm.errors.StrangeError")
    assert "no such plan: 0x7f" in told["summary"]
    assert "worker/gpu_worker.py:f" in told["summary"]
    assert "more" not in told["summary"]
    assert "sed -n '1,17p' logs/serve.log" in told["check"]
    assert "gh search issues --repo vllm-project/vllm StrangeError no such plan" in told["check"]


@pytest.mark.parametrize(
    ("values", "phase", "title"),
    [
        ({"type": "line", "message": "went bad"}, None, "An error line that firstcause does not know"),
        ({"type": "line"}, "serving", "An error line that firstcause does not know"),
        ({}, "load", "An error line that firstcause does not know"),
    ],
)
def test_an_error_without_a_type_is_told_too(values: dict[str, Value], phase: str | None, title: str) -> None:
    odd = seen("", "x", 1, values, signal="error", phase=phase)
    odd = replace(odd, record=Record("-x.log", Line(1, 0, "x", "x")))
    told = report(Diagnosis(Verdict.FAILURE, (found(odd, status=Status.SUSPECTED),)))["causes"][0]
    assert told["title"] == title
    assert told["phase"] in ("unknown", "serving", "startup")
    assert not any(step.startswith("sed") for step in told["check"])


def test_only_gaps_of_the_knowledge_are_filled() -> None:
    assert report(FAILED)["gaps"][0]["what"] == "{node}.log"
    assert report(OPEN)["gaps"][0]["how"] == "kubectl logs POD --previous"


def test_a_number_that_json_cannot_say_becomes_a_word() -> None:
    finding = found(seen(KV.id, KV_LINE, 1, {"needed_gib": math.inf}))
    assert report(Diagnosis(Verdict.FAILURE, (finding,)))["causes"][0]["values"]["needed_gib"] == "inf"


# --- the terminal


def test_the_fix_stands_last_and_its_commands_stay_in_one_piece() -> None:
    finding = replace(CAUSE, values={**CAUSE.values, "model": "acme/" + "x" * 90})
    rows = shown(replace(FAILED, causes=(finding,)), 60).splitlines()
    assert rows[0].startswith("failure: The KV cache cannot hold one request")
    fix = rows.index("fix")
    assert rows.index("make sure") < fix
    assert rows[fix + 2] == "       vllm serve acme/" + "x" * 90 + " --max-model-len 74880"
    assert rows[-1].startswith("  not: Copying") or rows[-2].startswith("  not: Copying")
    assert "       set --kv-cache-dtype fp8" in rows
    assert "       set --max-model-len 74880" not in rows  # the command shows it


def test_the_line_is_quoted_with_its_place_and_what_follows_is_folded() -> None:
    text = shown(FAILED)
    assert "  --> logs/serve.log:212, EngineCore_DP0 pid=211, 10-22 12:00:01\n     | (EngineCore_DP0 pid=211)" in text
    assert "  numbers: estimated_max = 74880 · missing_gib = 6.86\n" in text
    assert "also at serve.log:230 (EngineCore_DP0 pid=211, 7 times)" in text
    assert "explains 1 other error: engine-core-start-failed (serve.log:240)" in text
    assert "makes it worse: NCCL uses TCP between the nodes (serve.log:40)" in text
    assert "2 starts in this evidence, the last is told; before it: not-in-evidence (serve.log:1)" in text
    assert "missing: {node}.log: no such file" in text
    assert "and 3 more" in shown(TWO)
    assert "as likely: The KV cache" in shown(TWO)
    assert shown(TWO).startswith("failure (suspected): ")


@pytest.mark.parametrize("diagnosis", ALL)
@pytest.mark.parametrize("width", [20, 40, 77, 200])
def test_texts_keep_the_width(diagnosis: Diagnosis, width: int) -> None:
    page = shown(diagnosis, width)
    commands = [text for item in [*report(diagnosis)["causes"], *report(diagnosis)["conditions"]] for text in item["check"]]
    commands += [
        c for i in [*report(diagnosis)["causes"], *report(diagnosis)["conditions"]] for r in i["remedies"] for c in r["commands"]
    ]
    commands += [gap["how"] for gap in report(diagnosis)["gaps"]]
    for row in page.splitlines():
        free = row.startswith("  --> ") or any(command in row for command in commands) or row.strip().startswith("set ")
        assert free or cell_len(row) <= max(width, 40), row
    assert "\n\n\n" not in page
    assert page.endswith("\n")


def test_a_long_line_is_cut_around_what_matters() -> None:
    line = f"{'before ' * 200}RuntimeError: the needle {'after ' * 200}"
    text = shown(Diagnosis(Verdict.FAILURE, (found(seen(KV.id, line, 1)),)), 80)
    rows = [row for row in text.splitlines() if row.startswith("     | ")]
    assert "needle" in " ".join(rows)
    assert len(rows) <= 7
    assert rows[0].startswith("     | … ")
    assert rows[-1].endswith("…")


def test_each_verdict_has_its_own_shape() -> None:
    assert shown(OPEN).startswith("cause not in this evidence: The engine core did not start")
    assert "is a consequence" in shown(OPEN)
    assert shown(OPEN).rstrip().endswith("kubectl logs POD --previous")
    assert "does not say why" in shown(MUTE)
    assert "where to look" in shown(MUTE)
    assert "No line tells of a failure" in shown(NOTHING)
    assert shown(DEGRADED).startswith("degraded: The KV cache")
    assert "also: NCCL uses TCP" in shown(DEGRADED)
    assert shown(HEALTHY).startswith("healthy: no failure in this evidence\n")
    assert "Only a precaution." in shown(HEALTHY)
    assert "raised in worker/gpu_worker.py:f" in shown(UNKNOWN)


def test_what_the_first_cause_does_not_explain_is_told_apart() -> None:
    other = replace(BENIGN, explained_by=())
    told = replace(FAILED, consequences=(FOLLOWER, other))
    assert "explains 1 other error: engine-core-start-failed (serve.log:240)\n  seen too: ulimit-warning" in shown(told)
    assert "Explained by it: `engine-core-start-failed`" in markdown(report(told))
    assert "Seen too: `ulimit-warning`" in markdown(report(told))


def test_a_condition_without_remedy_promises_none() -> None:
    told = Diagnosis(Verdict.DEGRADED, conditions=(CONDITION,), gaps=(Gap("metrics", "", ""),))
    assert "fix" not in shown(told)
    assert "where to look" not in shown(told)
    assert "missing: metrics\n" in shown(told)
    assert "**" not in markdown(report(told))
    unchecked = {**FAILURES, KV.id: replace(KV, check=())}
    assert "make sure" not in render(document(FAILED, unchecked), "terminal", 80, False)
    assert "Make sure" not in markdown(document(FAILED, unchecked))


def test_colors_only_where_they_are_asked_for() -> None:
    assert "\x1b[" in render(report(FAILED), "terminal", 80, color=True)
    assert "\x1b" not in render(report(FAILED), "terminal", 80, color=False)


def test_wrapping_loses_no_character() -> None:
    text = "模型" * 30 + " kept  blanks\tand a-very-long-word-" + "x" * 50
    rows = wrapped(text, 20)
    assert all(cell_len(row) <= 20 for row in rows)
    assert "".join(rows).replace(" ", "") == "".join(text.split())
    assert wrapped("a\nb", 5) == ["a", "b"]


# --- Markdown and JSON


def test_nothing_breaks_out_of_markdown() -> None:
    hostile = "ValueError: ```` </details><script> @owner #12 **x** [a](http://b) | ~~"
    finding = found(seen(KV.id, hostile, 1, {"max_model_len": hostile}))
    text = render(report(Diagnosis(Verdict.FAILURE, (finding,))), "markdown", 80, False)
    assert f"`````text\n{hostile}\n`````" in text
    outside = text.replace(hostile, "")
    assert "<script>" not in outside
    assert "@owner" not in outside
    assert "**x**" not in outside


def test_literal_text_of_markdown() -> None:
    assert plain("- a\n# b") == "\\- a \\# b"
    assert plain("1. a") == "1\\. a"
    assert code("a`b") == "`` a`b ``"
    assert code("") == "` `"
    assert fenced("```") == "````text\n```\n````"


def test_markdown_is_short_and_holds_the_answer() -> None:
    text = markdown(report(FAILED))
    assert text.startswith("## Failure: The KV cache cannot hold")
    assert "set `--max-model-len 74880`" in text
    assert "**Do not**" in text
    assert "Explained by it: `engine-core-start-failed` (`logs/serve.log:240`)" in text
    assert "Stack: vllm `0.11.2`, model `acme/chat-8b`" in text
    assert "### Fetch next" in markdown(report(OPEN))
    assert "Seen is a consequence only" in markdown(report(OPEN))
    assert "**Where to look**" in markdown(report(UNKNOWN))
    assert markdown(report(HEALTHY)).startswith("## Healthy")
    assert "### Beside it: " in markdown(report(TWO))
    assert " and 1 more" in markdown(report(TWO))
    long = found(seen(KV.id, "y" * 1000, 1))
    assert "y" * 600 + " …" in markdown(report(Diagnosis(Verdict.FAILURE, (long,))))


def test_json_is_the_document_itself() -> None:
    text = render(report(FAILED), "json", 80, True)
    assert json.loads(text) == report(FAILED)
    assert text.endswith("}\n")
    assert "…" in text


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UsageError, match="terminal, json, markdown"):
        render(report(FAILED), "xml", 80, False)
