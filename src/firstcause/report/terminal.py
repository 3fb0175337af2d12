"""The report for a terminal, in the manner of a good compiler: what is wrong, the line that says so, the fix last."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from firstcause.report.fill import typed
from firstcause.report.rows import Page, wrapped

NARROWEST = 40
MOST_ROWS = 6  # of a quoted line; a longer one is cut around what matters
MOST_NAMED = 4  # consequences and the like that are named before "and N more"
MOST_NUMBERS = 8
_COLORS = {"failure": "bold red", "degraded": "bold yellow", "healthy": "bold green", "not-in-evidence": "bold yellow"}
# Where an exception begins inside a long line: "torch.OutOfMemoryError: CUDA out of memory"
_FOCUS = re.compile(r"[\w.]{0,80}(?:Error|Exception)\b:|\b(?:ERROR|FATAL|CRITICAL|error)\b")

Item = Mapping[str, Any]
Items = Sequence[Item]
Report = dict[str, Any]


def terminal(report: dict[str, Any], width: int, color: bool) -> str:
    """The report as text for a terminal of this width; the same for the same report, width and color."""
    page = Page(max(width, NARROWEST), color, _short_names(report))
    shapes = {"failure": _failure, "degraded": _degraded, "healthy": _healthy, "not-in-evidence": _open}
    shapes[report["verdict"]](page, report)
    return page.text()


def _failure(page: Page, report: Report) -> None:
    first, *others = report["causes"]
    doubt = " (suspected)" if first["status"] == "suspected" and first["recognised"] else ""
    _headline(page, report, f"failure{doubt}", f"{first['title']} [{first['id']}]")
    _told(page, first)
    explained = [item for item in report["consequences"] if first["id"] in item["explained_by"]]
    _folded(page, f"explains {_count(explained, 'other error')}", explained)
    _folded(page, "seen too", [item for item in report["consequences"] if item not in explained])
    _beside(page, "as likely", others)
    _around(page, report)
    _fix(page, first)


def _degraded(page: Page, report: Report) -> None:
    first, *others = report["conditions"]
    _headline(page, report, "degraded", f"{first['title']} [{first['id']}]")
    _told(page, first)
    _beside(page, "also", others)
    _around(page, report | {"conditions": []})
    _fix(page, first)


def _healthy(page: Page, report: Report) -> None:
    _headline(page, report, "healthy", "no failure in this evidence")
    for item in report["benign"][:MOST_NAMED]:
        page.blank()
        page.say(f"{item['title']} ({_place(page, item)})", first="  harmless: ")
        page.say(item["why"], "dim")
    _folded(page, "also harmless", report["benign"][MOST_NAMED:])
    _around(page, report | {"benign": []})


def _open(page: Page, report: Report) -> None:
    """Nothing here states the cause: what is seen, why that is not it, and what to fetch, in this order."""
    seen = [*report["causes"], *report["consequences"]]
    _headline(page, report, "cause not in this evidence", seen[0]["title"] if seen else "")
    if not seen:
        page.say("No line tells of a failure, and none tells that the server was ready.")
    elif report["causes"]:
        page.say("This error is the first that is seen, but it does not say why:")
    else:
        page.say("What is seen is a consequence: it only repeats that something else failed before it.")
    if seen:
        _quote(page, seen[0], {})
        _folded(page, "seen too", [item for item in seen[1:] if item in report["consequences"]])
    _around(page, report | {"gaps": []})
    for item in report["causes"][:1]:
        _fix(page, item)
    page.heading("fetch next")
    for number, gap in enumerate(report["gaps"], 1):
        _gap(page, gap, f"  {number}. ")
    if not report["gaps"]:
        page.say("the whole log, from the first line of the start to the last")


def _headline(page: Page, report: Item, word: str, text: str) -> None:
    first, *rows = wrapped(f"{word}: {text}" if text else word, page.width)
    page.row((first[: len(word)], _COLORS[report["verdict"]]), (first[len(word) :], "bold"))
    for row in rows:
        page.row((row, "bold"))
    page.blank()


def _told(page: Page, item: Item) -> None:
    """What happened, the line that says so, and what the evidence adds to it."""
    if item["recognised"]:
        page.say(item["summary"])
    _quote(page, item, item["values"])
    if not item["recognised"] and item["values"].get("frame"):
        page.say(f"raised in {item['values']['frame']}")  # the quote tells the rest
    numbers = [f"{name} = {value}" for name, value in item["values"].items() if _helps(value, item["summary"])]
    if numbers:
        page.say(" · ".join(numbers[:MOST_NUMBERS]), first="  numbers: ", rest="    ", first_style="bold")
    if item["why"]:
        page.say(item["why"], first="  why: ", rest="       ", first_style="bold")
    if places := [_where(page, piece) for piece in item["evidence"][1:]]:
        page.say(f"also at {', '.join(places)}", "dim")


def _quote(page: Page, item: Item, values: Mapping[str, Any]) -> None:
    """The line that states it, behind a bar, with its place and process above."""
    piece = item["evidence"][0]
    details = [f"{piece['source']}:{piece['line']}", *(piece[name] for name in ("process", "time") if piece[name])]
    page.blank()
    page.row(("  --> ", "blue"), (", ".join(details), "blue"))
    for row in _excerpt(piece["text"], values, page.width - 7):
        page.row(("     | ", "blue"), (row, ""))
    page.blank()


def _excerpt(text: str, values: Mapping[str, Any], width: int) -> list[str]:
    """The line in a few rows: whole where it fits, else the part around the values or the error's name."""
    rows = wrapped(text, width)
    if len(rows) <= MOST_ROWS:
        return rows
    found = [place for value in values.values() if len(str(value)) > 2 and (place := text.find(str(value))) >= 0]
    focus = _FOCUS.search(text)
    middle = min(found) if found else focus.start() if focus else 0
    size = width * (MOST_ROWS - 1)
    start = max(0, min(middle - size // 4, len(text) - size))
    cut = ("… " if start else "") + text[start : start + size] + (" …" if start + size < len(text) else "")
    return wrapped(cut, width)


def _around(page: Page, report: Report) -> None:
    """What stands around the answer, briefly."""
    _folded(page, "makes it worse", report["conditions"], "title")
    _folded(page, "harmless", report["benign"])
    sources = [one["source"] for one in report["incidents"]]
    starts = [one for one in report["incidents"] if sources.count(one["source"]) > 1]
    if starts:
        earlier = [
            f"{one['cause'] or one['verdict']} ({_location(page, one | {'line': one['first_line']})})" for one in starts[:-1]
        ]
        page.say(f"{len(starts)} starts in this evidence, the last is told; before it: {_listed(earlier)}")
    for gap in report["gaps"]:
        _gap(page, gap, "  missing: ")


def _gap(page: Page, gap: Item, first: str) -> None:
    page.say(
        f"{gap['what']}: {gap['why']}" if gap["why"] else gap["what"], first=first, rest=" " * len(first), first_style="bold"
    )
    if gap["how"]:
        _commands(page, [gap["how"]])


def _folded(page: Page, words: str, items: Items, key: str = "id") -> None:
    if items:
        page.say(f"{words}: {_listed([f'{item[key]} ({_place(page, item)})' for item in items])}")


def _beside(page: Page, words: str, items: Items) -> None:
    """Other answers of the same rank: what, where, and the first thing to do."""
    for item in items:
        page.say(f"{item['title']} [{item['id']}] ({_place(page, item)})", first=f"  {words}: ", rest="    ", first_style="bold")
        for remedy in item["remedies"][:1]:
            page.say(remedy["title"], first="    fix: ", rest="         ")
            _change(page, remedy)


def _fix(page: Page, item: Item) -> None:
    """The last thing on the screen: how to make sure, what not to do, what to do."""
    if item["check"]:
        page.heading("make sure" if item["remedies"] else "where to look")
        _commands(page, item["check"], "  ")
    if item["remedies"]:
        page.heading("fix")
    for number, remedy in enumerate(item["remedies"], 1):
        page.say(remedy["title"], "bold", first=f"  {number}. ", rest="     ")
        _change(page, remedy)
        notes = [f"{name}: {remedy[name]}" for name in ("cost", "risk") if remedy[name]]
        if notes:
            page.say(" · ".join(notes), "dim", first="     ", rest="     ")
    for text in item["avoid"]:
        page.say(text, first="  not: ", rest="       ", first_style="bold red")


def _change(page: Page, remedy: Item) -> None:
    """What to set, where no command shows it already, and what to type."""
    setting = typed(remedy["set"])
    if setting and not any(setting in command for command in remedy["commands"]):
        page.row(("       set ", ""), (setting, "cyan"))
    _commands(page, remedy["commands"])


def _commands(page: Page, commands: Sequence[str], indent: str = "       ") -> None:
    for command in commands:
        for line in command.strip("\n").split("\n"):
            page.row((indent, ""), (line, "cyan"))


def _helps(value: object, summary: str) -> bool:
    return isinstance(value, int | float) and f"{value:.10g}" not in summary


def _place(page: Page, item: Item) -> str:
    return _location(page, item["evidence"][0])


def _location(page: Page, piece: Item) -> str:
    return f"{page.names.get(piece['source'], piece['source'])}:{piece['line']}"


def _where(page: Page, piece: Item) -> str:
    times = f"{piece['count']} times" if piece.get("count", 1) > 1 else ""
    notes = ", ".join(note for note in (piece["process"], times) if note)
    return f"{_location(page, piece)} ({notes})" if notes else _location(page, piece)


def _short_names(report: Report) -> dict[str, str]:
    """Sources without their folders, where that leaves no two alike; the quoted line still names the whole path."""
    items = [item for part in ("causes", "consequences", "conditions", "benign") for item in report[part]]
    sources = {piece["source"] for item in items for piece in item["evidence"]}
    names = {source: source.rpartition("/")[2] or source for source in sources | {one["source"] for one in report["incidents"]}}
    return {source: name for source, name in names.items() if list(names.values()).count(name) == 1}


def _count(items: Items, word: str) -> str:
    return f"{len(items)} {word}{'' if len(items) == 1 else 's'}"


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - MOST_NAMED
    return ", ".join(texts[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
