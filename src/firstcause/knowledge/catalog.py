"""The knowledge as the stages use it: outlines of all failures at once, each whole page only when it is asked for.

A fresh start reads one small JSON file instead of several hundred TOML files. The file is a cache: it is keyed by name, size
and time of every knowledge file and made anew when it does not fit or cannot be read.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from firstcause import __version__
from firstcause.errors import KnowledgeError, KnowledgeErrors
from firstcause.knowledge.loader import BUILTIN, load_file, load_folder
from firstcause.knowledge.schema import Failure, Role, Scope, Signal

FORMAT = 9  # of the cached outline; raise it when Failure, Signal or the patterns made of them change
_DIGEST = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Catalog(Mapping[str, Failure]):
    """All failures. As a mapping it gives whole failures, read on demand; `outlines` is enough for finding and linking."""

    outlines: Mapping[str, Failure]  # without texts and examples
    paths: Mapping[str, Path]
    key: str

    def __getitem__(self, id: str) -> Failure:
        """The whole failure of that id; KeyError for an unknown one."""
        failure, problems = load_file(self.paths[id])
        if failure is None:
            raise problems[0]
        return failure

    def __iter__(self) -> Iterator[str]:
        """All ids, sorted."""
        return iter(self.outlines)

    def __len__(self) -> int:
        """How many failures there are."""
        return len(self.outlines)

    def signals(self) -> list[tuple[str, Signal]]:
        """Every signal with the id of its failure, in a stable order."""
        return [(id, signal) for id, failure in self.outlines.items() for signal in failure.signals]


def cache_folder() -> Path:
    """Where this user's caches of firstcause lie; FIRSTCAUSE_CACHE names another place."""
    named = os.environ.get("FIRSTCAUSE_CACHE")
    if named:
        return Path(named)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firstcause"
    except RuntimeError:  # a user without a home, as in containers: nothing can be kept, and nothing needs to be
        return Path(os.devnull) / "firstcause"


def open_catalog(folders: Sequence[Path] = ()) -> Catalog:
    """The built-in knowledge with the user's folders; raises KnowledgeError with all that is wrong in their form."""
    files = _knowledge_files((BUILTIN, *folders))
    key = _key(files)
    cached = _cached(f"outline-{key}.json")
    if cached is not None:
        return Catalog(cached, {path.stem: path for path in files}, key)
    failures: list[Failure] = []
    problems: list[KnowledgeError] = []
    for folder in (BUILTIN, *folders):
        found, wrong = load_folder(folder)
        failures += found
        problems += wrong
    problems += _given_twice(failures)
    if problems:
        raise problems[0] if len(problems) == 1 else KnowledgeErrors(problems)
    outlines = {failure.id: _outline(failure) for failure in sorted(failures, key=lambda failure: failure.id)}
    write_cache(f"outline-{key}.json", json.dumps([asdict(o) for o in outlines.values()]).encode())
    return Catalog(outlines, {path.stem: path for path in files}, key)


def read_cache(name: str) -> bytes | None:
    """What was kept under that name; None where nothing was, or where it is not as it was written."""
    try:
        digest, data = (file := (cache_folder() / name).read_bytes())[:_DIGEST], file[_DIGEST:]
    except OSError:
        return None
    return data if hashlib.sha256(data).digest() == digest else None


def write_cache(name: str, data: bytes) -> None:
    """Keep a cache file, behind its digest, if that is possible; a read-only home is no reason to fail."""
    path = cache_folder() / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_bytes(hashlib.sha256(data).digest() + data)
        part.replace(path)
    except OSError:
        return


def _knowledge_files(folders: Sequence[Path]) -> list[Path]:
    files: list[Path] = []
    for folder in folders:
        if not folder.is_dir():
            raise KnowledgeError(str(folder), "(folder)", "is not a folder", "a folder of failure files (*.toml)")
        files += sorted(folder.rglob("*.toml"))
    return files


def _given_twice(failures: Sequence[Failure]) -> list[KnowledgeError]:
    first: dict[str, Failure] = {}
    return [
        KnowledgeError(failure.file, "id", f"{failure.id!r} is given twice", f"an id that {first[failure.id].file} does not have")
        for failure in failures
        if first.setdefault(failure.id, failure) is not failure
    ]


def _key(files: Sequence[Path]) -> str:
    state = hashlib.sha256(f"{FORMAT} {__version__}".encode())
    for path in files:
        stat = path.stat()
        state.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return state.hexdigest()[:24]


def _outline(failure: Failure) -> Failure:
    signals = tuple(replace(signal, seen=(), not_seen=()) for signal in failure.signals)
    return replace(failure, signals=signals, summary="", why="", remedies=(), avoid=(), check=(), refs=(), examples=())


def _cached(name: str) -> dict[str, Failure] | None:
    data = read_cache(name)
    return None if data is None else {row["id"]: _from_cache(row) for row in json.loads(data)}


def _from_cache(row: dict[str, Any]) -> Failure:
    signals = tuple(Signal(**_tuples(signal)) for signal in row["signals"])
    return Failure(**_tuples(row) | {"signals": signals, "role": Role(row["role"]), "scope": Scope(row["scope"])})


def _tuples(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
