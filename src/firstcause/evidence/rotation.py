"""Rotated logs: which names belong to one log, and which part of it is older."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Age = tuple[int, str, int]  # sorts the oldest first
_DATED, _NUMBERED, _CURRENT = range(3)

# serve.log.2.gz
_PACKED = re.compile(r"\.(?:gz|zst|zstd|xz|bz2|lz4|zip|Z)$", re.IGNORECASE)
# serve.log.2026-01-01.gz   serve.log-20260101   0.log.20260101-120000   serve-2026-01-01T12-00-00.000.log   serve.log-20260101.1
_DATE = re.compile(
    r"[-._](?P<date>(?:19|20)\d\d[-._]?\d\d[-._]?\d\d(?:[-._T]?\d\d[-._:]?\d\d[\d\-._:]{0,20}?)?Z?)"
    r"(?:\.(?P<part>\d{1,3}))?(?P<suffix>\.[A-Za-z]\w{0,8})?$"
)
# serve.log.12   serve.1.log   but not vllm-0.11.0.txt or 10.0.0.7
_NUMBER = re.compile(r"(?<!\d)\.(?P<number>\d{1,5})(?P<suffix>\.(?:log|out|err|txt|jsonl?))?$")
# serve.log.old
_OLD = re.compile(r"(?:\.(?:old|bak|prev|previous)|~)$", re.IGNORECASE)
_DIGITS = re.compile(r"(\d+)")


def log_and_age(name: str) -> tuple[str, Age]:
    """The name of the log that a file is a part of, and the age of the part. A file that is not rotated is current."""
    base = _PACKED.sub("", name)
    if (match := _DATE.search(base)) and match.start():
        date = re.sub(r"\D", "", match["date"])
        return base[: match.start()] + (match["suffix"] or ""), (_DATED, date, int(match["part"] or 0))
    if (match := _NUMBER.search(base)) and match.start():
        return base[: match.start()] + (match["suffix"] or ""), (_NUMBERED, "", -int(match["number"]))
    if (match := _OLD.search(base)) and match.start():
        return base[: match.start()], (_NUMBERED, "", -1)
    return base, (_CURRENT, "", 0)


def natural(name: str) -> list[tuple[int, str]]:
    """Sorts `2.log` before `10.log`, folder by folder."""
    parts = _DIGITS.split(name.replace("/", "\0"))
    return [(int(part) if part.isdecimal() and len(part) < 20 else 0, part) for part in parts]


def oldest_first(items: Iterable[Item], name: Callable[[Item], str]) -> list[Item]:
    """The same items; the parts of each log stand together, oldest first, where its first part stood."""
    logs: dict[tuple[str, str], list[tuple[Age, Item]]] = {}
    for item in items:
        folder, _, last = name(item).rpartition("/")
        log, age = log_and_age(last)
        logs.setdefault((folder, log), []).append((age, item))
    return [item for parts in logs.values() for _, item in sorted(parts, key=lambda part: part[0])]
