"""Where the output goes, when nobody reads it any more."""

from __future__ import annotations

import os
import sys


def drop_output() -> None:
    """`firstcause … | head`: the reader has what it wanted; nothing more is written, and nothing is said about it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
