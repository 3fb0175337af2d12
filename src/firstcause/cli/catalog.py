"""`firstcause catalog`: what is known, and the proof that it holds."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from firstcause.knowledge.catalog import open_catalog
from firstcause.knowledge.coverage import coverage
from firstcause.knowledge.loader import BUILTIN


def add_to(verbs: Any) -> None:
    """Add the verb to the command line."""
    parser = verbs.add_parser("catalog", help="list, check and cover what is known")
    parts = parser.add_subparsers(title="parts", metavar="PART", required=True)
    listing = parts.add_parser("list", help="all failures, a line each")
    listing.set_defaults(run=_list)
    check = parts.add_parser("check", help="prove the knowledge by its own examples")
    check.add_argument("folder", nargs="?", type=Path, help="a folder of your own failure files; default: the built-in ones")
    check.set_defaults(run=_check)
    table = parts.add_parser("coverage", help="the table of the rows that must be recognised, with their state")
    table.set_defaults(run=_coverage)


def _list(args: argparse.Namespace) -> int:
    for failure in open_catalog().outlines.values():
        print(f"{failure.id:<44} {failure.role:<11} {failure.stack:<11} {failure.title}")
    return 0


def _check(args: argparse.Namespace) -> int:
    from firstcause.check import check

    problems = check([args.folder] if args.folder else [])
    for problem in problems:
        print(problem, file=sys.stderr)
    catalog_size = len(list((args.folder or BUILTIN).rglob("*.toml")))
    print(f"{catalog_size} failures: {len(problems) or 'no'} problem{'s' * (len(problems) != 1)}")
    return int(bool(problems))


def _coverage(args: argparse.Namespace) -> int:
    rows = coverage(open_catalog().outlines)
    for row in rows:
        print(f"{row.id:<4} {'done' if row.failures else 'OPEN':<5} {', '.join(row.failures)}")
    return int(any(not row.failures for row in rows))
