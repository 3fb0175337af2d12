"""Encodings: whatever a log is written in, it is read as UTF-8, and UTF-8 costs nothing."""

from __future__ import annotations

import codecs
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstcause.evidence import encoding
from firstcause.evidence.encoding import Encoding, as_utf8, encoding_of

LOG = (
    "(EngineCore pid=41) ERROR 10-22 12:00:01 [core.py:842] EngineCore failed to start.\r\n"
    "(EngineCore pid=41) ERROR 10-22 12:00:01 [core.py:842] torch.OutOfMemoryError: CUDA out of memory – 启动失败 🧨\r\n"
)
MARKED = [
    (codecs.BOM_UTF8, "utf-8", Encoding.UTF8_MARKED),
    (codecs.BOM_UTF16_LE, "utf-16-le", Encoding.UTF16_LE_MARKED),
    (codecs.BOM_UTF16_BE, "utf-16-be", Encoding.UTF16_BE_MARKED),
    (codecs.BOM_UTF32_LE, "utf-32-le", Encoding.UTF32_LE_MARKED),
    (codecs.BOM_UTF32_BE, "utf-32-be", Encoding.UTF32_BE_MARKED),
    (b"", "utf-16-le", Encoding.UTF16_LE),
    (b"", "utf-16-be", Encoding.UTF16_BE),
    (b"", "utf-8", Encoding.UTF8),
]


@pytest.mark.parametrize(("mark", "codec", "expected"), MARKED)
def test_every_encoding_is_seen_and_read_as_utf8_without_its_mark(mark: bytes, codec: str, expected: Encoding) -> None:
    data = mark + LOG.encode(codec)
    assert encoding_of(data) is expected
    with as_utf8(io.BytesIO(data), expected) as stream:
        assert stream.read() == LOG.encode()


def test_utf8_is_the_same_object_with_and_without_mark() -> None:
    stream = io.BytesIO(LOG.encode())
    assert as_utf8(stream, Encoding.UTF8) is stream
    marked = io.BytesIO(codecs.BOM_UTF8 + LOG.encode())
    assert as_utf8(marked, Encoding.UTF8_MARKED) is marked


def test_latin1_rests_stay_as_they_are() -> None:
    data = b"OSError: [Errno 2] Datei nicht gefunden: 'Gr\xf6\xdfe.json'\n"
    assert as_utf8(io.BytesIO(data), encoding_of(data)).read() == data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a",
        b"\xff",
        b"ERROR before the crash\n" + bytes(4096),
        b"\x00" * 4096,
        bytes([7, 0, 13, 1, 200, 0, 99, 3] * 100),  # token ids in 16 bits
        bytes([1, 0, 2, 0, 3, 0, 4, 0] * 100),
    ],
)
def test_nuls_alone_are_no_utf16(data: bytes) -> None:
    assert encoding_of(data) is Encoding.UTF8


def test_utf16_that_begins_with_a_nul_character_is_not_utf32() -> None:
    data = codecs.BOM_UTF16_LE + "\0INFO server started".encode("utf-16-le")
    assert encoding_of(data) is Encoding.UTF16_LE_MARKED


def test_half_a_character_at_the_end_is_told_and_not_lost() -> None:
    data = "killed".encode("utf-16-le")[:-1]
    assert as_utf8(io.BytesIO(data), Encoding.UTF16_LE).read() == "kille\ufffd".encode()


def test_characters_over_the_border_of_pieces_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "PIECE", 3)
    data = LOG.encode("utf-16-le")
    assert as_utf8(io.BytesIO(data), Encoding.UTF16_LE).read() == LOG.encode()


def test_closing_closes_the_file_below() -> None:
    below = io.BytesIO(LOG.encode("utf-16-le"))
    as_utf8(below, Encoding.UTF16_LE).close()
    assert below.closed


def test_it_can_be_read_into_a_buffer_in_odd_pieces() -> None:
    stream = as_utf8(io.BytesIO(LOG.encode("utf-16-be")), Encoding.UTF16_BE)
    found, buffer = bytearray(), bytearray(7)
    while count := stream.readinto(buffer):  # type: ignore[attr-defined]
        found += buffer[:count]
    assert bytes(found) == LOG.encode()


@given(st.binary(max_size=400))
def test_no_bytes_raise_and_all_come_out_as_utf8_where_they_are_recoded(data: bytes) -> None:
    found = encoding_of(data)
    read = as_utf8(io.BytesIO(data), found).read()
    if found.is_wide:
        read.decode("utf-8")
    else:
        assert read == data[len(found.mark) :]


@given(st.text(st.characters(codec="utf-16"), max_size=200), st.sampled_from(MARKED[1:5]))
def test_marked_text_comes_back(text: str, marked: tuple[bytes, str, Encoding]) -> None:
    mark, codec, one = marked
    data = mark + text.encode(codec)
    assert as_utf8(io.BytesIO(data), one).read() == text.encode()
