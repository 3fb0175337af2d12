"""A failure as a page for people: the same text in `explain` and in the docs."""

from __future__ import annotations

import re

from firstcause.knowledge.schema import Failure, Remedy

_HOLE = re.compile(r"\{([a-z_0-9]+)(?:\|([^{}]*))?\}")


def page(failure: Failure) -> str:
    """The page in Markdown: what it is, how it shows, why it happens, what to do and what not."""
    parts = [f"# {failure.title}\n", f"`{failure.id}` · {failure.role} · {failure.stack} · {failure.phase}\n"]
    parts.append(_plain(failure.summary) + "\n")
    if failure.why:
        parts.append(f"{failure.why.strip()}\n")
    shown = [seen.strip("\n") for signal in failure.signals for seen in signal.seen[:1]]
    parts.append("## How it shows\n\n" + "\n\n".join(_fenced(text) for text in shown[:3]) + "\n")
    if failure.remedies:
        steps = "\n".join(_remedy(number, remedy) for number, remedy in enumerate(failure.remedies, 1))
        parts.append(f"## What to do\n\n{steps}\n")
    for title, items in (
        ("What does not help", failure.avoid),
        ("How to make sure", failure.check),
        ("Sources", failure.refs),
    ):
        if items:
            parts.append(f"## {title}\n\n" + "\n".join(f"* {_plain(item)}" for item in items) + "\n")
    for title, ids in (("Leads to", failure.leads_to), ("Rows", failure.covers)):
        if ids:
            parts.append(f"{title}: {', '.join(ids)}\n")
    return "\n".join(parts)


def _remedy(number: int, remedy: Remedy) -> str:
    lines = [f"{number}. {_plain(remedy.title)}"]
    if remedy.set:
        lines.append(f"   * set {' = '.join(_plain(value) for value in remedy.set.values())}")
    lines += [f"   * `{_plain(command)}`" for command in remedy.commands]
    lines += [f"   * {word}: {_plain(text)}" for word, text in (("cost", remedy.cost), ("risk", remedy.risk)) if text]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Holes as a reader would name them: the words for "not known", else the name in capitals."""
    return _HOLE.sub(lambda m: m[2] if m[2] is not None else m[1].upper(), text).replace("{{", "{").replace("}}", "}")


def _fenced(text: str) -> str:
    return f"```\n{text}\n```"
