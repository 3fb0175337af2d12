"""One token, asked for with permission: the only proof that an engine answers. /health stays 200 while an engine is stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from firstcause.live.http import Answer, Call, Limits, fetch
from firstcause.live.session import exchange, measured, scrape

if TYPE_CHECKING:
    from firstcause.live.endpoint import Visit

PATIENCE = 25.0  # seconds for one token of an idle engine; the slowest measured CPU took 2
PROMPT = "1"


def probe(visit: Visit, model: str) -> Iterator[str]:
    """Ask for one token; tell the answer, or that none came and whether the engine worked on others meanwhile."""
    from firstcause.live.endpoint import STEPS, total

    before = visit.get("/metrics")
    answer = _ask(visit, model)
    if answer.status or "within" not in answer.error:
        # the answer itself is cut after one token because we asked so: it would look like a cut answer
        yield measured(f"a probe of one token was answered after {answer.seconds:.1f} s") if answer.ok else exchange(answer)
        return
    after = visit.get("/metrics")
    if not (before.ok and after.ok):
        yield exchange(answer)
        return
    yield scrape(after, time.time())
    steps = total(after, STEPS) - total(before, STEPS)
    if steps > 0:
        yield measured(f"a probe of one token waits for {PATIENCE:g} s while the engine works on other requests")
    else:
        yield measured(f"a probe of one token was not answered within {PATIENCE:g} s, and the engine made no step meanwhile")


def _ask(visit: Visit, model: str) -> Answer:
    """The answer to one short completion; a chat where the server has no completions."""
    headers = {"Content-Type": "application/json"}
    if visit.ask.key:
        headers["Authorization"] = f"Bearer {visit.ask.key}"
    limits = Limits(silence=PATIENCE, total=PATIENCE)
    body: dict[str, object] = {"model": model, "max_tokens": 1, "temperature": 0}
    for path, prompt in (
        ("/v1/completions", {"prompt": PROMPT}),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": PROMPT}]}),
    ):
        call = Call(visit.base + path, "POST", json.dumps(body | prompt).encode(), headers, visit.ask.verify)
        answer = fetch(call, limits)
        if answer.status not in (404, 405):
            return answer
    return answer
