"""`make bench`: speed and accuracy beside other ways of reading the same bytes, as ratios in one run on one core.

python bench/run.py [--size MIB] [--cases FOLDER...] [--huge]
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import accuracy
import speed

DATA = Path(__file__).parent / "data"
SHARED = Path(__file__).parents[2] / "shared"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all parts; every line says what it is a ratio of."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1024, metavar="MIB", help="size of the log (default: %(default)s)")
    parser.add_argument("--huge", action="store_true", help="read a log of 8 GiB too, for the peak of memory")
    parser.add_argument("--cases", nargs="*", type=Path, default=[SHARED / "cases", SHARED / "real-logs"])
    args = parser.parse_args(arguments)
    DATA.mkdir(exist_ok=True)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    speed.report(DATA, args.size, args.huge)
    accuracy.report([folder for folder in args.cases if folder.is_dir()], DATA)


if __name__ == "__main__":
    main()
