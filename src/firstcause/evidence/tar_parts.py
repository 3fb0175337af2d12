"""Tar archives: which members there are and where their bytes stand; headers that lie are the end of the archive."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass

from firstcause.evidence.store import Store

_LONGEST_HEADER = 1 << 20  # of a long name or of attributes; tarfile would read any length into memory


@dataclass(frozen=True, slots=True)
class TarPart:
    """One member: where it stands, and why it is not read, if so."""

    name: str
    at: int
    size: int
    refused: str = ""

    def open(self, store: Store) -> io.RawIOBase:
        """Its bytes."""
        return store.part(self.at, self.size)


def parts(store: Store, most: int) -> Iterator[TarPart]:
    """The members but the folders, in their order. Raises what `FAULTS` names behind the last one that can be told."""
    with _Headers(store.part(0, store.size)) as file, tarfile.open(fileobj=file, mode="r:") as archive:
        position = -1
        for _ in range(most + 1):
            info = archive.next()
            if info is None:
                return
            if info.offset_data <= position or info.size < 0:
                raise ValueError("a header points backwards")
            position = info.offset_data
            if not info.isdir():
                yield TarPart(info.name, info.offset_data, info.size, _refused(info))


def _refused(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return "is a link"
    if not info.isreg():
        return "is a device or a pipe"
    return "is stored with holes, which is not read" if info.issparse() else ""


class _Headers(io.BufferedReader):
    """Reads no more at once than a header may hold."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= _LONGEST_HEADER:
            raise ValueError("a header is longer than any name")
        return super().read(size)
