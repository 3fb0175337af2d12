"""Compressed bytes -> bytes, a piece at a time. Suffixes are not looked at; several members on end are one stream."""

from __future__ import annotations

import bz2
import io
import lzma
import sys
import zlib
from collections.abc import Callable
from typing import Protocol, cast

from firstcause.evidence.magic import MAGIC, Packing

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd  # twice the name: whoever needs zstd takes it from here

PACKED_PIECE = 16 << 10  # small: what a decompressor had made of a piece is lost when the piece turns out to be damaged
MEMORY = 256 << 20  # an xz file may ask for gigabytes
_LONGEST_MAGIC = 16
RAW_DEFLATE, GZIP_MEMBER = -zlib.MAX_WBITS, 16 + zlib.MAX_WBITS


class Readable(Protocol):
    """What packed bytes are read from."""

    def read(self, size: int, /) -> bytes | None:
        """At most that many bytes; none at the end."""

    def close(self) -> None:
        """Let go of it."""


class Decompressor(Protocol):
    """What bz2, lzma and zstd share: one member of a compressed file."""

    @property
    def eof(self) -> bool:
        """The member has ended."""

    @property
    def needs_input(self) -> bool:
        """Nothing more comes out before more goes in."""

    @property
    def unused_data(self) -> bytes:
        """What stood behind the end of the member."""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """At most that many bytes more."""


class Deflate:
    """zlib in the shape of the others; gives what is good before a damaged place, then raises."""

    def __init__(self, window: int) -> None:
        """`window` as zlib takes it."""
        self._zlib = zlib.decompressobj(window)
        self._error: zlib.error | None = None

    @property
    def eof(self) -> bool:
        """The member has ended."""
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        """Nothing more comes out before more goes in."""
        return not self._zlib.unconsumed_tail and self._error is None

    @property
    def unused_data(self) -> bytes:
        """What stood behind the end of the member."""
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """At most that many bytes more, or all that come before a damaged place."""
        if self._error is not None:
            raise self._error
        before, data = self._zlib.copy(), self._zlib.unconsumed_tail + data
        try:
            return self._zlib.decompress(data, max(0, max_length))
        except zlib.error as error:
            self._error = error
            return _salvaged(before, data)


def _salvaged(state: zlib._Decompress, data: bytes) -> bytes:
    """Fed byte by byte: a handful may stand for kilobytes, and what comes out with the bad one is lost."""
    good = bytearray()
    try:
        good += state.decompress(b"")  # what was held back
        for byte in data:
            good += state.decompress(bytes((byte,)))
    except zlib.error:
        pass  # it was known to come; the caller raises it next
    return bytes(good)


DECOMPRESSORS: dict[Packing, Callable[[], Decompressor]] = {
    Packing.GZIP: lambda: Deflate(GZIP_MEMBER),
    Packing.BZIP2: bz2.BZ2Decompressor,
    Packing.XZ: lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY),
    Packing.ZSTD: lambda: cast(Decompressor, zstd.ZstdDecompressor()),
}


class Unpacked(io.RawIOBase):
    """The decompressed bytes of a stream. Raises EOFError where it is cut off, ValueError for what follows its end."""

    def __init__(self, stream: Readable, start: Callable[[], Decompressor], packing: Packing | None = None) -> None:
        """`start` begins a member. With a packing, more members may follow; without, what follows is not looked at."""
        self._stream, self._start, self._packing = stream, start, packing
        self._member = start()
        self._input = b""  # read, not yet fed
        self._ready = b""  # decompressed, not yet given
        self.packed = 0  # bytes taken in

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: object) -> int:
        """Read on."""
        target = memoryview(cast(bytearray, buffer)).cast("B")
        while not self._ready:
            if self._member.eof and not self._next_member():
                return 0
            self._ready = self._more(len(target))
        count = min(len(self._ready), len(target))
        target[:count], self._ready = self._ready[:count], self._ready[count:]
        return count

    def _more(self, size: int) -> bytes:
        """Some bytes, maybe none yet."""
        starved = self._member.needs_input
        piece = self._piece() if starved else b""
        data = self._member.decompress(piece, size)  # zlib may hold bytes back also when it wants more
        if starved and not piece and not data and not self._member.eof:
            raise EOFError("ends within the compressed data")
        return data

    def _piece(self) -> bytes:
        if self._input:
            piece, self._input = self._input, b""
            return piece
        piece = self._stream.read(PACKED_PIECE) or b""
        self.packed += len(piece)
        return piece

    def _next_member(self) -> bool:
        """Go on with the member that stands behind this one; NULs between and behind are padding."""
        if self._packing is None:
            return False
        rest = self._member.unused_data.lstrip(b"\x00")
        while len(rest) < _LONGEST_MAGIC and (piece := self._piece()):
            rest = (rest + piece).lstrip(b"\x00")
        if not rest:
            return False
        if not MAGIC[self._packing].match(rest):
            raise ValueError(f"behind the end of the {self._packing} data stands something else")
        self._member, self._input = self._start(), rest
        return True

    def close(self) -> None:
        """Close it and the stream below."""
        self._stream.close()
        super().close()


def unpacked(stream: Readable, packing: Packing) -> Unpacked:
    """The decompressed bytes of a stream that is packed that way."""
    return Unpacked(stream, DECOMPRESSORS[packing], packing)
