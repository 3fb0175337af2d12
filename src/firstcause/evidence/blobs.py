"""One file, member or input -> the sources in it: unpacked as often as it is packed, archives opened, binaries refused."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO

from firstcause.evidence.archives import Part, member_name, members
from firstcause.evidence.encoding import Encoding, as_utf8, encoding_of
from firstcause.evidence.limits import Account, Budget, Limits
from firstcause.evidence.magic import HEAD, Archive, archive_of, is_hole, not_text, packing_of
from firstcause.evidence.refusals import Refusals, Report
from firstcause.evidence.store import FileStore, Spool, Store
from firstcause.evidence.streams import Guarded
from firstcause.evidence.unpack import unpacked
from firstcause.model import Gap, Source

_MOST_LAYERS = 3  # a browser may pack a packed download once more
_BEHIND_HOLE = 64 << 20  # bytes that are read to find text behind NULs, where the end cannot be looked at
_BUFFER = 256 << 10
_NESTED = "is an archive inside an archive, which is not opened"


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes that have a name and can be opened again and again."""

    name: str
    open: Callable[[], BinaryIO]
    size: int | None = None
    store: Store | None = None  # where any part of it can be read
    is_member: bool = False
    layers: int = 0  # of packing taken off so far


def file_blob(name: str, store: FileStore) -> Blob:
    """A plain file; opened as such, so that reading it costs no Python."""
    return Blob(name, lambda: store.path.open("rb"), store.size, store)


def store_blob(name: str, store: Store) -> Blob:
    """All of a store."""
    return Blob(name, lambda: io.BufferedReader(store.part(0, store.size), _BUFFER), store.size, store)


class Expander:
    """Opens whatever it is given, within the limits; `report` takes what shows while something is read."""

    def __init__(self, limits: Limits, report: Report) -> None:
        """One budget for all that is expanded."""
        self._limits, self._report = limits, report
        self._budget = Budget(limits)
        self._faulty: set[str] = set()

    def expand(self, blob: Blob, refusals: Refusals) -> Iterator[Source]:
        """The sources in it. OSError where the system refuses a plain file."""
        head = _head(blob)
        if not head:
            if blob.name not in self._faulty:
                refusals.add(Gap(blob.name, "is empty", "check that its writer runs and writes there"))
        elif archive := archive_of(head):
            yield from self._archive(blob, archive, refusals)
        elif packing := packing_of(head):
            yield from self._unpacked(blob, lambda: unpacked(blob.open(), packing), refusals)
        elif source := _text(blob, head, refusals):
            yield source

    def fill(self, spool: Spool, stream: BinaryIO, name: str) -> None:
        """Take in the stream as far as it, the disk and the limit go."""
        limit = self._limits.spool_bytes
        why = f"is larger than the limit of {limit:,} bytes"
        try:
            if spool.fill(stream, limit):
                return
        except (OSError, ValueError) as error:
            why = f"could not be taken in whole ({error})"
        how = "unpack it to a file and name the file, or the part of it that matters"
        self._note(Gap(name, f"{why}: its first {spool.size:,} bytes were read, the rest was not", how))

    def _note(self, gap: Gap) -> None:
        self._faulty.add(gap.what)
        self._report(gap)

    def _guarded(self, name: str, start: Callable[[], io.RawIOBase]) -> Callable[[], BinaryIO]:
        account = Account(self._budget)
        return lambda: io.BufferedReader(Guarded(start, name, account, self._note), _BUFFER)

    def _unpacked(self, blob: Blob, start: Callable[[], io.RawIOBase], refusals: Refusals) -> Iterator[Source]:
        if blob.layers == _MOST_LAYERS:
            refusals.add(Gap(blob.name, f"is packed more than {_MOST_LAYERS} times", "unpack it yourself"))
            return
        opened = self._guarded(blob.name, start)
        inner = replace(blob, open=opened, size=None, store=None, layers=blob.layers + 1)
        yield from self.expand(inner, refusals)

    def _archive(self, blob: Blob, archive: Archive, refusals: Refusals) -> Iterator[Source]:
        if blob.is_member:
            refusals.add(Gap(blob.name, _NESTED, "unpack the outer archive and name the inner one"))
            return
        store = blob.store or self._spooled(blob)
        refused_before = len(refusals)
        parts = members(archive, store, blob.name, self._limits, refusals)
        for part in parts:
            yield from self.expand(self._member(part, store, blob.name), refusals)
        if not parts and len(refusals) == refused_before:
            refusals.add(Gap(blob.name, "holds no file that could be evidence", "name the archive that holds the logs"))

    def _member(self, part: Part, store: Store, where: str) -> Blob:
        name = member_name(where, part)
        return Blob(name, self._guarded(name, partial(part.open, store)), part.size, is_member=True)

    def _spooled(self, blob: Blob) -> Spool:
        """A packed archive is unpacked once, else each member would unpack all that stands before it."""
        spool = Spool()
        with blob.open() as stream:
            self.fill(spool, stream, blob.name)
        return spool


def _text(blob: Blob, head: bytes, refusals: Refusals) -> Source | None:
    encoding = encoding_of(head)
    if is_hole(head):
        head = _behind_hole(blob)
        if not head:
            refusals.add(Gap(blob.name, "holds nothing but NUL bytes", "look for a copy from before the disk or host failed"))
            return None
    if binary := not_text(head):
        what = binary.what if binary.what == "not text" else f"not text but {binary.what}"
        refusals.add(Gap(blob.name, f"is {what}", binary.how))
        return None
    size = blob.size if not encoding.is_wide else None
    return Source(blob.name, partial(_open_text, blob, encoding), size)


def _open_text(blob: Blob, encoding: Encoding) -> BinaryIO:
    return as_utf8(blob.open(), encoding)


def _head(blob: Blob) -> bytes:
    with blob.open() as stream:
        return stream.read(HEAD)


def _behind_hole(blob: Blob) -> bytes:
    """Some bytes of a file that begins with NULs, from where they end: of the last ones where that is at hand."""
    if blob.store is not None:
        start = max(0, blob.store.size - HEAD)
        with io.BufferedReader(blob.store.part(start, blob.store.size - start)) as tail:
            return tail.read(HEAD).lstrip(b"\x00")
    with blob.open() as stream:
        for _ in range(0, _BEHIND_HOLE, HEAD):
            head = stream.read(HEAD)
            if not is_hole(head):
                return head.lstrip(b"\x00")
    return b""
