"""How tracebacks are put together from lines, whoever writes in between."""

from __future__ import annotations

import json

import pytest

from firstcause.evidence.framing import frame
from firstcause.evidence.trace import assemble, is_quoted_code, raised_at
from firstcause.knowledge.formats import builtin
from firstcause.model import Line, Raised, Trace


def read(text: str) -> list[Line]:
    return [frame(raw.encode(), number, 0, builtin()) for number, raw in enumerate(text.strip("\n").split("\n"), 1)]


def at(lines: list[Line], part: str) -> int:
    return next(index for index, line in enumerate(lines) if part in line.text)


def trace_of(text: str, part: str) -> Trace:
    lines = read(text)
    trace = assemble(lines, at(lines, part))
    assert trace is not None, part
    return trace


def told(trace: Trace) -> list[tuple[str, str]]:
    return [(one.type, one.message) for one in trace.raised]


def functions(one: Raised) -> list[str]:
    return [function for _, function in one.frames]


def code(text: str) -> list[int]:
    """Numbers of the lines that are quoted source code."""
    lines = read(text)
    return [line.number for index, line in enumerate(lines) if is_quoted_code(lines, index)]


PLAIN = """
INFO 05-09 00:49:33 [core.py:57] Starting
Traceback (most recent call last):
  File "/srv/run.py", line 3, in <module>
    main()
    ^^^^^^
  File "/srv/acme/load.py", line 40, in load_model
    raise ValueError(
ValueError: too short: 3
INFO 05-09 00:49:34 [core.py:57] Stopping
"""


@pytest.mark.parametrize("number", range(1, 8))
def test_every_line_of_a_traceback_belongs_to_it(number: int) -> None:
    trace = assemble(read(PLAIN), number)
    assert trace is not None
    assert told(trace) == [("ValueError", "too short: 3")]
    assert [line.number for line in trace.lines] == [2, 3, 4, 5, 6, 7, 8]
    assert trace.frames == (("/srv/run.py", "<module>"), ("/srv/acme/load.py", "load_model"))


@pytest.mark.parametrize("number", [0, 8])
def test_a_line_beside_a_traceback_belongs_to_none(number: int) -> None:
    lines = read(PLAIN)
    assert assemble(lines, number) is None
    assert not is_quoted_code(lines, number)


def test_source_and_caret_lines_are_quoted_code() -> None:
    assert code(PLAIN) == [4, 5, 7]


def test_the_exception_of_a_line_is_found_by_its_number() -> None:
    trace = assemble(read(PLAIN), 5)
    assert trace is not None
    assert raised_at(trace, 8) is trace.raised[0]
    assert raised_at(trace, 7) is None


@pytest.mark.parametrize(
    "head",
    [
        "(EngineCore pid=9) ",
        "(EngineCore pid=9) ERROR 05-09 00:49:33 [core.py:57] ",
        "ERROR 05-09 00:49:33 core.py:57] ",
        "ERROR [core.py:1330] ",
        "[rank0]: ",
        "llm-1  | ",
        "0: ",
        "2026-01-02T03:04:05Z (Worker_TP0 pid=9) ",
        "2024-11-18T16:43:45,496 [INFO ] W-9000-chat_1.0-stdout MODEL_LOG - ",
        "2026-03-12 10:02:14 | ERROR | stderr | ",
    ],
)
def test_a_head_on_every_line_changes_nothing(head: str) -> None:
    body = PLAIN.strip("\n").split("\n")[1:-1]
    trace = trace_of("\n".join(head + line for line in body), "ValueError: too")
    assert told(trace) == [("ValueError", "too short: 3")]
    assert len(trace.lines) == 7
    assert functions(trace.raised[0]) == ["<module>", "load_model"]


def test_two_processes_that_write_at_once_are_told_apart() -> None:
    one = [f"(Worker_TP0 pid=1) {line}" for line in PLAIN.strip().split("\n")[1:8]]
    two = [f"(Worker_TP1 pid=2) {line}".replace("load_model", "warm_up") for line in PLAIN.strip().split("\n")[1:8]]
    text = "\n".join(line for pair in zip(one, two, strict=True) for line in pair)
    assert functions(trace_of(text, "(Worker_TP0 pid=1) ValueError").raised[0]) == ["<module>", "load_model"]
    assert functions(trace_of(text, "(Worker_TP1 pid=2) ValueError").raised[0]) == ["<module>", "warm_up"]


def test_two_pods_with_the_same_pid_are_told_apart() -> None:
    body = PLAIN.strip().split("\n")[1:8]
    rows = [f"{pod}-1  | (APIServer pid=1) {line}" for line in body for pod in ("red", "blue")]
    trace = trace_of("\n".join(rows), "blue-1  | (APIServer pid=1) ValueError")
    assert len(trace.lines) == 7
    assert {line.host for line in trace.lines} == {"blue-1"}


def test_a_record_of_the_same_process_in_between_does_not_tear_a_traceback() -> None:
    text = """
(Worker pid=1) ERROR 05-09 00:49:33 [exec.py:57] Traceback (most recent call last):
(Worker pid=1) ERROR 05-09 00:49:33 [exec.py:57]   File "/srv/a.py", line 3, in f
(Worker pid=1) INFO 05-09 00:49:33 [cache.py:9] still here
(Worker pid=1) ERROR 05-09 00:49:33 [exec.py:57] KeyError: 'x'
(Worker pid=1) Traceback (most recent call last):
(Worker pid=1)   File "/srv/b.py", line 3, in g
(Worker pid=1) KeyError: 'y'
"""
    assert told(trace_of(text, "KeyError: 'x'")) == [("KeyError", "'x'")]
    assert told(trace_of(text, "KeyError: 'y'")) == [("KeyError", "'y'")]
    assert assemble(read(text), 2) is None


def test_a_logger_that_marks_only_the_first_line() -> None:
    text = """
ERROR [core.py:1330] EngineCore failed to start.
ERROR [core.py:1330] Traceback (most recent call last):
  File "acme/core.py", line 1299, in run_engine_core
    engine = Core(*args)
RuntimeError: Could not find nvcc
  under /opt/cuda
"""
    trace = trace_of(text, "RuntimeError")
    assert told(trace) == [("RuntimeError", "Could not find nvcc\n  under /opt/cuda")]
    assert [line.number for line in trace.lines] == [2, 3, 4, 5, 6]
    assert functions(trace.raised[0]) == ["run_engine_core"]


CHAINED = """
Traceback (most recent call last):
  File "/srv/a.py", line 1, in fetch
    get()
FileNotFoundError: [Errno 2] No such file: '/models/a'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/b.py", line 2, in load
    raise LoadError(path) from error
acme.errors.LoadError: no adapter

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/c.py", line 3, in serve
    close()
AssertionError
"""


@pytest.mark.parametrize("part", ["FileNotFoundError", "in load", "LoadError: no", "AssertionError", "During handling"])
def test_a_chain_is_one_trace_in_the_order_raised(part: str) -> None:
    trace = trace_of(CHAINED, part)
    assert told(trace) == [
        ("FileNotFoundError", "[Errno 2] No such file: '/models/a'"),
        ("acme.errors.LoadError", "no adapter"),
        ("AssertionError", ""),
    ]
    assert [functions(one) for one in trace.raised] == [["fetch"], ["load"], ["serve"]]
    assert [one.index for one in trace.raised] == [0, 1, 2]
    assert raised_at(trace, 11) is trace.raised[1]


def test_a_chain_whose_second_part_lost_its_frames_and_its_head() -> None:
    text = """
ERROR 10-26 11:35:32 registry.py:267] Traceback (most recent call last):
ERROR 10-26 11:35:32 registry.py:267]   File "D:\\env\\acme\\registry.py", line 429, in inspect
ERROR 10-26 11:35:32 registry.py:267] subprocess.CalledProcessError: Command returned 1.
ERROR 10-26 11:35:32 registry.py:267]
ERROR 10-26 11:35:32 registry.py:267] The above exception was the direct cause of the following exception:
ValueError: Model architectures ['Acme'] are not supported for now.
"""
    trace = trace_of(text, "ValueError")
    assert [one.type for one in trace.raised] == ["subprocess.CalledProcessError", "ValueError"]


def test_a_chain_whose_second_part_lost_its_header() -> None:
    text = CHAINED.replace("\nTraceback (most recent call last):\n", "\n")
    trace = trace_of(text, "LoadError: no")
    assert [functions(one) for one in trace.raised] == [["fetch"], ["load"], ["serve"]]


def test_three_quotes_of_something_else_are_no_traceback() -> None:
    assert assemble(read('"""\nA docstring.\n"""'), 1) is None


def test_two_tracebacks_that_follow_each_other_are_two() -> None:
    first, second = PLAIN.strip().split("\n")[1:8], CHAINED.strip().split("\n")[:4]
    text = "\n".join([*first, *second])
    assert told(trace_of(text, "ValueError: too")) == [("ValueError", "too short: 3")]
    assert [one.type for one in trace_of(text, "FileNotFound").raised] == ["FileNotFoundError"]


def test_what_a_logger_says_before_the_next_traceback_is_no_message() -> None:
    head = "(APIServer pid=4) ERROR 11-30 22:29:21 [serving.py:500] "
    body = ["Error in generator.", *PLAIN.strip().split("\n")[1:8]]
    lines = read("\n".join(head + line for line in body * 2))
    assert assemble(lines, 8) is None
    assert told(assemble(lines, 7) or Trace(())) == [("ValueError", "too short: 3")]


def test_an_excerpt_may_begin_and_end_anywhere() -> None:
    body = CHAINED.strip().split("\n")
    assert [one.type for one in trace_of("\n".join(body[2:10]), "in load").raised] == ["FileNotFoundError"]
    assert functions(trace_of("\n".join(body[1:4]), "FileNot").raised[0]) == ["fetch"]
    cut = trace_of("\n".join(body[:3]), "Traceback")
    assert (cut.raised, len(cut.lines)) == ((), 3)
    assert code("    self.engine = Engine(args)\n    ^^^^^^^^^^^\n" + "\n".join(body[1:4])) == [1, 2, 4]


def test_a_single_exception_line_is_a_trace_of_its_own() -> None:
    assert told(trace_of("text\ntorch.OutOfMemoryError: CUDA out of memory.", "torch")) == [
        ("torch.OutOfMemoryError", "CUDA out of memory.")
    ]


@pytest.mark.parametrize(
    "line",
    ["Error: Missing argument --address", "Note: this is slow", "else:", "Done", "https://example.com/a", "text: ValueError: no"],
)
def test_a_line_that_only_looks_like_an_exception_is_none(line: str) -> None:
    assert assemble(read(line), 0) is None


PYDANTIC = """
(APIServer pid=1) Traceback (most recent call last):
(APIServer pid=1)   File "/srv/acme/config.py", line 12, in __init__
(APIServer pid=1)     validate(self)
(APIServer pid=1) pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig
(APIServer pid=1)   Value error, no such type `acme`. [type=value_error, input_value=Args(()), input_type=Args]
(APIServer pid=1)     For further information visit https://errors.pydantic.dev/2.14/v/value_error
(APIServer pid=1) bye
"""


@pytest.mark.parametrize("part", ["Value error", "For further", "ValidationError"])
def test_the_lines_of_a_validation_error_are_its_message(part: str) -> None:
    trace = trace_of(PYDANTIC, part)
    (one,) = trace.raised
    assert one.type == "pydantic_core._pydantic_core.ValidationError"
    assert one.message.split("\n")[1].startswith("  Value error, no such type")
    assert raised_at(trace, at(read(PYDANTIC), part) + 1) is one
    assert code(PYDANTIC) == [3]


def test_a_validation_error_with_blank_lines_goes_on_to_its_link() -> None:
    text = """
acme.errors.UnpickleableError: cannot be pickled, raw error:
1 validation error for ModelConfig
  Value error, unknown type

You can update with `pip install --upgrade acme`.
    For further information visit https://errors.pydantic.dev/2.14/v/value_error

Other text
"""
    (one,) = trace_of(text, "UnpickleableError").raised
    assert one.message.split("\n")[3:] == [
        "",
        "You can update with `pip install --upgrade acme`.",
        "    For further information visit https://errors.pydantic.dev/2.14/v/value_error",
    ]


def test_the_advice_after_a_device_error_is_its_message() -> None:
    advice = ["CUDA kernel errors might be asynchronously reported.", "Compile with `TORCH_USE_CUDA_DSA`."]
    text = "\n".join(["RuntimeError: CUDA error: no kernel image", *advice, "", "INFO:     Shutting down"])
    assert told(trace_of(text, "RuntimeError")) == [("RuntimeError", "\n".join(["CUDA error: no kernel image", *advice]))]
    assert told(trace_of(text, "Compile with")) == told(trace_of(text, "RuntimeError"))
    assert assemble(read(text), 4) is None


@pytest.mark.parametrize(
    "line",
    [
        "Process SpawnProcess-1:",
        "user@host:~/work$ ls",
        "KeyError: 'other'",
        "/srv/x.py:12: FutureWarning: soon",
        "Loading shards:  25%|##  | 1/4",
        "INFO:     Shutting down",
    ],
)
def test_a_message_ends_where_something_new_begins(line: str) -> None:
    assert told(trace_of(f"RuntimeError: no\n{line}", "RuntimeError")) == [("RuntimeError", "no")]


def test_a_nccl_reason_is_part_of_the_message() -> None:
    text = "torch.distributed.DistBackendError: NCCL error in: x.cpp:3\nncclRemoteError: A call failed."
    assert told(trace_of(text, "ncclRemoteError"))[0][1].endswith("\nncclRemoteError: A call failed.")


def test_a_message_has_limits() -> None:
    text = "\n".join(["RuntimeError: no", *("  " + "x" * 100 for _ in range(50))])
    (one,) = trace_of(text, "RuntimeError").raised
    assert one.message.count("\n") == 19
    text = "\n".join(["RuntimeError: no", *("  " + "x" * 3000 for _ in range(50))])
    assert len(trace_of(text, "RuntimeError").raised[0].message) <= 4096


GROUP = """
  + Exception Group Traceback (most recent call last):
  |   File "/srv/a.py", line 1, in run
  |     await group()
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/b.py", line 2, in left
    |     raise ValueError("a")
    | ValueError: a
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "/srv/c.py", line 3, in right
    |     raise KeyError("b")
    | KeyError: 'b'
    +------------------------------------
"""


@pytest.mark.parametrize("part", ["ExceptionGroup:", "ValueError: a", "KeyError: 'b'"])
def test_a_group_is_raised_after_its_parts(part: str) -> None:
    trace = trace_of(GROUP, part)
    assert [one.type for one in trace.raised] == ["ValueError", "KeyError", "ExceptionGroup"]
    assert [functions(one) for one in trace.raised] == [["left"], ["right"], ["run"]]
    assert code(GROUP) == [3, 8, 13]


RAY = """
Traceback (most recent call last):
  File "/srv/driver.py", line 9, in <module>
    ray.get(ref)
ray.exceptions.RayTaskError(ValueError): ray::Worker.load() (pid=77, ip=10.0.0.8)
  File "/srv/worker.py", line 5, in load
    self.read()
  File "/srv/worker.py", line 8, in read
    raise ValueError("short")
ValueError: short
"""


def test_the_traceback_inside_rays_message_was_raised_first() -> None:
    trace = trace_of(RAY, "RayTaskError")
    assert [one.type for one in trace.raised] == ["ValueError", "ray.exceptions.RayTaskError"]
    assert [functions(one) for one in trace.raised] == [["load", "read"], ["<module>"]]
    assert told(trace) == told(trace_of(RAY, "ValueError: short"))


def test_a_chain_inside_rays_message() -> None:
    text = (
        RAY.rstrip()
        + """

The above exception was the direct cause of the following exception:

ray::Worker.load() (pid=77, ip=10.0.0.8)
  File "/srv/worker.py", line 6, in load
RuntimeError: cannot load
"""
    )
    assert [one.type for one in trace_of(text, "RuntimeError").raised] == [
        "ValueError",
        "RuntimeError",
        "ray.exceptions.RayTaskError",
    ]


def test_the_creation_task_of_an_actor_begins_a_traceback() -> None:
    text = """
(LLMRayActor pid=2) Exception raised in creation task: The actor died, ray::LLMRayActor.__init__() (pid=2, ip=10.0.0.7)
(LLMRayActor pid=2)   File "/srv/actor.py", line 5, in __init__
(LLMRayActor pid=2) ValueError: short
"""
    assert len(trace_of(text, "ValueError").lines) == 3


def test_the_quoted_traceback_of_another_process_was_raised_first() -> None:
    text = '''
multiprocessing.pool.RemoteTraceback:
"""
Traceback (most recent call last):
  File "/srv/child.py", line 5, in work
    read()
OSError: disk
"""

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/parent.py", line 9, in <module>
    pool.map(work, items)
RuntimeError: child failed
'''
    for part in ("OSError", "RuntimeError", "RemoteTraceback"):
        trace = trace_of(text, part)
        assert told(trace) == [("OSError", "disk"), ("RuntimeError", "child failed")]
        assert [functions(one) for one in trace.raised] == [["work"], ["<module>"]]


def test_a_traceback_quoted_in_a_message() -> None:
    head = "ERROR 01-19 03:55:24 multiproc_worker_utils.py:233] "
    first = "Exception in worker VllmWorkerProcess while processing method load: no, Traceback (most recent call last):"
    body = [first, '  File "/srv/a.py", line 3, in load', "    read()", "KeyError: 'x'"]
    trace = trace_of("\n".join(head + line for line in body), "KeyError")
    assert (len(trace.lines), functions(trace.raised[0])) == (4, ["load"])


def test_a_traceback_written_as_a_string_in_one_line() -> None:
    text = r"""failed: 'Traceback (most recent call last):\n  File \"/srv/a.py\", line 3, in load\n    read()\nKeyError: 1\n'"""
    trace = trace_of(text, "failed")
    assert functions(trace.raised[0]) == ["load"]
    assert trace.raised[0].type == "KeyError"


def test_a_record_of_several_lines_in_json_is_a_traceback() -> None:
    body = "\n".join(PLAIN.strip().split("\n")[1:8])
    line = json.dumps({"log": body, "stream": "stderr", "time": "2026-01-02T03:04:05Z"})
    trace = trace_of(line, "Traceback")
    assert told(trace) == [("ValueError", "too short: 3")]
    assert raised_at(trace, 1) is trace.raised[0]
    assert code(line) == []


def test_blank_lines_between_all_lines() -> None:
    text = "\n\n".join(PYDANTIC.replace("(APIServer pid=1) ", "").strip("\n").split("\n")[:-1])
    trace = trace_of(text, "ValidationError")
    assert functions(trace.raised[0]) == ["__init__"]
    assert "For further information" in trace.raised[0].message
    assert code(text) == [5]


def test_lost_indentation() -> None:
    text = "\n".join(line.strip() for line in CHAINED.strip("\n").split("\n"))
    trace = trace_of(text, "LoadError: no")
    assert [one.type for one in trace.raised] == ["FileNotFoundError", "acme.errors.LoadError", "AssertionError"]
    assert [functions(one) for one in trace.raised] == [["fetch"], ["load"], ["serve"]]
    assert code(text) == [3, 10, 17]


def test_a_block_that_is_indented_as_a_whole() -> None:
    text = "\n".join("    " + line for line in PLAIN.strip("\n").split("\n"))
    trace = trace_of(text, "ValueError: too")
    assert functions(trace.raised[0]) == ["<module>", "load_model"]


def test_the_marks_of_newer_pythons() -> None:
    text = """
Traceback (most recent call last):
  File "/srv/a.py", line 732, in launch
    wait_for_startup(
    ~~~~~~~~~~~~~~~~^
        handshake,
        ^^^^^^^^^^
    ...<5 lines>...
        coordinator if coordinator else None,
    )
    ^
  File "/srv/a.py", line 9, in f
    else: return f()
  [Previous line repeated 93 more times]
  File "<string>", line 5, in launcher
  File "/srv/a.pyx", line 785, in acme.wait
RuntimeError: failed
"""
    trace = trace_of(text, "RuntimeError")
    assert functions(trace.raised[0]) == ["launch", "f", "launcher", "wait"]
    assert code(text) == [*range(3, 11), 12, 13]


def test_a_syntax_error_shows_its_line() -> None:
    text = """
Traceback (most recent call last):
  File "/srv/a.py", line 1, in <module>
    import b
  File "/srv/b.py", line 3
    print "x"
    ^^^^^^^^^
SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?
"""
    trace = trace_of(text, "SyntaxError")
    assert trace.frames == (("/srv/a.py", "<module>"), ("/srv/b.py", ""))


NOTEBOOK = """
---------------------------------------------------------------------------
ValidationError                           Traceback (most recent call last)
Cell In[6], line 2
      1 from acme import LLM
----> 2 llm = LLM(model='/models/a')

File /srv/env/acme/llm.py:282, in LLM.__init__(self, model, runner)
    280     self.params = None
    281 
--> 282     self.engine = Engine.make(
    283         args, context)

File ~/env/acme/check.py:121, in __init__(__self__, *args)
--> 121     validate(args)

ValidationError: 1 validation error for ModelConfig
  Value error, not supported
    For further information visit https://errors.pydantic.dev/2.14/v/value_error
"""


def test_a_notebooks_traceback() -> None:
    trace = trace_of(NOTEBOOK, "Value error")
    assert trace.frames == (
        ("Cell In[6]", ""),
        ("/srv/env/acme/llm.py", "__init__"),
        ("~/env/acme/check.py", "__init__"),
    )
    assert trace.raised[0].message.count("\n") == 2
    assert code(NOTEBOOK) == [4, 5, 8, 9, 10, 11, 14]


def test_older_notebooks() -> None:
    text = """
OSError                                   Traceback (most recent call last)
<ipython-input-3-ab12cd> in <cell line: 2>()
      1 import acme
----> 2 llm = acme.LLM()

[/usr/local/lib/python3.10/dist-packages/acme/llm.py](https://localhost:8080/#) in __init__(self, model)
     12         self.read()
/srv/env/acme/read.py in read(self)
---> 14     raise OSError

OSError: no file
"""
    trace = trace_of(text, "OSError: no")
    assert [function for _, function in trace.frames] == ["<cell line: 2>()", "__init__", "read"]
    assert told(trace) == [("OSError", "no file")]


def test_a_crash_tells_its_frames_innermost_first() -> None:
    text = """
Fatal Python error: Segmentation fault

Thread 0x0000e6b496d046a0 (most recent call first):
  File "/srv/conn.py", line 452 in send
  File "/srv/conn.py", line 892 in request

Thread 0x0000e6b496d046b0 (most recent call first):
  File "/srv/other.py", line 1 in wait
"""
    trace = trace_of(text, "Fatal Python error")
    assert told(trace) == [("Fatal Python error", "Segmentation fault")]
    assert functions(trace.raised[0]) == ["request", "send"]


def test_the_thread_that_crashed_comes_first() -> None:
    text = """
Fatal Python error: Aborted
Current thread 0x00007f15c0b5d740 (most recent call first):
  File "/srv/a.py", line 4 in wait
end of it
  File "/srv/b.py", line 5 in other
"""
    (one,) = trace_of(text, "Fatal").raised
    assert one.frames == (("/srv/a.py", "wait"),)


def test_collectors_stamp_each_line_of_a_message_but_a_logger_stamps_a_record() -> None:
    serve = "2024-11-18T16:43:45,50{} [INFO ] W-9000-chat_1.0-stdout MODEL_LOG - {}"
    text = serve.format(1, "acme.GatedError: 401") + "\n" + serve.format(2, "Access is restricted.")
    assert told(trace_of(text, "GatedError")) == [("acme.GatedError", "401\nAccess is restricted.")]
    vllm = "ERROR 05-09 00:49:3{} [core.py:57] {}"
    text = vllm.format(3, "ValueError: no") + "\n" + vllm.format(4, "Stopping.")
    assert told(trace_of(text, "ValueError")) == [("ValueError", "no")]


def test_many_blank_lines_end_a_message() -> None:
    text = "RuntimeError: no" + "\n" * 30 + "  text"
    assert told(trace_of(text, "RuntimeError")) == [("RuntimeError", "no")]


def test_output_of_others_between_the_frames_is_left_out() -> None:
    text = """
Traceback (most recent call last):
  File "/srv/a.py", line 3, in ask
The repository contains custom code.
You can avoid this prompt.
    answer = input(
EOFError: EOF when reading a line
"""
    trace = trace_of(text, "EOFError")
    assert [line.number for line in trace.lines] == [1, 2, 5, 6]
    assert assemble(read(text), 2) is None


def test_a_long_traceback_is_followed_back_to_its_beginning() -> None:
    frames = [f'  File "/srv/a.py", line {n}, in f{n}' for n in range(400)]
    trace = trace_of("\n".join(["Traceback (most recent call last):", *frames, "RecursionError: deep"]), "RecursionError")
    assert len(trace.raised[0].frames) == 400
    assert len(trace.lines) == 402


def test_a_traceback_begun_600_lines_before_is_cut() -> None:
    frames = [f'  File "/srv/a.py", line {n}, in f{n}' for n in range(900)]
    trace = trace_of("\n".join(["Traceback (most recent call last):", *frames, "RecursionError: deep"]), "RecursionError")
    assert len(trace.raised[0].frames) == 600


def test_curly_quotes_and_quote_marks_of_a_pasted_traceback() -> None:
    text = """
> Traceback (most recent call last):
>   File “/srv/a.py”, line 3, in load
>     read()
> KeyError: ‘x’
"""
    assert trace_of(text, "KeyError").frames == (("/srv/a.py", "load"),)


@pytest.mark.parametrize(
    "line", ["thread 'main' panicked at src/main.rs:3:5: no workers", "panic: runtime error: index out of range"]
)
def test_panics_of_other_languages_are_single_lines(line: str) -> None:
    assert assemble(read(line), 0) is None
