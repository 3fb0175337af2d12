"""Bytes of a physical line -> text that is safe to show: no colours, no control characters, no overwritten progress."""

from __future__ import annotations

import re

CAP = 16_384  # bytes of a line that are looked at

# ESC[0;36m  ESC]0;titleBEL  ESC_bk;t=1754890927BEL  ESC(B
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]_PX^][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])?")
# what is left of a colour when ESC was lost or written out:  [1;36m   ^[[0m   #033[36m   \u001b[31m   \x1b[m
_COLOUR_REST = re.compile(r"(?:\^\[|#033|\\x1b|\\033|\\u001b|\\e)\[[0-9;]{0,20}m|\[\d{1,3}(?:;\d{1,3}){0,5}m")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]")


def clean(raw: bytes) -> str:
    """The line as text; of a line that was overwritten by "\\r", what was written last."""
    return clean_text(raw[:CAP].decode("utf-8", errors="replace").rstrip("\n"))


def clean_text(text: str) -> str:
    """The text without colours, control characters and overwritten parts; "\\n" and tabs stay."""
    if not text.isprintable():
        text = _ESCAPE.sub("", text)
        if "\r" in text:
            text = _last_written(text)
        text = _CONTROL.sub("", text)
    if "m" in text and "[" in text:
        text = _COLOUR_REST.sub("", text)
    return text.rstrip()


def _last_written(text: str) -> str:
    lines = (part.rstrip("\r").rpartition("\r") for part in text.split("\n"))
    return "\n".join(_last_segment(head, last) for head, _, last in lines)


def _last_segment(head: str, last: str) -> str:
    while head and not last.strip():
        head, _, last = head.rpartition("\r")
    return last
