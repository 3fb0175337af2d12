"""One failure as data. The loader fills these from TOML; every stage may read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    """What a failure is to the others."""

    CAUSE = "cause"  # something that can be changed is wrong here
    CONSEQUENCE = "consequence"  # only tells that something else went wrong
    CONDITION = "condition"  # makes things worse or different, breaks nothing alone
    BENIGN = "benign"  # looks bad, is harmless


class Scope(StrEnum):
    """What stops working: the server, or one request while the server runs on."""

    SERVER = "server"
    REQUEST = "request"


STACKS = ("vllm", "gpu", "distributed", "kubernetes", "pd", "router", "client")
PHASES = ("startup", "serving", "output", "deploy")
KINDS = ("log", "http", "metric", "object", "event", "config", "node", "plan")
PROCESSES = ("api-server", "engine-core", "worker", "ray-worker", "server", "client", "kernel", "other")


@dataclass(frozen=True, slots=True)
class Signal:
    """A way in which a failure shows in one kind of record. Exactly one of text, regex, metric is given."""

    name: str
    kinds: tuple[str, ...] = ("log",)
    process: tuple[str, ...] = ()  # only lines of these kinds of process (a line without one always passes)
    text: str = ""  # the message as the software writes it, with typed holes
    regex: str = ""
    metric: str = ""  # a metric's name, with labels where only some of its series count (see promtext.py)
    per: str = ""  # a counter that the value is divided by
    least: float = 0.0  # what `per` must have counted before the ratio says anything
    above: float | None = None
    below: float | None = None
    over: str = ""  # "increase" or "rate" (per second): of a counter, between two scrapes; nothing is judged by one alone
    lasting: int = 0  # seconds for which the value must stay beyond the bound before someone is woken (the `for` of an alert)
    trace: tuple[str, ...] = ()  # at least one stands in the record's traceback ("fn", "file.py", "file.py:fn")
    not_trace: tuple[str, ...] = ()
    code: str = ""  # a template that a line of the record's traceback fulfils; its holes are values too
    during: tuple[str, ...] = ()  # the life phase of the server, see phases.toml
    sure: bool = True  # false: seen alone it only makes the failure suspected
    seen: tuple[str, ...] = ()
    not_seen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remedy:
    """What to change. `set` names a flag, variable or field and its value; texts may hold {values}."""

    title: str
    set: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    cost: str = ""
    risk: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """Files as a user has them, and the status the failure must get from them."""

    name: str
    expect: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Failure:
    """A named thing that goes wrong: one file `failures/<stack>/<id>.toml`."""

    id: str
    title: str
    stack: str
    phase: str
    role: Role
    summary: str
    signals: tuple[Signal, ...]
    why: str = ""
    scope: Scope = Scope.SERVER
    covers: tuple[str, ...] = ()
    leads_to: tuple[str, ...] = ()
    versions: str = ""
    needs: tuple[str, ...] = ()  # signals that must all be seen; empty: any one that is not a support
    supports: tuple[str, ...] = ()  # signals that only add values and certainty
    excludes: tuple[str, ...] = ()  # signals that rule the failure out
    compute: Mapping[str, str] = field(default_factory=dict)  # value -> arithmetic over other values
    remedies: tuple[Remedy, ...] = ()
    avoid: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    gaps: tuple[tuple[str, str, str], ...] = ()  # (what, why, how) to fetch when only this consequence is seen
    examples: tuple[Example, ...] = ()
    file: str = ""
