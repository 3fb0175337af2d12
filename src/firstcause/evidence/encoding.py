"""Text in UTF-8, UTF-16 or UTF-32 -> UTF-8, a piece at a time; text that is UTF-8 already is not touched at all."""

from __future__ import annotations

import codecs
import io
from enum import Enum
from typing import BinaryIO, cast

PIECE = 256 << 10  # bytes decoded at a time
_PAIRS_WANTED = 4  # fewer 16-bit units tell nothing
_PRINTABLE_WANTED = 0.9


class Encoding(Enum):
    """How a text is written: the codec of what follows the byte order mark, and the mark itself."""

    UTF8 = ("utf-8", b"")  # also Latin-1 and the like: the framing replaces what it cannot decode
    UTF8_MARKED = ("utf-8", codecs.BOM_UTF8)
    UTF16_LE = ("utf-16-le", b"")
    UTF16_BE = ("utf-16-be", b"")
    UTF16_LE_MARKED = ("utf-16-le", codecs.BOM_UTF16_LE)
    UTF16_BE_MARKED = ("utf-16-be", codecs.BOM_UTF16_BE)
    UTF32_LE_MARKED = ("utf-32-le", codecs.BOM_UTF32_LE)
    UTF32_BE_MARKED = ("utf-32-be", codecs.BOM_UTF32_BE)

    @property
    def codec(self) -> str:
        """Name of the Python codec."""
        return self.value[0]

    @property
    def mark(self) -> bytes:
        """The byte order mark that stands before the text."""
        return self.value[1]

    @property
    def is_wide(self) -> bool:
        """Characters are 16 or 32 bits wide, so NUL bytes are no sign of a binary file."""
        return self.codec != "utf-8"


def encoding_of(head: bytes) -> Encoding:
    """The encoding that the first bytes of a text show; UTF-8 where they show none."""
    # UTF-32 before UTF-16: the mark of UTF-16 LE is how the mark of UTF-32 LE begins
    for one in (Encoding.UTF32_LE_MARKED, Encoding.UTF32_BE_MARKED):
        if head.startswith(one.mark) and _decodes(head, one):
            return one
    for one in (Encoding.UTF16_LE_MARKED, Encoding.UTF16_BE_MARKED, Encoding.UTF8_MARKED):
        if head.startswith(one.mark):
            return one
    return _unmarked(head)


def as_utf8(stream: BinaryIO, encoding: Encoding) -> BinaryIO:
    """The text as UTF-8 without mark. `stream` stands at its start; UTF-8 is the same object, so reading stays in C."""
    if encoding.mark:
        stream.read(len(encoding.mark))
    if not encoding.is_wide:
        return stream
    return io.BufferedReader(_Recoded(stream, encoding.codec), PIECE)


def _decodes(head: bytes, encoding: Encoding) -> bool:
    try:
        head[: len(head) // 4 * 4].decode(encoding.codec)
    except UnicodeDecodeError:
        return False
    return True


def _unmarked(head: bytes) -> Encoding:
    """UTF-16 of mostly Latin letters has a NUL in every second byte, on one side only; and it reads as text."""
    pairs = len(head) // 2
    low, high = head[0 : pairs * 2 : 2].count(0), head[1 : pairs * 2 : 2].count(0)
    if pairs < _PAIRS_WANTED or max(low, high) * 2 < pairs or min(low, high) * 20 > pairs:
        return Encoding.UTF8
    guess = Encoding.UTF16_LE if high > low else Encoding.UTF16_BE
    return guess if _reads_as_text(head[: pairs * 2], guess.codec) else Encoding.UTF8


def _reads_as_text(head: bytes, codec: str) -> bool:
    text = head.decode(codec, "replace")
    good = sum(char.isprintable() or char in "\t\r\n\x1b\b" for char in text if char != "\ufffd")
    return good >= len(text) * _PRINTABLE_WANTED


class _Recoded(io.RawIOBase):
    """Decodes what it reads and gives it as UTF-8; a broken unit becomes U+FFFD, also a half one at the end."""

    def __init__(self, stream: BinaryIO, codec: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(codec)(errors="replace")
        self._ready = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(cast(bytearray, buffer)).cast("B")
        while not self._ready and not self._ended:
            self._decode_piece()
        count = min(len(target), len(self._ready))
        target[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _decode_piece(self) -> None:
        piece = self._stream.read(PIECE)
        self._ended = not piece
        self._ready = memoryview(self._decoder.decode(piece, final=self._ended).encode())

    def close(self) -> None:
        self._stream.close()
        super().close()
