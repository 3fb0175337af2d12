"""`firstcause diagnose`: from what a person has to the first cause."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firstcause.cli import live
from firstcause.cli.output import drop_output
from firstcause.errors import UsageError
from firstcause.knowledge.catalog import open_catalog
from firstcause.live import is_live
from firstcause.model import Source, Verdict
from firstcause.pipeline import Progress, Request, run
from firstcause.report.render import FORMATS, render

EXIT = {Verdict.HEALTHY: 0, Verdict.FAILURE: 1, Verdict.NOT_IN_EVIDENCE: 1, Verdict.DEGRADED: 4}
UNREADABLE = 3
LARGE = 64 << 20  # bytes from which on a progress bar is worth its lines


def add_to(verbs: Any) -> None:
    """Add the verb to the command line."""
    parser = verbs.add_parser(
        "diagnose",
        help="find the first cause of a failure",
        description="Finds the first cause in logs, folders, archives, saved HTTP answers and metrics, together one incident.",
        epilog="exit code: 0 nothing wrong, 1 a failure, 2 wrong usage, 3 nothing could be read, 4 degraded only",
    )
    parser.add_argument(
        "evidence",
        nargs="+",
        metavar="PATH|URL",
        help='file, folder, archive, or http://HOST:PORT of a server; "-" is standard input',
    )
    parser.add_argument("--format", choices=list(FORMATS), default="terminal", help="default: %(default)s")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the report there")
    parser.add_argument("--all", action="store_true", help="tell every incident, not only the latest of each source")
    parser.add_argument(
        "--knowledge", action="append", type=Path, default=[], metavar="DIR", help="a folder of your own failure files"
    )
    live.add_options(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="tell what was read and how long it took")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    catalog = open_catalog(args.knowledge)
    paths = [argument for argument in args.evidence if not is_live(argument)]
    looks = live.looks(args)
    parts = [part for look in looks for part in look.parts]
    gaps = [gap for look in looks for gap in look.gaps]
    with _progress(paths) as progress:
        stdin = sys.stdin.buffer if "-" in paths and sys.stdin is not None else None
        outcome = run(Request(paths, args.all, stdin, progress, parts, gaps), catalog)
    _write(_rendered(outcome.report, args), args.output)
    if args.verbose:
        print(f"firstcause: {outcome.read} sources read, {len(catalog)} failures known", file=sys.stderr)
    return EXIT[outcome.diagnosis.verdict] if outcome.read else UNREADABLE


def _rendered(report: dict[str, Any], args: argparse.Namespace) -> str:
    terminal = args.output is None and sys.stdout.isatty()
    color = terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size((100, 24)).columns if terminal else 100
    return render(report, args.format, width, color)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        try:
            sys.stdout.buffer.write(text.encode("utf-8", "replace"))
            sys.stdout.flush()
        except BrokenPipeError:  # the verdict stands, whoever stopped reading
            drop_output()
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"-o {output}: cannot be written: {error.strerror}; name a file in a folder that exists") from error


@contextmanager
def _progress(paths: list[str]) -> Iterator[Progress | None]:
    """A bar on standard error where the input is large and a person watches; else nothing."""
    total = sum(Path(path).stat().st_size for path in paths if path != "-" and Path(path).is_file())
    if total < LARGE or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=total)
        done: dict[str, int] = {}

        def show(source: Source, read: int) -> None:
            done[source.name] = read
            bar.update(task, completed=sum(done.values()))

        yield show
