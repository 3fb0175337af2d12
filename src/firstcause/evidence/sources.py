"""What a person names -> sources: files, folders, archives and standard input, packed or not, whatever their names say.

Gaps come in one of two ways, as the caller likes:
* without `on_gap` they are yielded between the sources; what shows only while a source is read follows that source;
* with `on_gap` each is given to that function as it shows, and only sources are yielded.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, overload

from firstcause.evidence.blobs import Blob, Expander, file_blob, store_blob
from firstcause.evidence.folders import files_below
from firstcause.evidence.limits import Limits
from firstcause.evidence.refusals import Refusals, Report, shown
from firstcause.evidence.rotation import oldest_first
from firstcause.evidence.store import FileStore, Spool
from firstcause.model import Gap, Source

STDIN = "<stdin>"
_DEFAULT = Limits()
_NOT_FILES = (
    (stat.S_ISFIFO, "is a pipe, which can be read only once", "pipe it into standard input: COMMAND | firstcause diagnose -"),
    (stat.S_ISSOCK, "is a socket, not a file", "name the log file of the program that listens there"),
    (lambda mode: True, "is a device, not a file", "name a file, a folder or an archive"),
)  # fmt: skip


@overload
def sources(
    paths: Sequence[str], stdin: BinaryIO | None = None, limits: Limits = _DEFAULT, *, on_gap: Report
) -> Iterator[Source]: ...
@overload
def sources(paths: Sequence[str], stdin: BinaryIO | None = None, limits: Limits = _DEFAULT) -> Iterator[Source | Gap]: ...
def sources(
    paths: Sequence[str], stdin: BinaryIO | None = None, limits: Limits = _DEFAULT, on_gap: Report | None = None
) -> Iterator[Source | Gap]:
    """All evidence below the paths, each log from its oldest part on. Nothing is raised over what is or is not there."""
    if on_gap is not None:
        return _Reading(stdin, limits, on_gap).sources(paths)
    waiting: list[Gap] = []
    return _with_gaps(_Reading(stdin, limits, waiting.append).sources(paths), waiting)


def _with_gaps(found: Iterator[Source], waiting: list[Gap]) -> Iterator[Source | Gap]:
    for source in found:
        yield from _drained(waiting)
        yield source
    yield from _drained(waiting)


def _drained(waiting: list[Gap]) -> list[Gap]:
    gaps = waiting[:]
    waiting.clear()
    return gaps


class _Reading:
    """One walk over all arguments; a file that is met twice is read once."""

    def __init__(self, stdin: BinaryIO | None, limits: Limits, report: Report) -> None:
        self._stdin, self._limits = stdin, limits
        self._met: set[tuple[int, int]] = set()
        self._told: set[Gap] = set()
        self._report_to = report
        self._expander = Expander(limits, self._report)

    def sources(self, paths: Sequence[str]) -> Iterator[Source]:
        for path in oldest_first(dict.fromkeys(paths), _file_name):
            refusals = Refusals()
            if path == "-":
                yield from self._expanded(self._spooled(), refusals)
            elif _is_pipe(path):
                yield from self._piped(path, refusals)
            else:
                yield from self._argument(Path(path), refusals)
            for gap in refusals.gaps():
                self._report(gap)

    def _report(self, gap: Gap) -> None:
        """A source that is opened again tells its gaps again."""
        if gap not in self._told:
            self._told.add(gap)
            self._report_to(gap)

    def _argument(self, path: Path, refusals: Refusals) -> Iterator[Source]:
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except (OSError, ValueError):
            is_folder = False
        if is_folder:
            yield from self._folder(path, refusals)
        else:
            yield from self._expanded(self._file(path, refusals), refusals)

    def _folder(self, folder: Path, refusals: Refusals) -> Iterator[Source]:
        files = oldest_first(files_below(folder, self._limits.files, refusals), str)
        for path in files:
            yield from self._expanded(self._file(path, refusals), refusals)
        if not files and not refusals:
            why = "holds no file that could be evidence (hidden files, programs, pictures and weights are passed over)"
            refusals.add(Gap(shown(str(folder)), why, "name the folder that holds the logs, or the file itself"))

    def _file(self, path: Path, refusals: Refusals) -> Blob | None:
        """The file, unless it was met before or is none."""
        name = shown(str(path))
        try:
            status = path.stat()
        except (OSError, ValueError) as error:
            refusals.add(_unreadable(name, error))
            return None
        if (status.st_dev, status.st_ino) in self._met:
            return None
        self._met.add((status.st_dev, status.st_ino))
        if not stat.S_ISREG(status.st_mode):
            refusals.add(next(Gap(name, why, how) for is_that, why, how in _NOT_FILES if is_that(status.st_mode)))
            return None
        return file_blob(name, FileStore(path, status.st_size))

    def _piped(self, path: str, refusals: Refusals) -> Iterator[Source]:
        """A pipe that is named, as `<(zcat x)` does: read once and kept, like standard input. In a folder it is passed over."""
        name, spool = shown(path), Spool()
        try:
            with Path(path).open("rb") as pipe:
                self._expander.fill(spool, pipe, name)
        except OSError as error:
            refusals.add(_unreadable(name, error))
            return
        yield from self._expanded(store_blob(name, spool), refusals)

    def _spooled(self) -> Blob | None:
        """Standard input, kept so that it can be read again."""
        if self._stdin is None:
            self._report(Gap(STDIN, "was not given", "pipe the log into it: COMMAND | firstcause diagnose -"))
            return None
        spool = Spool()
        self._expander.fill(spool, self._stdin, STDIN)
        return store_blob(STDIN, spool)

    def _expanded(self, blob: Blob | None, refusals: Refusals) -> Iterator[Source]:
        if blob is None:
            return
        try:
            yield from self._expander.expand(blob, refusals)
        except OSError as error:
            refusals.add(_unreadable(blob.name, error))


def _file_name(path: str) -> str:
    """As a name that rotation may be told of: a folder `run.1` is no part of a log."""
    return f"{path}/" if os.path.isdir(path) else path  # noqa: PTH112 - also for a path with a NUL, without raising


def _is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116 - a pipe of /dev/fd has no path of its own
    except (OSError, ValueError):
        return False


def _unreadable(name: str, error: OSError | ValueError) -> Gap:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Gap(name, "no such file", "check the path; in a container, the file may only exist inside of it")
    if isinstance(error, PermissionError):
        return Gap(name, "may not be read (permission denied)", "give read permission, or run as a user who has it")
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Gap(name, f"cannot be read ({why})", "copy it to another place and give the copy")
