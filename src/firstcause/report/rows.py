"""Rows of a terminal page: texts are wrapped at blanks, commands stay in one piece."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping


class Page:
    """Lines that grow from top to bottom; texts are wrapped, commands never."""

    def __init__(self, width: int, color: bool, names: Mapping[str, str]) -> None:
        """An empty page. rich is imported here: who asks for JSON does not pay for it."""
        from rich.console import Console

        self.width = width
        self.names = names  # of sources, as they are told in passing
        self._out = io.StringIO()
        self._console = Console(
            file=self._out,
            width=width,
            force_terminal=color,
            color_system="standard" if color else None,
            no_color=not color,
            legacy_windows=False,
            highlight=False,
            _environ={},
        )

    def text(self) -> str:
        """The page so far: no blanks at the ends of lines, no two empty lines."""
        lines = (line.rstrip() for line in self._out.getvalue().split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip("\n") + "\n"

    def blank(self) -> None:
        """An empty line."""
        self._out.write("\n")

    def say(self, text: str, style: str = "", first: str = "  ", rest: str = "  ", first_style: str = "") -> None:
        """A wrapped text; `first` stands before its first row, `rest` before the others."""
        for number, row in enumerate(wrapped(text, self.width - max(len(first), len(rest)))):
            self.row((rest if number else first, first_style), (row, style))

    def row(self, *parts: tuple[str, str]) -> None:
        """One row as it is, never wrapped: what is longer than the terminal can still be copied in one piece."""
        from rich.text import Text

        self._console.print(Text.assemble(*parts), soft_wrap=True)

    def heading(self, text: str) -> None:
        """A heading after an empty line."""
        self.blank()
        self.row((text, "bold"))


def wrapped(text: str, width: int) -> list[str]:
    """The text in rows of at most `width` columns, broken at blanks where there are any; no character is lost."""
    from rich.cells import cell_len, chop_cells

    rows = []
    for line in text.replace("\t", " ").split("\n"):
        rest = line.strip()
        while cell_len(rest) > width:
            end = max(1, len(chop_cells(rest[: 2 * width], width)[0]))
            blank = rest.rfind(" ", 0, end + 1)
            end = blank if blank > end // 3 else end
            rows.append(rest[:end].rstrip())
            rest = rest[end:].lstrip()
        rows.append(rest)
    return rows
