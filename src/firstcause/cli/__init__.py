"""The command line: one module per verb. Only this package prints and exits."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from firstcause import __version__
from firstcause.cli import catalog, diagnose, explain
from firstcause.cli.output import drop_output
from firstcause.errors import FirstcauseError

VERBS = (diagnose, explain, catalog)
USAGE, UNREADABLE = 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; the exit code is 0 nothing wrong, 1 a failure, 2 wrong usage, 3 nothing could be read, 4 degraded only."""
    args = _parser().parse_args(arguments)
    try:
        code = int(args.run(args))
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except FirstcauseError as error:
        print(f"firstcause: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:  # `firstcause … | head`: the reader has what it wanted
        drop_output()
        return 0
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="firstcause",
        description="Finds the first cause of a failure in an LLM serving stack, proves it, and says what to change.",
    )
    parser.add_argument("--version", action="version", version=f"firstcause {__version__}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    for verb in VERBS:
        verb.add_to(verbs)
    return parser
