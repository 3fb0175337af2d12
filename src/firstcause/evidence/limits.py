"""How much of packed evidence is read, so that no archive can explode; and what was read so far."""

from __future__ import annotations

from dataclasses import dataclass, field

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is read. Plain files are read whole: they cannot be larger than they are."""

    files: int = 10_000  # files of one folder, members of one archive
    member_bytes: int = 16 * GIB  # decompressed, of one packed file or member
    total_bytes: int = 64 * GIB  # decompressed, of all packed files and members
    spool_bytes: int = 16 * GIB  # kept in a nameless temporary file: standard input, the inside of a compressed tar
    ratio: int = 1_000  # decompressed bytes per packed byte; logs reach some hundred
    ratio_from: int = 64 << 20  # decompressed bytes before which the ratio is not judged


@dataclass(slots=True)
class Budget:
    """What is left of `Limits.total_bytes`, over everything that is read."""

    limits: Limits
    used: int = 0


@dataclass(slots=True)
class Account:
    """One packed file or member. Bytes that are read a second time are not counted again."""

    budget: Budget
    furthest: int = field(default=0, init=False)

    def room(self, position: int) -> int:
        """How many bytes may still be read from the position on."""
        limits = self.budget.limits
        fresh = limits.total_bytes - self.budget.used
        return min(limits.member_bytes - position, self.furthest - position + max(fresh, 0))

    def take(self, position: int) -> None:
        """Everything before the position has been read."""
        if position > self.furthest:
            self.budget.used += position - self.furthest
            self.furthest = position

    def explodes(self, position: int, packed: int) -> bool:
        """More came out than any log gives for what went in."""
        limits = self.budget.limits
        return position >= limits.ratio_from and position > limits.ratio * packed

    def reason(self, position: int) -> str:
        """The limit that leaves no room at the position."""
        limits = self.budget.limits
        if position >= limits.member_bytes:
            return f"is larger than the limit of {limits.member_bytes:,} decompressed bytes for one file"
        return f"all packed evidence together is larger than the limit of {limits.total_bytes:,} decompressed bytes"
