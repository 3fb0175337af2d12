"""One server that speaks HTTP: what it is, whether it is well, and what its counters did between two looks. Costs no GPU time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from firstcause.live import Ask, Look
from firstcause.live.http import DEFAULT_LIMITS, Answer, Call, Limits, checked, fetch
from firstcause.live.processes import about_port
from firstcause.live.session import as_source, exchange, measured, scrape
from firstcause.model import Gap

PATHS = ("/health", "/v1/models", "/version", "/metrics")
DEV_PATHS = ("/server_info?config_format=json", "/is_sleeping")  # only with VLLM_SERVER_DEV_MODE=1; 404 is no finding
STILL = 21.0  # seconds without a step from which on running requests make no progress; a long prefill step takes single seconds
DYING = 7.0  # seconds: the watchdog of vLLM ends a server within 5 s of its engine's death (entrypoints/launchers)
STEPS = ("vllm:iteration_tokens_total_count", "vllm:prompt_tokens_total", "vllm:generation_tokens_total")
RUNNING = "vllm:num_requests_running"


@dataclass(slots=True)
class Visit:
    """One visit to a server: what was fetched so far, as the text of a session."""

    base: str
    ask: Ask
    limits: Limits = DEFAULT_LIMITS
    sleep: Callable[[float], None] = time.sleep
    texts: list[str] = field(default_factory=list)
    pages: list[tuple[float, Answer]] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    def get(self, path: str) -> Answer:
        """The answer to a GET of a path below the base."""
        headers = {"Authorization": f"Bearer {self.ask.key}"} if self.ask.key else {}
        return fetch(Call(self.base + path, headers=headers, verify=self.ask.verify), self.limits)

    def all(self, paths: tuple[str, ...]) -> dict[str, Answer]:
        """The answers to several paths, asked at the same time."""
        with ThreadPoolExecutor(len(paths)) as pool:
            return dict(zip(paths, pool.map(self.get, paths), strict=True))

    def scrape(self) -> Answer:
        """Fetch /metrics once more and keep it."""
        return self.page(self.get("/metrics"))

    def page(self, answer: Answer) -> Answer:
        """Keep a page of metrics."""
        self.pages.append((time.time(), answer))
        self.texts.append(scrape(answer, self.pages[-1][0]))
        return answer

    def note(self, text: str) -> None:
        """Add something that was measured."""
        self.texts.append(measured(text))


def base_of(url: str) -> str:
    """The root of the server a URL points into: users paste …/v1 and …/v1/chat/completions. Raises UsageError."""
    parts = checked(url)
    path = parts.path.partition("/v1")[0].rstrip("/")
    for known in ("/health", "/metrics", "/version"):
        path = path.removesuffix(known)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{path}"


def look(url: str, ask: Ask, limits: Limits = DEFAULT_LIMITS) -> Look:
    """What a server shows of itself. Raises UsageError for a URL that cannot be asked; whatever it answers is evidence."""
    visit = Visit(base_of(url), ask, limits)
    answers = visit.all(PATHS)
    kind = kind_of(answers)
    for path in ("/health", "/v1/models", "/version"):
        if answers[path].status != 404 or kind == "other":
            visit.texts.append(exchange(answers[path]))
    if answers["/health"].ok and answers["/v1/models"].ok:
        visit.note(f"{visit.base}/health answers 200: the server serves")
    _gaps(visit, answers)
    if kind == "nothing":
        visit.texts[1:] = []  # refused four times is refused
    elif answers["/metrics"].ok:
        visit.page(answers["/metrics"])
        _watch(visit, answers)
    if kind == "vLLM":
        visit.texts += [exchange(answer) for answer in visit.all(DEV_PATHS).values() if answer.ok]
    _probed(visit, answers, kind)
    # what the machine shows comes first: nothing that the server says can be earlier than the state of its processes
    visit.texts[:0] = [measured(line) for line in about_port(visit.base, kind == "nothing")]
    return Look(visit.base, kind, (as_source(visit.base, visit.texts),), tuple(visit.gaps))


def kind_of(answers: dict[str, Answer]) -> str:
    """What answers there, from its own pages."""
    if not any(answer.status for answer in answers.values()):
        return "nothing"
    if b"\nvllm:" in answers["/metrics"].body or b'"owned_by":"vllm"' in answers["/v1/models"].body:
        return "vLLM"
    if answers["/version"].ok and b'"version"' in answers["/version"].body and answers["/v1/models"].status in (200, 401):
        return "vLLM"
    return "OpenAI" if answers["/v1/models"].ok and b'"data"' in answers["/v1/models"].body else "other"


def served(answer: Answer) -> list[str]:
    """The names under which models are served, from /v1/models."""
    try:
        data = json.loads(answer.body)["data"]
        return [str(model["id"]) for model in data]
    except (ValueError, KeyError, TypeError):
        return []


def total(answer: Answer, names: tuple[str, ...]) -> float:
    """The sum of all series of some metrics of a page; what cannot be read counts nothing."""
    found = 0.0
    for line in answer.text().splitlines():
        if line.startswith(names):
            name, _, value = line.rpartition(" ")
            if name.partition("{")[0] in names:
                found += _number(value)
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _gaps(visit: Visit, answers: dict[str, Answer]) -> None:
    if answers["/v1/models"].status == 401 and not visit.ask.key:
        how = "export VLLM_API_KEY=…, then: firstcause diagnose --api-key-env VLLM_API_KEY URL"
        visit.gaps.append(Gap(f"{visit.base}/v1/models", "the server wants an API key, and none was given", how))
        visit.texts = [text for text in visit.texts if "/v1/models" not in text.partition("\n")[0]]
    if answers["/metrics"].status and not answers["/metrics"].ok:
        why = f"answers {answers['/metrics'].status} {answers['/metrics'].error}".rstrip()
        visit.gaps.append(Gap(f"{visit.base}/metrics", why, "give the port on which the server itself shows its metrics"))


def _watch(visit: Visit, answers: dict[str, Answer]) -> None:
    """Further looks at the metrics, and how long a bad /health lasts."""
    visit.sleep(visit.ask.interval)
    visit.scrape()
    if answers["/health"].status == 503:
        visit.note(f"{visit.base}/health answers 503: the engine is dead")
        visit.sleep(max(0.0, DYING - visit.ask.interval))
        if visit.get("/health").status == 503:
            visit.note(f"{visit.base}/health has answered 503 for {DYING:g} s; the server still runs")
    elif _still(visit):
        visit.sleep(max(0.0, STILL - visit.ask.interval))
        visit.scrape()
        if _still(visit):
            running = total(visit.pages[-1][1], (RUNNING,))
            since = visit.pages[-1][0] - visit.pages[0][0]
            visit.note(f"no step was made for {since:.0f} s while {running:g} requests run")


def _still(visit: Visit) -> bool:
    """Requests run in every page, and no page shows a step more than the first."""
    pages = [page for _, page in visit.pages if page.ok]
    busy = all(total(page, (RUNNING,)) > 0 for page in pages)
    return len(pages) > 1 and busy and len({total(page, STEPS) for page in pages}) == 1


def _probed(visit: Visit, answers: dict[str, Answer], kind: str) -> None:
    """The served name against the one that was asked for, and one token where that is allowed."""
    names = served(answers["/v1/models"])
    if visit.ask.model and names and visit.ask.model not in names:
        visit.note(f"the model {visit.ask.model} is not served here; served are: {', '.join(names)}")
    elif visit.ask.probe and kind in ("vLLM", "OpenAI"):
        from firstcause.live.probe import probe

        visit.texts += list(probe(visit, visit.ask.model or (names[0] if names else "")))
