"""Bytes of which any part can be read at any time: a file, or what could be read only once and was kept."""

from __future__ import annotations

import io
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, cast

IN_MEMORY = 8 << 20  # a spool goes to disk above that
_PIECE = 256 << 10


class Store(Protocol):
    """Bytes that can be read in parts."""

    @property
    def size(self) -> int:
        """How many they are."""

    def part(self, start: int, size: int) -> io.RawIOBase:
        """A reader of that part; it raises EOFError where the bytes end before the part does."""


class Slice(io.RawIOBase):
    """`size` bytes of a file from `start` on, with a position of its own: several can read one file in turn."""

    def __init__(self, file: BinaryIO, start: int, size: int, on_close: Callable[[], object]) -> None:
        """`on_close` is called once, when the slice is closed."""
        self._file, self._start, self._size, self._on_close = file, start, max(0, size), on_close
        self._position = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always: the file under it is."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a place of the slice; at or behind its end there is nothing to read."""
        origin = (0, self._position, self._size)[whence]
        self._position = max(0, origin + offset)
        return self._position

    def readinto(self, buffer: object) -> int:
        """Read on; EOFError where the file ends before the slice does."""
        target = memoryview(cast(bytearray, buffer)).cast("B")
        wanted = min(len(target), self._size - self._position)
        if wanted <= 0:
            return 0
        self._file.seek(self._start + self._position)
        data = self._file.read(wanted)
        if not data:
            raise EOFError("ends before the part that was asked for")
        target[: len(data)] = data
        self._position += len(data)
        return len(data)

    def close(self) -> None:
        """Close it, and what was opened for it alone."""
        if not self.closed:
            super().close()
            self._on_close()


@dataclass(frozen=True, slots=True)
class FileStore:
    """A file on disk; each part opens it anew."""

    path: Path
    size: int

    def part(self, start: int, size: int) -> io.RawIOBase:
        """A reader of that part."""
        file = self.path.open("rb")
        return Slice(file, start, size, file.close)


class Spool:
    """What can be read only once, kept to be read again; on disk it has no name and goes with the process."""

    def __init__(self) -> None:
        """Empty."""
        file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - open as long as a part may be read
        weakref.finalize(self, file.close)
        self._file = cast(BinaryIO, file)
        self.size = 0

    def fill(self, stream: BinaryIO, limit: int) -> bool:
        """Take in the stream; False if it goes on behind the limit. Raises what the stream and the disk raise."""
        while piece := stream.read(min(_PIECE, limit - self.size + 1)):
            fits = piece[: limit - self.size]
            self._file.seek(self.size)
            self._file.write(fits)
            self.size += len(fits)
            if len(fits) < len(piece):
                return False
        return True

    def part(self, start: int, size: int) -> io.RawIOBase:
        """A reader of that part; it holds the spool, so that the bytes are there as long as it is."""
        return Slice(self._file, start, size, lambda: self.size)
