"""Sources: everything a person may name is read, oldest first, and what is not read is said."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import random
import socket
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from firstcause.evidence.limits import Limits
from firstcause.evidence.rotation import log_and_age, oldest_first
from firstcause.evidence.sources import sources
from firstcause.evidence.unpack import zstd
from firstcause.model import Gap, Source

LINE = b"(EngineCore_DP0 pid=%d) ERROR 10-22 12:00:01 [core.py:842] ValueError: No available memory for the cache blocks.\n"
LOG = b"".join(LINE % pid for pid in range(400))
NOISE = random.Random(20260101)
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "zst": zstd.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
}


def read(*paths: object, stdin: BinaryIO | None = None, limits: Limits | None = None) -> tuple[dict[str, bytes], list[Gap]]:
    """All that is read, by name in order, and the gaps."""
    gaps: list[Gap] = []
    found: dict[str, bytes] = {}
    for source in sources([str(path) for path in paths], stdin, limits or Limits(), on_gap=gaps.append):
        with source.open() as stream:
            found[source.name] = stream.read()
    return found, gaps


def put(path: Path, data: bytes = LOG) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def tar_of(members: dict[str, bytes], mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zip_of(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED, streamed: bool = False) -> bytes:
    out: io.BytesIO = _Unseekable() if streamed else io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


class _Unseekable(io.BytesIO):
    """A zip that is written into a pipe tells the sizes behind the members."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: object) -> int:
        raise io.UnsupportedOperation

    def tell(self) -> int:
        raise io.UnsupportedOperation


# plain and packed files


def test_a_plain_file_is_the_raw_file_and_can_be_opened_again(tmp_path: Path) -> None:
    path = put(tmp_path / "serve.log")
    (source,) = sources([str(path)])
    assert isinstance(source, Source)
    assert (source.name, source.size) == (str(path), len(LOG))
    for _ in range(2):
        with source.open() as stream:
            assert type(stream) is io.BufferedReader
            assert isinstance(stream.raw, io.FileIO)
            assert stream.read() == LOG


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("suffix", ["log", "gz", "zip"])
def test_packing_is_told_by_content_not_by_suffix(tmp_path: Path, packing: str, suffix: str) -> None:
    path = put(tmp_path / f"serve.{suffix}", PACK[packing](LOG))
    assert read(path) == ({str(path): LOG}, [])


@pytest.mark.parametrize("packing", PACK)
def test_members_on_end_and_padding_are_one_stream(tmp_path: Path, packing: str) -> None:
    pack = PACK[packing]
    path = put(tmp_path / "serve.log.gz", pack(LOG) + pack(b"") + pack(b"the end\n") + bytes(512))
    assert read(path) == ({str(path): LOG + b"the end\n"}, [])


@pytest.mark.parametrize("packing", PACK)
def test_a_cut_file_gives_what_is_there_and_a_gap(tmp_path: Path, packing: str) -> None:
    noisy = b"".join(NOISE.randbytes(24).hex().encode() + b" INFO step\n" for _ in range(50_000))  # bzip2 packs 900 kB at a time
    data = PACK[packing](noisy)
    path = put(tmp_path / "serve.log.gz", data[: len(data) * 2 // 3])
    found, (gap,) = read(path)
    text = found[str(path)]
    assert noisy.startswith(text)
    assert len(text) > len(noisy) // 3
    assert gap.what == str(path)
    assert gap.why == f"is cut off: its first {len(text):,} bytes were read, the rest was not"
    assert "fetch it again" in gap.how


def test_a_damaged_gzip_gives_everything_before_the_damage(tmp_path: Path) -> None:
    noisy = b"".join(NOISE.randbytes(24).hex().encode() + b" INFO step\n" for _ in range(20_000))
    data = bytearray(gzip.compress(noisy))
    middle = len(data) // 2
    data[middle : middle + 64] = b"\xff" * 64
    path = put(tmp_path / "serve.log.gz", bytes(data))
    found, (gap,) = read(path)
    text = found[str(path)]
    assert text[: len(noisy) * 45 // 100] == noisy[: len(noisy) * 45 // 100]
    assert "is damaged" in gap.why


def test_a_wrong_checksum_costs_no_byte(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(LOG))
    data[-8] ^= 1
    path = put(tmp_path / "serve.log.gz", bytes(data))
    found, (gap,) = read(path)
    assert found[str(path)] == LOG
    assert "incorrect data check" in gap.why


def test_something_else_behind_the_packed_data_is_told(tmp_path: Path) -> None:
    path = put(tmp_path / "serve.log.gz", gzip.compress(LOG) + b"appended by a script that did not know\n")
    found, (gap,) = read(path)
    assert found[str(path)] == LOG
    assert "stands something else" in gap.why


def test_a_file_that_a_browser_packed_once_more_is_unpacked(tmp_path: Path) -> None:
    path = put(tmp_path / "serve.log.gz", gzip.compress(gzip.compress(LOG)))
    assert read(path) == ({str(path): LOG}, [])


def test_padding_longer_than_a_piece_is_no_damage(tmp_path: Path) -> None:
    path = put(tmp_path / "serve.log.gz", gzip.compress(LOG) + bytes(100_000) + gzip.compress(LOG))
    assert read(path) == ({str(path): LOG + LOG}, [])


def test_a_packed_file_that_vanishes_before_it_is_read_is_a_gap(tmp_path: Path) -> None:
    path = put(tmp_path / "serve.log.gz", gzip.compress(LOG))
    gaps: list[Gap] = []
    for source in sources([str(path)], on_gap=gaps.append):
        path.unlink()
        assert source.open().read() == b""
    assert [gap.why for gap in gaps] == ["cannot be read (No such file or directory): nothing of it was read"]


def test_packing_without_end_is_refused(tmp_path: Path) -> None:
    data = LOG
    for _ in range(4):
        data = gzip.compress(data)
    found, (gap,) = read(put(tmp_path / "serve.log.gz", data))
    assert not found
    assert gap.why == "is packed more than 3 times"


def test_a_packed_file_with_nothing_in_it_is_empty(tmp_path: Path) -> None:
    assert read(put(tmp_path / "a.gz", gzip.compress(b"")))[1][0].why == "is empty"


def test_a_gzip_of_which_only_the_magic_arrived_is_cut_off_and_not_empty(tmp_path: Path) -> None:
    (gap,) = read(put(tmp_path / "a.gz", gzip.compress(LOG)[:5]))[1]
    assert gap.why == "is cut off: nothing of it was read"


def test_encodings_are_normalised_inside_of_packing(tmp_path: Path) -> None:
    path = put(tmp_path / "serve.log.gz", gzip.compress(codecs.BOM_UTF16_LE + LOG.decode().encode("utf-16-le")))
    assert read(path) == ({str(path): LOG}, [])
    marked = put(tmp_path / "marked.log", codecs.BOM_UTF8 + LOG)
    assert read(marked) == ({str(marked): LOG}, [])


# limits


def test_a_bomb_is_stopped_by_its_ratio(tmp_path: Path) -> None:
    bomb = put(tmp_path / "serve.log.zst", PACK["zst"](b"INFO\n" * 400_000))
    found, (gap,) = read(bomb, limits=Limits(ratio=50, ratio_from=1000))
    assert 1000 <= len(found[str(bomb)]) < 2_000_000
    assert "unpacks to more than 50 times its size: its first" in gap.why


def test_what_is_before_the_limit_of_a_member_is_read(tmp_path: Path) -> None:
    path = put(tmp_path / "serve.log.gz", gzip.compress(LOG))
    found, (gap,) = read(path, limits=Limits(member_bytes=1000))
    assert found[str(path)] == LOG[:1000]
    assert gap.why.startswith("is larger than the limit of 1,000 decompressed bytes for one file: its first 1,000 bytes")


def test_a_file_as_large_as_the_limit_is_whole(tmp_path: Path) -> None:
    path = put(tmp_path / "serve.log.gz", gzip.compress(LOG))
    assert read(path, limits=Limits(member_bytes=len(LOG))) == ({str(path): LOG}, [])


def test_the_limit_for_all_counts_each_byte_once(tmp_path: Path) -> None:
    first, second = put(tmp_path / "a.gz", gzip.compress(LOG)), put(tmp_path / "b.gz", gzip.compress(LOG))
    gaps: list[Gap] = []
    found = list(sources([str(first), str(second)], limits=Limits(total_bytes=len(LOG) + 9000), on_gap=gaps.append))
    for _ in range(3):
        assert found[0].open().read() == LOG
    assert found[1].open().read() == LOG[:9000]
    assert ["all packed evidence together" in gap.why for gap in gaps] == [True]


def test_only_so_many_files_and_members_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    for number in range(5):
        put(folder / f"{number}.log")
    found, (gap,) = read(folder, limits=Limits(files=3))
    assert len(found) == 3
    assert gap.why == "holds more than 3 files: only the first 3 were read"
    for data in (tar_of({f"{n}.log": LOG for n in range(5)}), zip_of({f"{n}.log": LOG for n in range(5)})):
        found, (gap,) = read(put(tmp_path / "bundle", data), limits=Limits(files=3))
        assert len(found) == 3
        assert gap.why == "has more than 3 members: only the first 3 were read"


# archives


@pytest.mark.parametrize(
    "data",
    [
        tar_of({"logs/serve.log": LOG, "logs/serve.log.1.gz": gzip.compress(b"older\n")}),
        tar_of({"logs/serve.log": LOG, "logs/serve.log.1.gz": gzip.compress(b"older\n")}, "w:gz"),
        tar_of({"./logs/serve.log": LOG, "./logs/serve.log.1.gz": gzip.compress(b"older\n")}, "w:xz"),
        PACK["zst"](tar_of({"logs/serve.log": LOG, "logs/serve.log.1.gz": gzip.compress(b"older\n")})),
        zip_of({"logs/serve.log": LOG, "logs/serve.log.1.gz": gzip.compress(b"older\n")}),
        zip_of({"logs/serve.log": LOG, "logs/serve.log.1.gz": gzip.compress(b"older\n")}, streamed=True),
        zip_of({"logs/serve.log": LOG, "logs/serve.log.1.gz": gzip.compress(b"older\n")}, zipfile.ZIP_STORED),
        zip_of({"logs/serve.log": LOG, "logs/serve.log.1.gz": gzip.compress(b"older\n")}, zipfile.ZIP_BZIP2),
        gzip.compress(zip_of({"logs/serve.log": LOG, "logs/serve.log.1.gz": gzip.compress(b"older\n")})),
    ],
    ids=["tar", "tar.gz", "tar.xz", "tar.zst", "zip", "zip streamed", "zip stored", "zip bzip2", "zip.gz"],
)
def test_members_are_read_oldest_first_and_again(tmp_path: Path, data: bytes) -> None:
    path = put(tmp_path / "bundle", data)
    gaps: list[Gap] = []
    found = list(sources([str(path)], on_gap=gaps.append))
    for _ in range(2):
        read_again = [(source.name, source.open().read()) for source in found]
        assert read_again == [(f"{path}:logs/serve.log.1.gz", b"older\n"), (f"{path}:logs/serve.log", LOG)]
    assert gaps == []


def test_members_of_a_spooled_archive_can_be_read_side_by_side(tmp_path: Path) -> None:
    path = put(tmp_path / "bundle.tgz", tar_of({"a.log": LOG, "b.log": LOG[::-1]}, "w:gz"))
    first, second = (source.open() for source in sources([str(path)], on_gap=lambda _: None))
    pieces = [(first.read(999), second.read(999)) for _ in range(60)]
    assert b"".join(one for one, _ in pieces) == LOG
    assert b"".join(two for _, two in pieces) == LOG[::-1]


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "C:\\Windows\\win.ini", "a\\..\\..\\b.log", "logs/../../x"])
@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str, pack: Callable[[dict[str, bytes]], bytes]) -> None:
    path = put(tmp_path / "bundle", pack({name: LOG, "serve.log": LOG}))
    found, (gap,) = read(path)
    assert list(found) == [f"{path}:serve.log"]
    assert gap.what == f"{path}:{name}".replace("a\\..", "a\\..")
    assert gap.why == "has a name that leads out of the archive"
    assert [entry.name for entry in tmp_path.iterdir()] == ["bundle"]


def test_links_and_devices_are_refused_and_told_together(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for number in range(5):
            link = tarfile.TarInfo(f"link{number}")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/shadow"
            archive.addfile(link)
        pipe = tarfile.TarInfo("pipe")
        pipe.type = tarfile.FIFOTYPE
        archive.addfile(pipe)
    path = put(tmp_path / "bundle.tar", out.getvalue())
    found, gaps = read(path)
    assert not found
    assert [(gap.what, gap.why) for gap in gaps] == [
        (f"{path}:link0, {path}:link1, {path}:link2 and 2 more", "each is a link"),
        (f"{path}:pipe", "is a device or a pipe"),
    ]


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("current.log")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/shadow")
    assert read(put(tmp_path / "b.zip", out.getvalue()))[1][0].why == "is a link"


def test_an_archive_in_an_archive_is_a_gap(tmp_path: Path) -> None:
    path = put(tmp_path / "b.zip", zip_of({"in.tar.gz": tar_of({"a.log": LOG}, "w:gz"), "in.zip": zip_of({"a": LOG})}))
    found, gaps = read(path)
    assert not found
    assert [gap.why for gap in gaps] == ["is an archive inside an archive, which is not opened"] * 2


def test_an_encrypted_member_is_a_gap(tmp_path: Path) -> None:
    data = bytearray(zip_of({"serve.log": LOG}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert read(put(tmp_path / "b.zip", bytes(data)))[1][0].why == "is encrypted"


@pytest.mark.parametrize("streamed", [False, True])
def test_a_cut_zip_gives_its_members_as_far_as_they_go(tmp_path: Path, streamed: bool) -> None:
    noisy = NOISE.randbytes(60_000).hex().encode()
    data = zip_of({"a.log": LOG, "b.log": noisy, "c.log": LOG}, streamed=streamed)
    path = put(tmp_path / "bundle.zip", data[: len(data) // 2])
    found, gaps = read(path)
    assert list(found) == [f"{path}:a.log", f"{path}:b.log"]
    assert found[f"{path}:a.log"] == LOG
    assert noisy.startswith(found[f"{path}:b.log"])
    assert len(found[f"{path}:b.log"]) > 40_000
    assert sorted(gap.what for gap in gaps) == [str(path), f"{path}:b.log"]
    assert any("2 members could be found" in gap.why for gap in gaps)


@pytest.mark.parametrize("packed", [False, True])
def test_a_cut_tar_gives_its_members_as_far_as_they_go(tmp_path: Path, packed: bool) -> None:
    noisy = NOISE.randbytes(60_000).hex().encode()
    data = tar_of({"a.log": LOG, "b.log": noisy}, "w:gz" if packed else "w")
    path = put(tmp_path / "bundle.tar", data[: len(data) // 2])
    found, gaps = read(path)
    assert found[f"{path}:a.log"] == LOG
    assert noisy.startswith(found[f"{path}:b.log"])
    assert len(found[f"{path}:b.log"]) > 20_000
    assert any(gap.what == f"{path}:b.log" and gap.why.startswith("is cut off") for gap in gaps)


def test_a_cut_zip_whose_members_do_not_tell_their_end_gives_the_first(tmp_path: Path) -> None:
    data = zip_of({"a.log": LOG, "b.log": LOG}, zipfile.ZIP_STORED, streamed=True)
    path = put(tmp_path / "b.zip", data[:60_000])
    found, (gap,) = read(path)
    assert list(found) == [f"{path}:a.log"]
    assert found[f"{path}:a.log"].startswith(LOG)
    assert "1 members could be found" in gap.why


def test_a_cut_zip_is_not_searched_behind_a_bomb(tmp_path: Path) -> None:
    data = zip_of({"a.log": b"INFO\n" * 90_000, "b.log": LOG}, streamed=True)
    path = put(tmp_path / "b.zip", data[:-30])
    found, gaps = read(path, limits=Limits(ratio=50, ratio_from=1000))
    assert list(found) == [f"{path}:a.log"]
    assert any("1 members could be found" in gap.why for gap in gaps)
    assert any("unpacks to more than" in gap.why for gap in gaps)


def test_a_cut_zip_is_not_searched_behind_damage(tmp_path: Path) -> None:
    data = bytearray(zip_of({"a.log": LOG, "b.log": LOG}, streamed=True))
    data[30 + len("a.log")] = 0b111  # a kind of block that does not exist
    path = put(tmp_path / "b.zip", bytes(data[:-30]))
    found, gaps = read(path)
    assert found == {}
    assert any("1 members could be found" in gap.why for gap in gaps)
    assert any(gap.what == f"{path}:a.log" and "is damaged" in gap.why for gap in gaps)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_damage_that_unpacks_to_something_is_told(tmp_path: Path, method: int) -> None:
    data = bytearray(zip_of({"a.log": LOG}, method))
    data[data.index(b"PK\x01\x02") + 16] ^= 1
    path = put(tmp_path / "b.zip", bytes(data))
    found, (gap,) = read(path)
    assert found == {f"{path}:a.log": LOG}
    assert "its checksum is not that of what was packed" in gap.why


def test_a_zip_directory_that_points_elsewhere_costs_that_member_only(tmp_path: Path) -> None:
    data = bytearray(zip_of({"a.log": LOG, "b.log": LOG}))
    data[data.index(b"PK\x03\x04", 4)] = 0
    path = put(tmp_path / "b.zip", bytes(data))
    found, (gap,) = read(path)
    assert found == {f"{path}:a.log": LOG}
    assert gap.what == f"{path}:b.log"
    assert "no zip member stands where the directory says" in gap.why


def test_a_tar_header_longer_than_any_name_is_not_read_into_memory(tmp_path: Path) -> None:
    out = io.BytesIO(tar_of({"a.log": LOG}).rstrip(b"\0") + bytes(-len(tar_of({"a.log": LOG}).rstrip(b"\0")) % 512))
    out.seek(0, io.SEEK_END)
    name = tarfile.TarInfo("long")
    name.type, name.size = tarfile.GNUTYPE_LONGNAME, 2 << 20
    out.write(name.tobuf(tarfile.GNU_FORMAT) + b"x" * (2 << 20))
    path = put(tmp_path / "b.tar", out.getvalue())
    found, (gap,) = read(path)
    assert found == {f"{path}:a.log": LOG}
    assert "a header is longer than any name" in gap.why


def test_a_tar_header_that_points_backwards_ends_the_archive(tmp_path: Path) -> None:
    data = bytearray(tar_of({"a.log": b"x" * 100, "b.log": LOG}))
    data[124:136] = b"\xff" + struct.pack(">3xq", -1024)[:11]  # a size below zero, as base 256
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\x00 " % sum(data[:512])
    _, gaps = read(put(tmp_path / "b.tar", bytes(data)))
    assert any("is cut off or damaged" in gap.why for gap in gaps)


def test_hidden_files_programs_and_weights_in_archives_are_passed_over(tmp_path: Path) -> None:
    members = {"__MACOSX/._serve.log": b"\x00\x05\x16\x07", ".env": b"HF_TOKEN=x", "m/model.safetensors": b"x", "serve.log": LOG}
    path = put(tmp_path / "b.zip", zip_of(members))
    assert read(path) == ({f"{path}:serve.log": LOG}, [])


def test_control_characters_in_names_are_not_shown(tmp_path: Path) -> None:
    path = put(tmp_path / "b.tar", tar_of({"a\x1b]0;owned\x07.log": LOG}))
    assert list(read(path)[0]) == [f"{path}:a\\x1b]0;owned\\x07.log"]


def test_an_archive_without_evidence_says_so(tmp_path: Path) -> None:
    assert "holds no file that could be evidence" in read(put(tmp_path / "b.zip", zip_of({"a.py": b"pass"})))[1][0].why


# folders and rotation


def test_a_folder_is_read_in_order_and_passes_over_what_is_no_evidence(tmp_path: Path) -> None:
    for name in (".git/HEAD", "node_modules/a.log", "app.py", "libcuda.so.1", "loss.png", "weights.bin", ".hidden.log"):
        put(tmp_path / name)
    kept = ["events.yaml", "metrics.prom", "node1/serve.log", "node2/serve.log", "node10/serve.log", "notes"]
    for name in kept:
        put(tmp_path / name)
    found, gaps = read(tmp_path)
    assert list(found) == [str(tmp_path / name) for name in kept]
    assert gaps == []


def test_what_a_person_names_is_not_passed_over(tmp_path: Path) -> None:
    path = put(tmp_path / ".hidden.py")
    assert read(path) == ({str(path): LOG}, [])


def test_links_that_lead_out_or_to_nothing_are_told(tmp_path: Path) -> None:
    outside, folder = put(tmp_path / "outside.log"), tmp_path / "logs"
    inside = put(folder / "pods" / "serve.log")
    (folder / "current.log").symlink_to(inside)
    (folder / "out.log").symlink_to(outside)
    (folder / "gone.log").symlink_to(folder / "nothing")
    (folder / "up").symlink_to(folder)
    (folder / "round").symlink_to(folder / "round")
    found, gaps = read(folder)
    assert list(found.values()) == [LOG]
    assert {(Path(gap.what).name, gap.why.split(" (")[0]) for gap in gaps} >= {
        ("out.log", "is a link that leads out of the folder"),
        ("gone.log", "is a link to something that is not there"),
    }


ROTATED = [
    ["serve.log.10.gz", "serve.log.2.gz", "serve.log.1", "serve.log"],
    ["serve.log-20251231.zst", "serve.log-20260101", "serve.log"],
    ["serve.log.2025-12-31.gz", "serve.log.2026-01-01", "serve.log"],
    ["0.log.20260101-120000.gz", "0.log.20260101-130000", "0.log"],
    ["serve-2026-01-01T12-00-00.000.log.gz", "serve-2026-01-01T13-00-00.000.log", "serve.log"],
    ["serve.2026-01-01_12-00-00_123456.log", "serve.2026-01-02_12-00-00_000001.log", "serve.log"],
    ["serve.log.2026-01-01.1", "serve.log.2026-01-01.2", "serve.log.2026-01-01.10", "serve.log"],
    ["serve.2.log", "serve.1.log", "serve.log"],
    ["serve.log.old", "serve.log"],
    ["serve.log-20260101-1767225600.gz", "serve.log-20260102-1767312000.gz", "serve.log"],
]


@pytest.mark.parametrize("names", ROTATED, ids=lambda names: names[0])
def test_parts_of_a_log_are_read_oldest_first(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        put(tmp_path / name, name.encode())
    put(tmp_path / "router.log")
    found = list(read(tmp_path)[0])
    assert [Path(name).name for name in found if "router" not in name] == names
    given = [tmp_path / name for name in sorted(names, reverse=True)]
    assert [Path(name).name for name in read(*given)[0]] == names


def test_unlike_logs_keep_their_order() -> None:
    names = ["b.log", "a.log", "b.log.1", "x/b.log.2"]
    assert oldest_first(names, str) == ["b.log.1", "b.log", "a.log", "x/b.log.2"]
    assert log_and_age("vllm-0.11.0.txt")[0] == "vllm-0.11.0.txt"


def test_folders_with_numbers_keep_the_order_in_which_they_are_named(tmp_path: Path) -> None:
    names = [put(tmp_path / f"run.{number}" / "serve.log").parent for number in (1, 2)]
    assert [Path(name).parent.name for name in read(*names)[0]] == ["run.1", "run.2"]


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    path = put(tmp_path / "logs" / "serve.log")
    assert list(read(path, path.parent, path)[0]) == [str(path)]


# what is no text


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (b"\x7fELF\x02\x01\x01" + bytes(64), "is not text but a program, library or core dump"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "is not text but a picture"),
        (
            struct.pack("<Q", 88) + b'{"model.embed_tokens.weight":{"dtype":"BF16","shape":[151936,4096]}}',
            "is not text but model weights",
        ),
        (b"PAR1\x15\x04" + bytes(9), "is not text but a table in a binary format"),
        (b"\x80\x04\x95\x10\x00" + bytes(20), "is not text but a pickle"),
        (b"LPKSHHRH" + bytes(100), "is not text but a systemd journal"),
        (b"\x04\x22\x4d\x18\x64\x40\xa7", "is not text but packed by lz4, which is not read"),
        (bytes(range(256)) * 16, "is not text"),
        (b"\x00" * 5000, "holds nothing but NUL bytes"),
    ],
)
def test_binaries_are_gaps(tmp_path: Path, head: bytes, why: str) -> None:
    found, (gap,) = read(put(tmp_path / "evidence.log", head))
    assert not found
    assert gap.why == why


@pytest.mark.parametrize(
    "data",
    [
        bytes(3000) + LOG,  # power was lost
        bytes(30_000) + LOG,  # cut to length 0 while the server went on writing
        LOG + bytes(30_000),
        LOG[:500] + b"\x00" * 3 + LOG[500:],
        b"\x1b[31mERROR\x1b[0m \x07 \r 50%|##  |\r100%|####|\n" * 9,
        "ОШИБКА: недостаточно памяти\n".encode("cp1251") * 30,
        "错误:内存不足\n".encode("gbk") * 30,
        b"x",
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_logs_with_holes_colours_and_old_encodings_are_text(tmp_path: Path, data: bytes, packed: bool) -> None:
    path = put(tmp_path / "serve.log", gzip.compress(data) if packed else data)
    assert read(path) == ({str(path): data}, [])


def test_a_packed_hole_without_a_log_is_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstcause.evidence.blobs._BEHIND_HOLE", 20_000)
    (gap,) = read(put(tmp_path / "serve.log.gz", gzip.compress(bytes(50_000))))[1]
    assert gap.why == "holds nothing but NUL bytes"


# standard input


@pytest.mark.parametrize("data", [LOG, gzip.compress(LOG), codecs.BOM_UTF16_BE + LOG.decode().encode("utf-16-be")])
def test_standard_input_can_be_read_again(data: bytes) -> None:
    (source,) = sources(["-"], io.BytesIO(data))
    assert isinstance(source, Source)
    assert source.name == "<stdin>"
    for _ in range(2):
        with source.open() as stream:
            assert stream.read() == LOG


def test_standard_input_may_be_an_archive() -> None:
    assert list(read("-", stdin=io.BytesIO(tar_of({"a.log": LOG}, "w:gz")))[0]) == ["<stdin>:a.log"]


def test_standard_input_goes_to_disk_and_stops_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstcause.evidence.store.IN_MEMORY", 100)
    found, (gap,) = read("-", stdin=io.BytesIO(LOG), limits=Limits(spool_bytes=1000))
    assert found == {"<stdin>": LOG[:1000]}
    assert gap.why == "is larger than the limit of 1,000 bytes: its first 1,000 bytes were read, the rest was not"


def test_standard_input_that_breaks_is_read_as_far_as_it_came() -> None:
    class Breaks(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if data := super().read(1000):
                return data
            raise ConnectionResetError("the other side is gone")

    found, (gap,) = read("-", stdin=Breaks(LOG))
    assert found == {"<stdin>": LOG}
    assert "the other side is gone" in gap.why


def test_no_standard_input_is_a_gap() -> None:
    assert read("-")[1] == [Gap("<stdin>", "was not given", "pipe the log into it: COMMAND | firstcause diagnose -")]
    assert read("-", stdin=io.BytesIO())[1][0].why == "is empty"


# what cannot be read


def test_a_path_that_is_not_there_is_a_gap(tmp_path: Path) -> None:
    assert read(tmp_path / "serve.log")[1][0].why == "no such file"
    assert read(put(tmp_path / "a") / "serve.log")[1][0].why == "no such file"
    assert "cannot be read" in read("a\0b")[1][0].why


def test_pipes_sockets_and_devices_are_gaps(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "sock"))
        gaps = read(tmp_path / "sock", "/dev/zero")[1]
    assert [gap.why.split(",")[0] for gap in gaps] == ["is a socket", "is a device"]
    assert all(gap.how for gap in gaps)


def test_empty_files_and_folders_are_gaps(tmp_path: Path) -> None:
    assert read(put(tmp_path / "serve.log", b""))[1][0].why == "is empty"
    (tmp_path / "folder").mkdir()
    assert "holds no file that could be evidence" in read(tmp_path / "folder")[1][0].why


def test_a_file_without_permission_is_a_gap_and_the_others_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed, opened = put(tmp_path / "a.log"), put(tmp_path / "b.log")
    really_open = Path.open

    def refuse(path: Path, mode: str = "r") -> object:
        if path == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return really_open(path, mode)

    monkeypatch.setattr(Path, "open", refuse)  # the tests may run as root, who may read everything
    found, (gap,) = read(tmp_path)
    assert list(found) == [str(opened)]
    assert (gap.what, gap.why) == (str(closed), "may not be read (permission denied)")


def test_a_folder_without_permission_is_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refuse)
    (gap,) = read(tmp_path)[1]
    assert (gap.what, gap.why) == (str(tmp_path), "cannot be listed (Permission denied)")


# the two ways in which gaps come


def test_without_a_function_gaps_are_yielded_also_those_of_reading(tmp_path: Path) -> None:
    cut = put(tmp_path / "a.gz", gzip.compress(NOISE.randbytes(90_000).hex().encode())[:50_000])
    whole = put(tmp_path / "b.log")
    told: list[str] = []
    for one in sources([str(cut), str(tmp_path / "none"), str(whole)]):
        told.append(type(one).__name__)
        if isinstance(one, Source):
            with one.open() as stream:
                stream.read()
    assert told == ["Source", "Gap", "Gap", "Source"]


def test_reading_again_does_not_tell_a_gap_again(tmp_path: Path) -> None:
    cut = put(tmp_path / "a.gz", gzip.compress(LOG)[:-20])
    gaps: list[Gap] = []
    for source in sources([str(cut)], on_gap=gaps.append):
        for _ in range(2):
            source.open().read()
    assert len(gaps) == 1
