"""What one line of text looks like to a reader of tracebacks, without looking at its neighbours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class Look(Enum):
    """What a line can be inside a traceback."""

    BLANK = "blank"
    HEADER = "header"  # begins a block
    FATAL = "fatal"  # "Fatal Python error: Segmentation fault": the frames follow, innermost first
    FRAME = "frame"
    MARK = "mark"  # carets, "...<5 lines>...", "[Previous line repeated", rules of a group
    CHAIN = "chain"  # "During handling of the above exception, …"
    RAISED = "raised"  # "Type: message"
    QUOTE = "quote"  # the """ around a traceback of another process
    CELL = "cell"  # a numbered source line of a notebook
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Shape:
    """A line with its margin taken off: "  |   File …" stands deeper than "  File …"."""

    look: Look
    indent: int
    text: str  # without indentation and group margin
    depth: int = 0  # of the sub-exception of a group the line stands in
    first: str = ""  # file of a frame, type of an exception
    second: str = ""  # function of a frame, message of an exception


HEADER = "Traceback (most recent call last)"
# the margin of   "    | ValueError: x"   and   "  + Exception Group Traceback (most recent call last):"
_MARGIN = re.compile(r" {0,200}(?:\|(?: |$)|\+ (?=Exception Group))")
# the rule of a group:   +-+---------------- 1 ----------------
_RULE = re.compile(r" {0,200}\+(?:-\+)?-{4,200}(?: (?:\d{1,6}|\.\.\.) -{4,200})?$")
# File "/srv/x.py", line 12, in run       File "/srv/x.py", line 12 in run (faulthandler)
_FRAME = re.compile(r'File ["“”]([^"“”\n]{1,1000})["“”], line \d{1,9}(?:,? in (.{1,1000}))?$')
# File /srv/x.py:282, in LLM.__init__(self, model)     Cell In[6], line 2       Cell In[6], line 2, in f(x)
_CELL_FRAME = re.compile(
    r"(?:File (\S{1,1000}):\d{1,9}|((?:Cell )?In ?\[[\d* ]{1,9}\])(?:, line \d{1,9})?)(?:, in (.{1,4000}))?$"
)
# [/srv/x.py](https://localhost:8080/#) in __init__(self)      <ipython-input-3-ab12> in <module>      /srv/x.py in f(a)
_OLD_CELL_FRAME = re.compile(
    r"(?:\[([^\]\n]{1,1000})\]\(http[^)\s]{0,400}\)|(<ipython-input-[^>\s]{1,80}>|[~/]\S{0,1000}\.py)) in (.{1,4000})$"
)
# ----> 2 llm = LLM(…)          280     self.x = 1
_CELL = re.compile(r"(?:-{1,8}> ?\d{1,7}|\d{1,7})(?:  ?\S| {3,}|$)")
_ELLIPSIS = re.compile(r"\.\.\.<\d{1,6} lines>\.\.\.$|\[Previous line repeated \d{1,9} more times?\]$|\(\.\.\.\)$")
_CARETS = re.compile(r"[\^~ \t]+$")
_CHAIN = ("During handling of the above exception, another exception occurred:",
          "The above exception was the direct cause of the following exception:")  # fmt: skip
# torch.OutOfMemoryError: CUDA out of memory.       ray.exceptions.RayTaskError(ValueError): ray::f() (pid=1)    KeyError
_RAISED = re.compile(r"([A-Za-z_][\w.]{1,200}(?:<locals>[\w.]{1,100})?)(\([\w.]{1,200}\))?(?::(?: (.*)|$)|$)", re.DOTALL)
_ERROR_NAME = re.compile(
    r"(?:[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Iteration|ExceptionGroup|Timeout|Failure)"
    r"|Exception|_?RemoteTraceback|[A-Za-z]\w*Error(?:_\w+)?|[A-Z]\w*Exception\w*)$"
)
_FATAL = re.compile(r"(?:Current thread|Thread) 0x[0-9a-f]{1,20} .{0,80}\(most recent call first\):$")
_RAY = re.compile(r"ray::\S.{0,400}\(pid=\d")


def shape(text: str) -> Shape:
    """The shape of one line (no line breaks inside)."""
    depth = 0
    if "|" in text or "+" in text:
        if _RULE.match(text):
            return Shape(Look.MARK, 0, "", depth)
        text, depth = _without_margin(text)
    inner = text.lstrip()
    indent = len(text) - len(inner)
    return _shape(inner, indent, depth)


def is_error_name(name: str) -> bool:
    """Whether a name says by itself that it is an exception's: "zmq.error.ZMQError", not "Note"."""
    return _ERROR_NAME.match(name.rpartition(".")[2]) is not None


def is_ray_call(text: str) -> bool:
    """Whether a text names the remote call whose traceback follows: "ray::Worker.fn() (pid=7, ip=…)"."""
    return "ray::" in text and _RAY.search(text) is not None


def _without_margin(text: str) -> tuple[str, int]:
    match = _MARGIN.match(text)
    if match is None:
        return text, 0
    return text[match.end() :], max(0, (len(match[0]) - 3) // 2)


def _shape(text: str, indent: int, depth: int) -> Shape:
    if not text:
        return Shape(Look.BLANK, indent, text, depth)
    found = _BY_START.get(text[0])
    if found is not None and (made := found(text, indent, depth)) is not None:
        return made
    if HEADER in text:
        return Shape(Look.HEADER, indent, text, depth)
    if is_ray_call(text) and not _RAISED.match(text):
        return Shape(Look.HEADER, indent, text, depth)
    return _raised(text, indent, depth) or Shape(Look.TEXT, indent, text, depth)


def _raised(text: str, indent: int, depth: int) -> Shape | None:
    match = _RAISED.match(text)
    if match is None:
        return None
    return Shape(Look.RAISED, indent, text, depth, match[1], match[3] or "")


def _frame(text: str, indent: int, depth: int) -> Shape | None:
    if text.startswith("Fatal Python error: "):
        return Shape(Look.FATAL, indent, text, depth, "Fatal Python error", text[20:])
    match = _FRAME.match(text)
    if match is not None:
        return Shape(Look.FRAME, indent, text, depth, match[1], _function(match[2]))
    match = _CELL_FRAME.match(text) or _OLD_CELL_FRAME.match(text)
    if match is None:
        return None
    return Shape(Look.FRAME, indent, text, depth, match[1] or match[2], _function(match[3]))


def _function(text: str | None) -> str:
    """The bare name: notebooks write "LLM.__init__(self, model)" where Python writes "__init__"."""
    if not text or text.startswith("<"):
        return text or ""
    return text.partition("(")[0].rpartition(".")[2].strip() or text


def _mark(text: str, indent: int, depth: int) -> Shape | None:
    if _CARETS.match(text) or _ELLIPSIS.match(text):
        return Shape(Look.MARK, indent, text, depth)
    return _frame(text, indent, depth) if text[0] in "[~" else None


def _chain(text: str, indent: int, depth: int) -> Shape | None:
    if text.startswith(_CHAIN):
        return Shape(Look.CHAIN, indent, text, depth)
    if text.startswith("Thread 0x") and _FATAL.match(text):
        return Shape(Look.HEADER, indent, text, depth)
    return None


def _current(text: str, indent: int, depth: int) -> Shape | None:
    if text.startswith("Current thread") and _FATAL.match(text):
        return Shape(Look.HEADER, indent, text, depth)
    return _frame(text, indent, depth)


def _cell(text: str, indent: int, depth: int) -> Shape | None:
    return Shape(Look.CELL, indent, text, depth) if _CELL.match(text) else None


def _quote(text: str, indent: int, depth: int) -> Shape | None:
    return Shape(Look.QUOTE, indent, text, depth) if text == '"""' else None


_BY_START = {
    **dict.fromkeys("FI</", _frame),
    **dict.fromkeys("^~.[(", _mark),
    **dict.fromkeys("DT", _chain),
    **dict.fromkeys("-0123456789", _cell),
    "C": _current,
    '"': _quote,
}
