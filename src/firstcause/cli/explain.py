"""`firstcause explain`: the page of a failure, or a search for one."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from firstcause.errors import UsageError
from firstcause.knowledge.catalog import open_catalog
from firstcause.knowledge.page import page
from firstcause.knowledge.search import search


def add_to(verbs: Any) -> None:
    """Add the verb to the command line."""
    parser = verbs.add_parser("explain", help="the page of a failure, found by its id or by a few words")
    parser.add_argument("words", nargs="+", metavar="ID|WORD", help="an id, or words of the message or the matter")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    catalog = open_catalog()
    if len(args.words) == 1 and args.words[0] in catalog:
        sys.stdout.write(page(catalog[args.words[0]]))
        return 0
    found = search(" ".join(args.words), catalog)
    if not found:
        raise UsageError(f"nothing is known about {' '.join(args.words)!r}; `firstcause catalog list` shows all failures")
    if len(found) == 1 or args.words == [found[0].id]:
        sys.stdout.write(page(catalog[found[0].id]))
        return 0
    for failure in found[:12]:
        print(f"{failure.id:<40} {failure.title}")
    return 0
