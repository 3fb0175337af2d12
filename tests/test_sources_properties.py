"""Sources, for any bytes: nothing raises out of listing or reading, only gaps come, and what is read is what was written."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstcause.evidence import store
from firstcause.evidence.limits import Limits
from firstcause.evidence.rotation import log_and_age, natural
from firstcause.evidence.sources import sources
from firstcause.evidence.unpack import zstd
from firstcause.model import Gap

SMALL = Limits(files=20, member_bytes=1 << 20, total_bytes=4 << 20, spool_bytes=1 << 20, ratio=200, ratio_from=10_000)
LOG = b"".join(b"INFO 10-22 12:00:01 [loggers.py:127] Engine 000: Running: %d reqs\n" % number for number in range(900))


def _tar(mode: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=tarfile.PAX_FORMAT) as archive:  # type: ignore[call-overload]
        for name in ("logs/serve.log", "logs/" + "long" * 60 + ".log", "größe.log"):
            info = tarfile.TarInfo(name)
            info.size = len(LOG)
            archive.addfile(info, io.BytesIO(LOG))
    return out.getvalue()


def _zip(method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("logs/serve.log", LOG)
        archive.writestr("router.log", gzip.compress(LOG))
    return out.getvalue()


SEEDS = {
    "gzip": gzip.compress(LOG) + gzip.compress(LOG),
    "zstd": zstd.compress(LOG),
    "xz": lzma.compress(LOG),
    "bzip2": bz2.compress(LOG),
    "tar": _tar("w"),
    "tar.gz": _tar("w:gz"),
    "zip": _zip(zipfile.ZIP_DEFLATED),
    "zip stored": _zip(zipfile.ZIP_STORED),
    "utf-16": LOG.decode().encode("utf-16"),
}
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "zstd": zstd.compress,
}
MAGICS = [data[:300] for data in SEEDS.values()] + [
    b"PK\x05\x06",
    b"\x1f\x8b\x08",
    b"\xff\xfe",
    b"\xff\xfe\x00\x00",
    bytes(9000),
    b"",
]


def read(data: bytes) -> tuple[list[bytes], list[Gap]]:
    """Everything that is in the bytes, each source read twice."""
    gaps: list[Gap] = []
    found = []
    for source in sources(["-"], io.BytesIO(data), SMALL, on_gap=gaps.append):
        with source.open() as first, source.open() as second:
            text = first.read()
            assert second.read() == text
        found.append(text)
    assert all(gap.what and gap.why for gap in gaps)
    return found, gaps


@given(st.sampled_from(MAGICS), st.binary(max_size=600))
def test_no_bytes_behind_any_magic_raise(magic: bytes, rest: bytes) -> None:
    found, gaps = read(magic + rest)
    assert found or gaps


@pytest.mark.parametrize("seed", SEEDS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_no_damage_raises(seed: str, data: st.DataObject) -> None:
    whole = bytearray(SEEDS[seed])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        piece = data.draw(st.binary(min_size=1, max_size=12))
        whole[at : at + len(piece)] = piece
    read(bytes(whole))


@pytest.mark.parametrize("seed", SEEDS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_what_is_cut_off_is_a_beginning_and_a_gap(seed: str, data: st.DataObject) -> None:
    whole = SEEDS[seed]
    found, gaps = read(whole[: data.draw(st.integers(len(whole) // 2, len(whole)))])  # of half a header nothing can be told
    if seed not in ("utf-16", "zip stored"):
        assert all((LOG + LOG).startswith(text) for text in found)
    if not found:
        assert gaps


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=200), min_size=1, max_size=5), st.sampled_from(list(PACK)))
def test_packed_lines_come_back(lines: list[bytes], packing: str) -> None:
    pack = PACK[packing]
    text = [b"INFO " + line.hex().encode() + b"\n" for line in lines]
    assert read(b"".join(pack(line) for line in text)) == ([b"".join(text)], [])


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(max_size=300), st.binary(max_size=50)), max_size=5))
def test_no_member_name_raises(members: list[tuple[str, bytes]]) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", encoding="utf-8", errors="surrogatepass") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name.replace("\0", ""))
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    gaps: list[Gap] = []
    for source in sources(["-"], io.BytesIO(out.getvalue()), SMALL, on_gap=gaps.append):
        assert source.name.isprintable()
    assert all(gap.what.isprintable() for gap in gaps)


@given(st.text(max_size=300))
def test_every_name_has_an_age_and_a_place(name: str) -> None:
    log, age = log_and_age(name)
    assert log or not name
    assert (natural(name), age) <= (natural(name), age)


@given(st.text(max_size=60))
def test_no_path_raises(path: str) -> None:
    for one in sources([f"/nowhere/{path}"]):
        assert isinstance(one, Gap)


@pytest.mark.parametrize("seed", ["tar.gz", "gzip"])
def test_reading_leaves_nothing_on_disk_and_nothing_open(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "IN_MEMORY", 100)  # a file left open is a ResourceWarning, and that is an error here
    assert read(SEEDS[seed])[0]
