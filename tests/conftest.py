"""What many tests need: small catalogs and logs in memory, read by the same code that reads real evidence."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from firstcause.evidence.window import windows
from firstcause.knowledge.catalog import Catalog
from firstcause.knowledge.formats import builtin
from firstcause.knowledge.schema import Failure, Remedy, Role, Scope, Signal
from firstcause.model import Diagnosis, Source
from firstcause.observe.detector import Detector, detector
from firstcause.observe.observer import Observer
from firstcause.reason.diagnose import Seen, diagnose


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every test session compiles into a cache of its own."""
    folder = tmp_path_factory.mktemp("cache")
    os.environ["FIRSTCAUSE_CACHE"] = str(folder)
    return folder


def failure(id: str, *texts: str, role: str = "cause", scope: str = "server", leads_to: tuple[str, ...] = ()) -> Failure:
    """A failure with plain signals."""
    signals = tuple(Signal(f"s{number}", text=text) for number, text in enumerate(texts, 1))
    return Failure(
        id, id, "vllm", "startup", Role(role), "", signals, scope=Scope(scope), leads_to=leads_to, remedies=(Remedy("mend it"),)
    )


class Lab:
    """A catalog of a few failures with everything to try texts on it."""

    def __init__(self, *failures: Failure) -> None:
        self.catalog = Catalog({one.id: one for one in failures}, {}, f"lab-{abs(hash(repr(failures)))}")
        self.detector: Detector = detector(self.catalog)

    def observe(self, files: Mapping[str, str | bytes]) -> Observer:
        observer = Observer(self.detector)
        for name, text in files.items():
            data = text.encode() if isinstance(text, str) else text
            for window in windows(Source(name, lambda data=data: io.BytesIO(data), len(data)), builtin()):  # type: ignore[misc]
                observer.take(window)
        observer.close(self.catalog.signals())
        return observer

    def diagnose(self, text: str | bytes, every: bool = False, **more: str) -> Diagnosis:
        observer = self.observe({"serve.log": text, **more})
        seen = Seen(
            observer.observations, observer.starts, observer.facts, frozenset(observer.phases), (), frozenset(observer.exchanges)
        )
        return diagnose(seen, self.catalog.outlines, every)


@pytest.fixture
def lab() -> Callable[..., Lab]:
    return Lab


@pytest.fixture
def made() -> Callable[..., Failure]:
    return failure
