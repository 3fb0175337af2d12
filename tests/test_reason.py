"""The first cause is named, consequences are consequences, and nothing is claimed that the evidence does not hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firstcause.model import Status, Verdict

START = "(APIServer pid=1) INFO 10-22 08:00:01 [api_server.py:1] vLLM API server version 0.32.0\n"
LOADING = "(Worker pid=3) INFO 10-22 08:00:05 [gpu_model_runner.py:4712] Starting to load model /m...\n"
READY = "INFO:     Application startup complete.\n"
ENGINE = "(EngineCore pid=2) ERROR 10-22 08:00:09 [core.py:842] "
END = "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"


def shared(made: Callable[..., Any]) -> list[Any]:
    return [
        made("no-gpu", "Failed to infer device type", leads_to=("engine-fell",)),
        made("engine-fell", "Engine core initialization failed", role="consequence"),
        made("quiet-leak", "leaked shared_memory objects", role="benign"),
        made("slow-path", "falling back to the slow path", role="condition"),
        made("bad-request", "max_tokens must be at least 1", scope="request"),
        made("bad-flag", "is not a valid backend", leads_to=("no-gpu",)),
    ]


def test_the_cause_comes_before_its_consequence(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    told = lab(*shared(made)).diagnose(START + ENGINE + "RuntimeError: Failed to infer device type\n" + END)
    assert told.verdict is Verdict.FAILURE
    assert [f.failure for f in told.causes] == ["no-gpu"]
    assert told.causes[0].observations[0].record.line.number == 2
    assert {f.failure: f.explained_by for f in told.consequences}["engine-fell"] == ("no-gpu",)


def test_a_cause_that_another_cause_explains_is_not_first(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    text = (
        START
        + ENGINE
        + "ValueError: NOPE is not a valid backend\n"
        + ENGINE
        + "RuntimeError: Failed to infer device type\n"
        + END
    )
    assert lab(*shared(made)).diagnose(text).causes[0].failure == "bad-flag"


def test_only_consequences_leave_the_cause_open(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    told = lab(*shared(made)).diagnose(START + END)
    assert told.verdict is Verdict.NOT_IN_EVIDENCE
    assert not told.causes and told.gaps


def test_an_unknown_exception_is_told_as_unrecognised(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    text = START + ENGINE + "Traceback (most recent call last):\n" + ENGINE + '  File "/x/vllm/v1/a.py", line 3, in run\n'
    text += ENGINE + "    call()\n" + ENGINE + "FrobError: the frob of layer 7 is upside down\n" + END
    told = lab(*shared(made)).diagnose(text)
    assert told.causes[0].failure == "" and told.causes[0].status is Status.SUSPECTED
    assert told.causes[0].values["message"] == "the frob of layer 7 is upside down"


def test_a_recognised_cause_outranks_an_unknown_exception(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    text = (
        START + ENGINE + "FrobError: something odd but harmless\n" + ENGINE + "RuntimeError: Failed to infer device type\n" + END
    )
    assert lab(*shared(made)).diagnose(text).causes[0].failure == "no-gpu"


def test_a_request_that_fails_does_not_explain_a_dead_server(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    text = START + READY + '{"error": {"message": "max_tokens must be at least 1"}}\n'
    text += ENGINE + "FrobError: the frob of layer 7 is upside down\n" + END
    assert lab(*shared(made)).diagnose(text).causes[0].failure == ""
    alone = lab(*shared(made)).diagnose(START + READY + '{"error": {"message": "max_tokens must be at least 1"}}\n')
    assert alone.causes[0].failure == "bad-request"


def test_noise_alone_is_healthy(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    text = START + READY + "UserWarning: There appear to be 1 leaked shared_memory objects to clean up\n"
    told = lab(*shared(made)).diagnose(text)
    assert told.verdict is Verdict.HEALTHY and told.benign


def test_a_condition_alone_is_degraded(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    told = lab(*shared(made)).diagnose(START + READY + "WARNING 10-22 08:00:09 [x.py:1] falling back to the slow path\n")
    assert told.verdict is Verdict.DEGRADED


def test_a_log_that_ends_before_ready_is_not_called_healthy(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    assert lab(*shared(made)).diagnose(START + LOADING).verdict is Verdict.NOT_IN_EVIDENCE


def test_errors_after_an_ordered_stop_are_not_a_failure(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    stop = "(APIServer pid=1) INFO 10-22 09:00:00 [launcher.py:254] [shutdown] API server: shutdown triggered\n"
    assert lab(*shared(made)).diagnose(START + READY + stop + ENGINE + "FrobError: stopped\n" + END).verdict is Verdict.HEALTHY


def test_the_latest_of_several_starts_is_told(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    failed = START + LOADING + ENGINE + "RuntimeError: Failed to infer device type\n" + END
    told = lab(*shared(made)).diagnose(failed * 2 + START + LOADING + READY)
    assert told.verdict is Verdict.HEALTHY
    assert [i.verdict for i in told.incidents] == [Verdict.FAILURE, Verdict.FAILURE, Verdict.HEALTHY]
    assert lab(*shared(made)).diagnose(failed * 2 + START + LOADING + READY, every=True).verdict is Verdict.FAILURE


def test_the_same_evidence_gives_the_same_diagnosis(lab: Callable[..., Any], made: Callable[..., Any]) -> None:
    text = START + ENGINE + "RuntimeError: Failed to infer device type\n" + END
    assert lab(*shared(made)).diagnose(text) == lab(*shared(made)).diagnose(text)
