"""What can be said of an error that the knowledge does not name: what it is, and where to look; never a remedy."""

from __future__ import annotations

import re
import shlex

from firstcause.model import Finding

LONGEST_MESSAGE = 300
MOST_WORDS = 8  # to search for
# Words that others would have in their message as well: no numbers, ids, paths; nothing that a shell reads otherwise
_WORD = re.compile(r"(?<![\w./-])[A-Za-z][A-Za-z_]+(?![\w/-])")
# Signals of the generic reader -> how the title says what was met
_KINDS = {
    "exception": "An error that firstcause does not know",
    "crash": "A crash that firstcause does not know",
    "event": "A Kubernetes event that firstcause does not know",
    "body": "An HTTP error that firstcause does not know",
    "error": "An error line that firstcause does not know",
    "trouble": "A line that sounds like trouble, of a kind that firstcause does not know",
}
_NAMELESS = ("", "line", "error line")  # types that the generic reader gives where there is none


def title(finding: Finding) -> str:
    """What kind of thing was met, with the exception's type where it has one."""
    words = _KINDS.get(finding.observations[0].signal, _KINDS["error"])
    type = _type(finding)
    return f"{words}: {type}" if type else words


def summary(finding: Finding) -> str:
    """Who says what, and the innermost frame that is not plumbing of a library."""
    who = finding.observations[0].record.line.process or "A process"
    said = ": ".join(part for part in (_type(finding), _message(finding)) if part)
    told = f"{who} says: {said}" if said else f"{who} failed without a message"
    frame = _frame(finding)
    return f"{told.rstrip('.')}. It was raised in {frame}." if frame else f"{told.rstrip('.')}."


def phase(finding: Finding) -> str:
    """When it happened, in the words of the knowledge."""
    seen = finding.observations[0]
    if seen.phase is None:
        return "unknown"
    return "serving" if seen.phase in ("serving", "shutdown") else "startup"


def where_to_look(finding: Finding) -> list[str]:
    """The lines before it, the frame, and who has met it before."""
    record = finding.observations[0].record
    number, process = record.line.number, record.line.process
    steps = [f"Read the lines{f' of {process}' if process else ''} before {record.source}:{number}: the first of them counts"]
    if record.source.isprintable() and record.source[:1] not in ("", "-"):
        steps.append(f"sed -n '{max(1, number - 40)},{number + 10}p' {shlex.quote(record.source)}")
    if frame := _frame(finding):
        steps.append(f"Look at {frame}, the innermost frame that is not plumbing of a library")
    if words := _WORD.findall(f"{_type(finding).rpartition('.')[2]} {_message(finding)}")[:MOST_WORDS]:
        steps.append(f"gh search issues --repo vllm-project/vllm {' '.join(words)}")
    return steps


def _type(finding: Finding) -> str:
    type = str(finding.values.get("type") or "")
    return "" if type in _NAMELESS else type


def _message(finding: Finding) -> str:
    lines = str(finding.values.get("message") or "").strip().splitlines()
    return lines[0][:LONGEST_MESSAGE] if lines else ""


def _frame(finding: Finding) -> str:
    return str(finding.values.get("frame") or "")
