"""Zip archives by their directory, and, where a download was cut and the directory is lost, by what stands before each member."""

from __future__ import annotations

import bz2
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from firstcause.evidence.faults import FAULTS
from firstcause.evidence.limits import Account, Budget, Limits
from firstcause.evidence.magic import Packing
from firstcause.evidence.store import Store
from firstcause.evidence.unpack import DECOMPRESSORS, RAW_DEFLATE, Decompressor, Deflate, Unpacked

_LOCAL = struct.Struct("<4s5H3I2H")  # signature, version, flags, method, time, date, crc, packed, size, name, extra
_SIGNATURE = b"PK\x03\x04"
_ENCRYPTED, _SIZE_FOLLOWS, _UTF8 = 0x1, 0x8, 0x800
_ZIP64 = 0xFFFFFFFF
_DESCRIPTOR = 24  # the longest that may stand between a member and the next
_PIECE = 256 << 10
_METHODS: dict[int, Callable[[], Decompressor]] = {
    8: lambda: Deflate(RAW_DEFLATE),
    12: bz2.BZ2Decompressor,
    93: DECOMPRESSORS[Packing.ZSTD],
    95: DECOMPRESSORS[Packing.XZ],
}
_STORED = 0


@dataclass(frozen=True, slots=True)
class ZipPart:
    """One member: where it stands and how it is packed."""

    name: str
    at: int  # of what stands before it
    packed: int | None  # bytes; None: as many as there are until its end
    size: int | None
    method: int
    flags: int
    checksum: int | None
    mode: int = 0  # as Unix has it

    @property
    def refused(self) -> str:
        """Why it cannot be read; empty if it can."""
        if self.flags & _ENCRYPTED:
            return "is encrypted"
        if self.mode and stat.S_ISLNK(self.mode):
            return "is a link"
        return "" if self.method in (_STORED, *_METHODS) else f"is packed by method {self.method}, which is not read"

    def open(self, store: Store) -> io.RawIOBase:
        """Its bytes as they were before they were packed."""
        start, _ = _local(store, self.at)
        size = store.size - start if self.packed is None else self.packed
        part = store.part(start, size)
        plain = part if self.method == _STORED else Unpacked(part, _METHODS[self.method])
        return plain if self.checksum is None else _Checked(plain, self.checksum)


class _Checked(io.RawIOBase):
    """Raises ValueError at the end of a stream that is not what was packed: damage often unpacks to something."""

    def __init__(self, stream: io.RawIOBase, checksum: int) -> None:
        self._stream, self._expected = stream, checksum
        self._checksum = 0

    @property
    def packed(self) -> int | None:
        """As the stream below tells it; None: it is not packed."""
        return getattr(self._stream, "packed", None)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(cast(bytearray, buffer)).cast("B")
        count = self._stream.readinto(target) or 0
        self._checksum = zlib.crc32(target[:count], self._checksum)
        if target and not count and self._checksum != self._expected:
            raise ValueError("its checksum is not that of what was packed")
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


def by_directory(store: Store, most: int) -> list[ZipPart]:
    """The members as the directory at the end tells them. Raises what `FAULTS` names where there is none."""
    with io.BufferedReader(store.part(0, store.size)) as file, zipfile.ZipFile(file) as archive:
        return [_part(info) for info in archive.infolist() if not info.is_dir()][: most + 1]


def _part(info: zipfile.ZipInfo) -> ZipPart:
    return ZipPart(
        info.filename, info.header_offset, info.compress_size, info.file_size, info.compress_type, info.flag_bits,
        info.CRC, info.external_attr >> 16,
    )  # fmt: skip


def by_members(store: Store, limits: Limits) -> Iterator[ZipPart]:
    """The members as they follow each other from the start, as far as that can be told."""
    at: int | None = 0
    for _ in range(limits.files + 1):
        if at is None:
            return
        try:
            start, part = _local(store, at)
        except FAULTS:
            return
        if not part.name.endswith("/"):
            yield part
        at = _next(store, start, part, limits)


def _local(store: Store, at: int) -> tuple[int, ZipPart]:
    """Where the data of the member starts, and the member, as what stands before it tells it."""
    head = _read(store, at, _LOCAL.size)
    signature, _, flags, method, _, _, checksum, packed, size, name_size, extra_size = _LOCAL.unpack(head)
    if signature != _SIGNATURE:
        raise ValueError("no zip member stands where the directory says")
    name = _read(store, at + _LOCAL.size, name_size).decode("utf-8" if flags & _UTF8 else "cp437", "replace")
    unknown = bool(flags & _SIZE_FOLLOWS) or _ZIP64 in (packed, size)
    start = at + _LOCAL.size + name_size + extra_size
    if unknown:
        return start, ZipPart(name, at, None, None, method, flags, None)
    return start, ZipPart(name, at, packed, size, method, flags, checksum)


def _next(store: Store, start: int, part: ZipPart, limits: Limits) -> int | None:
    """Where the next member begins."""
    if part.packed is not None:
        return start + part.packed
    if part.method == _STORED or part.refused:
        return None  # nothing tells where it ends
    end = _end(store, start, _METHODS[part.method](), limits)
    behind = _read(store, end, min(_DESCRIPTOR + len(_SIGNATURE), store.size - end)) if end is not None else b""
    found = behind.find(_SIGNATURE)
    return end + found if end is not None and found >= 0 else None


def _end(store: Store, start: int, member: Decompressor, limits: Limits) -> int | None:
    """Where the packed data end, found by unpacking them; None where they are cut off, damaged or explode."""
    account, position, unpacked = Account(Budget(limits)), start, 0
    try:
        with store.part(start, store.size - start) as part:
            while not member.eof:
                piece = (part.read(_PIECE) or b"") if (hungry := member.needs_input) else b""
                made = len(member.decompress(piece, _PIECE))
                position, unpacked = position + len(piece), unpacked + made
                if (hungry and not piece and not made) or account.explodes(unpacked, position - start):
                    return None
    except FAULTS:
        return None
    return position - len(member.unused_data)


def _read(store: Store, at: int, size: int) -> bytes:
    with io.BufferedReader(store.part(at, size)) as part:
        return part.read(size)
