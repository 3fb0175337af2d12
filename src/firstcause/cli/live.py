"""What the command line says about running servers: the options, and the looks at all of them at the same time."""

from __future__ import annotations

import argparse
import os

from firstcause.errors import UsageError
from firstcause.live import Ask, Look, is_live


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that only running servers need."""
    group = parser.add_argument_group("running servers (http://HOST:PORT)")
    group.add_argument(
        "--probe", action="store_true", help="let the server generate one token; without it nothing costs GPU time"
    )
    group.add_argument(
        "--interval", type=_seconds, default=5.0, metavar="S", help="seconds between two looks at its metrics (default: 5)"
    )
    group.add_argument("--model", default="", metavar="NAME", help="the served name that clients ask for")
    group.add_argument("--api-key-env", default="", metavar="VARIABLE", help="the environment variable that holds the API key")
    group.add_argument("--insecure", action="store_true", help="do not verify the certificate of an https server")


def ask_of(args: argparse.Namespace) -> Ask:
    """What may be asked. Raises UsageError where the key's variable is not set."""
    key = ""
    if args.api_key_env:
        key = os.environ.get(args.api_key_env, "")
        if not key:
            raise UsageError(f"--api-key-env {args.api_key_env}: the variable is not set; expected the API key in it")
    return Ask(args.probe, args.interval, args.model, key, not args.insecure)


def looks(args: argparse.Namespace) -> list[Look]:
    """A look at every running server of the command line, in its order. Raises UsageError for a URL that cannot be asked."""
    urls = list(dict.fromkeys(argument for argument in args.evidence if is_live(argument)))
    if not urls:
        return []
    from firstcause.live.targets import look_at

    return look_at(urls, ask_of(args))


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 600:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; expected seconds from 0.1 to 600")
    return value
