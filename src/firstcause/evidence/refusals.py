"""What was not read and why, gathered: a thousand links in an archive are one gap, not a thousand."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from firstcause.model import Gap

Report = Callable[[Gap], None]  # takes each gap as it shows
_TOLD_APART = 3


class Refusals:
    """Names by the reason for which they were not read; few are told one by one, many together."""

    def __init__(self) -> None:
        """None yet."""
        self._names: dict[tuple[str, str], list[str]] = {}

    def add(self, gap: Gap) -> None:
        """One that was not read. Gathered by `why` and `how`."""
        self._names.setdefault((gap.why, gap.how), []).append(gap.what)

    def __len__(self) -> int:
        """How many were not read."""
        return sum(map(len, self._names.values()))

    def gaps(self) -> Iterator[Gap]:
        """The gaps, in the order in which their reasons first showed."""
        for (why, how), names in self._names.items():
            if len(names) <= _TOLD_APART:
                yield from (Gap(name, why, how) for name in names)
            else:
                first = ", ".join(names[:_TOLD_APART])
                yield Gap(f"{first} and {len(names) - _TOLD_APART:,} more", f"each {why}", how)


def shown(name: str) -> str:
    """The name without anything that a terminal would act on: a file name is evidence too, and hostile."""
    if name.isprintable():
        return name
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in name)
