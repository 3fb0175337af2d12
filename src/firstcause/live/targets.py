"""All live targets of one command, asked at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from firstcause.live import Ask, Look
from firstcause.live.endpoint import look
from firstcause.live.http import checked

MOST_AT_ONCE = 16


def look_at(urls: Sequence[str], ask: Ask) -> list[Look]:
    """One look per server, in the order of the URLs.

    Raises UsageError for the first URL that cannot be asked, before anything is sent.
    """
    for url in urls:
        checked(url)
    with ThreadPoolExecutor(min(MOST_AT_ONCE, len(urls))) as pool:
        return list(pool.map(lambda url: look(url, ask), urls))
