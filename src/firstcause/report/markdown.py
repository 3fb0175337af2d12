"""The report as Markdown, to paste into an issue or a chat: short, and nothing from the evidence becomes markup."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from firstcause.report.fill import typed

MOST_NAMED = 6
LONGEST_QUOTE = 600  # characters of a quoted line; the whole line stands in the JSON report
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!&])")
_REFERENCE = re.compile(r"([@#])(?=\w)")  # @name calls a person, #12 writes into another issue
_TITLES = {
    "failure": "Failure",
    "degraded": "Degraded",
    "healthy": "Healthy: no failure in this evidence",
    "not-in-evidence": "The cause is not in this evidence",
}

Item = Mapping[str, Any]


def markdown(report: dict[str, Any]) -> str:
    """The report in Markdown, its answer first."""
    verdict = report["verdict"]
    answers = report["causes"] or (report["conditions"] if verdict == "degraded" else [])
    parts = [f"## {_TITLES[verdict]}" + (f": {plain(answers[0]['title'])}" if answers else "")]
    for number, item in enumerate(answers):
        parts += _answer(item, number)
    seen = report["consequences"]
    if verdict == "not-in-evidence" and seen and not answers:
        parts += [f"Seen is a consequence only: {plain(seen[0]['title'])} ({code(seen[0]['id'])})", _quote(seen[0])]
        seen = seen[1:]
    parts += _named("Explained by it", [item for item in seen if _explained(item, answers)])
    parts += _named("Seen too", [item for item in seen if not _explained(item, answers)])
    if report["conditions"] is not answers:
        parts += _named("Conditions", report["conditions"])
    parts += _named("Harmless", report["benign"])
    parts += _gaps(report["gaps"], verdict)
    parts += _stack(report["stack"])
    return "\n\n".join(part for part in parts if part) + "\n"


def plain(text: str) -> str:
    """The text with every sign of Markdown and HTML taken literally, in one line; nobody is called and no issue linked."""
    text = _REFERENCE.sub("\\1\u2060", " ".join(text.split()))
    text = _MARKUP.sub(r"\\\1", text)
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", text)  # a list or a heading, at the start of a line


def code(text: str) -> str:
    """The text as code in a line, whatever backticks it holds."""
    text = " ".join(text.split()) or " "
    ticks = "`" * (_longest_run(text) + 1)
    return f"{ticks} {text} {ticks}" if "`" in text else f"{ticks}{text}{ticks}"


def fenced(text: str, language: str = "text", indent: str = "") -> str:
    """The text as a block of code that nothing inside can end."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return "\n".join(f"{indent}{line}" for line in [f"{fence}{language}", *text.split("\n"), fence])


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _answer(item: Item, number: int) -> list[str]:
    heading = f"### Beside it: {plain(item['title'])}" if number else ""
    sure = item["status"] if item["recognised"] else "not known to firstcause"
    parts = [heading, f"{code(item['id'])}, {sure}. {plain(item['summary'])}", _quote(item)]
    if item["remedies"]:
        parts += ["**Fix**", "\n".join(_remedy(step, remedy) for step, remedy in enumerate(item["remedies"], 1))]
    if item["avoid"]:
        parts += ["**Do not**", "\n".join(f"* {plain(text)}" for text in item["avoid"])]
    if item["check"]:
        parts += ["**Make sure**" if item["remedies"] else "**Where to look**", fenced("\n".join(item["check"]))]
    return parts


def _remedy(number: int, remedy: Item) -> str:
    lines = [f"{number}. {plain(remedy['title'])}"]
    if setting := typed(remedy["set"]):
        lines.append(f"   set {code(setting)}")
    notes = [f"{name}: {plain(remedy[name])}" for name in ("cost", "risk") if remedy[name]]
    if notes:
        lines.append(f"   ({'; '.join(notes)})")
    if remedy["commands"]:
        lines += ["", fenced("\n".join(remedy["commands"]), "sh", "   ")]
    return "\n".join(lines)


def _quote(item: Item) -> str:
    piece = item["evidence"][0]
    text = piece["text"]
    shown = text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]} …"
    who = f", {plain(piece['process'])}" if piece["process"] else ""
    return f"{code(_location(item))}{who}:\n\n{fenced(shown)}"


def _explained(item: Item, answers: Sequence[Item]) -> bool:
    return bool(answers) and answers[0]["id"] in item["explained_by"]


def _named(words: str, items: Sequence[Item]) -> list[str]:
    if not items:
        return []
    names = [f"{code(item['id'])} ({code(_location(item))})" for item in items]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return [f"{words}: {', '.join(names[:MOST_NAMED])}{more}"]


def _gaps(gaps: Sequence[Item], verdict: str) -> list[str]:
    if not gaps:
        return []
    parts = ["### Fetch next" if verdict == "not-in-evidence" else "### Missing"]
    for gap in gaps:
        parts.append(f"* {plain(gap['what'])}: {plain(gap['why'])}")
        if gap["how"]:
            parts.append(fenced(gap["how"], "sh", "  "))
    return parts


def _stack(stack: Mapping[str, str]) -> list[str]:
    shown = [f"{plain(name)} {code(stack[name])}" for name in ("vllm", "model", "tensor_parallel_size") if name in stack]
    return [f"Stack: {', '.join(shown)}"] if shown else []


def _location(item: Item) -> str:
    return f"{item['evidence'][0]['source']}:{item['evidence'][0]['line']}"
