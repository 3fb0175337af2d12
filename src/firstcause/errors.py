"""Everything firstcause itself raises on purpose.

FirstcauseError
├── UsageError         the command line asks for something that cannot be done (exit code 2)
├── EvidenceError      one source cannot be read: the pipeline turns it into a Gap and goes on
├── KnowledgeError     a knowledge file is wrong: says file, key, what was expected
└── KnowledgeErrors    several of them, told at once
"""

from __future__ import annotations

from collections.abc import Sequence


class FirstcauseError(Exception):
    """Base of all errors of this project; its text is meant for the user."""


class UsageError(FirstcauseError):
    """The request cannot be carried out as it was made."""


class EvidenceError(FirstcauseError):
    """A source of evidence cannot be read."""

    def __init__(self, source: str, why: str, how: str = "") -> None:
        """Name the source, why it cannot be read, and how to get it instead."""
        super().__init__(f"{source}: {why}")
        self.source = source
        self.why = why
        self.how = how


class KnowledgeError(FirstcauseError):
    """A knowledge file breaks the format."""

    def __init__(self, file: str, key: str, problem: str, expected: str = "") -> None:
        """Name the file, the key inside it, what is wrong and what was expected."""
        text = f"{file}: {key}: {problem}"
        super().__init__(f"{text}; expected {expected}" if expected else text)
        self.file = file
        self.key = key


class KnowledgeErrors(FirstcauseError):
    """Several mistakes in knowledge files, each with its place, told at once."""

    def __init__(self, problems: Sequence[KnowledgeError]) -> None:
        """All of them, a line each."""
        super().__init__("\n".join([f"{len(problems)} mistakes in the knowledge", *(f"  {problem}" for problem in problems)]))
