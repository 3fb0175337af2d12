"""What a file is, told by its first bytes: names and suffixes lie."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from firstcause.evidence.encoding import encoding_of

HEAD = 8 << 10  # bytes that are looked at
_TAR_BLOCK = 512


class Packing(StrEnum):
    """A compression that is read."""

    GZIP = "gzip"
    ZSTD = "zstd"
    XZ = "xz"
    BZIP2 = "bzip2"


class Archive(StrEnum):
    """An archive that is read."""

    ZIP = "zip"
    TAR = "tar"


@dataclass(frozen=True, slots=True)
class NotText:
    """A binary file: what it is, and how to get text of it where that is worth while."""

    what: str
    how: str = ""


MAGIC: dict[Packing, re.Pattern[bytes]] = {
    Packing.GZIP: re.compile(rb"\x1f\x8b\x08"),
    Packing.ZSTD: re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),  # a frame, or one to be skipped
    Packing.XZ: re.compile(rb"\xfd7zXZ\x00"),
    Packing.BZIP2: re.compile(rb"BZh[1-9](?:\x31\x41\x59\x26\x53\x59|\x17\x72\x45\x38\x50\x90)"),
}
_ZIP = re.compile(rb"PK(?:\x03\x04|\x05\x06|\x07\x08)")

_UNPACK = "unpack it yourself and give the text, or pack it with gzip, zstd, xz, bzip2, zip or tar"
_WEIGHTS, _PICTURE, _PROGRAM = NotText("model weights"), NotText("a picture"), NotText("a program or library")
_BINARY = (
    (
        rb"\x7fELF",
        NotText("a program, library or core dump", "for a core dump: gdb -batch -ex 'thread apply all bt' PROGRAM FILE"),
    ),
    (rb"LPKSHHRH", NotText("a systemd journal", "journalctl --no-pager --file FILE > journal.log")),
    (rb"\x04\x22\x4d\x18", NotText("packed by lz4, which is not read", "lz4 -d FILE, then give the text")),
    (rb"7z\xbc\xaf\x27\x1c", NotText("a 7z archive, which is not read", _UNPACK)),
    (rb"Rar!\x1a\x07", NotText("a rar archive, which is not read", _UNPACK)),
    (rb"\x1f[\x9d\xa0]", NotText("packed by compress, which is not read", _UNPACK)),
    (rb"LZIP[\x00\x01]", NotText("packed by lzip, which is not read", _UNPACK)),
    (rb"GGUF[\x00-\x0f]\x00\x00|[\s\S]{4}\x00{4}\{[\"} ]", _WEIGHTS),  # gguf; safetensors: a length, then JSON
    (rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|BM[\s\S]{4}\x00{4}|RIFF[\s\S]{4}WEBP|II\*\x00|MM\x00\*", _PICTURE),
    (rb"MZ[\s\S]{0,60}\x00\x00|\xca\xfe\xba\xbe|[\xce\xcf]\xfa\xed\xfe|\x00asm|!<arch>\n", _PROGRAM),
    (rb"\x80[\x02-\x05](?:\x95|\}|\]|c|\x8a)", NotText("a pickle")),
    (rb"PAR1|ARROW1\x00|FEA1|Obj\x01", NotText("a table in a binary format", "export it as CSV or JSON lines")),
    (rb"SQLite format 3\x00", NotText("an SQLite database", "sqlite3 FILE .dump > dump.txt")),
    (rb"\x93NUMPY|\x89HDF\r\n", NotText("arrays of numbers")),
    (rb"%PDF-", NotText("a PDF document", "copy the text out of it")),
    (rb"ElfFile\x00", NotText("a Windows event log", "export it as text or XML")),
    (
        rb"[\xd4\xa1]\xc3\xb2\xa1|\xa1\xb2[\xc3\x3c][\xd4\x4d]|\x0a\x0d\x0d\x0a[\s\S]{4}[\x1a\x4d][\x2b\x3c]",
        NotText("a network capture"),
    ),
    (rb"PERFILE2", NotText("a perf profile", "perf report --stdio > report.txt")),
)
_KNOWN = tuple((re.compile(pattern), what) for pattern, what in _BINARY)

_NUL_RUN = re.compile(rb"\x00{8,}")  # a hole that a crash or a truncation left in a log
_CONTROL = re.compile(rb"[\x01-\x06\x0e-\x1a\x1c-\x1f\x7f]")  # not \a \b \t \n \v \f \r and ESC, which logs hold


def packing_of(head: bytes) -> Packing | None:
    """The compression that the first bytes show."""
    return next((packing for packing, magic in MAGIC.items() if magic.match(head)), None)


def archive_of(head: bytes) -> Archive | None:
    """The archive that the first bytes show."""
    if _ZIP.match(head):
        return Archive.ZIP
    return Archive.TAR if _is_tar_header(head[:_TAR_BLOCK]) else None


def not_text(head: bytes) -> NotText | None:
    """The binary file that the first bytes show; None: it is text, maybe with holes."""
    if encoding_of(head).is_wide:
        return None
    known = next((what for magic, what in _KNOWN if magic.match(head)), None)
    return known or (NotText("not text") if _is_binary(head) else None)


def is_hole(head: bytes) -> bool:
    """Nothing but NUL bytes: a log that was cut to length 0 while its writer went on starts like that."""
    return bool(head) and not head.strip(b"\x00")


def _is_binary(head: bytes) -> bool:
    """NULs in runs are holes in a log; NULs and control characters all over are no text."""
    rest = _NUL_RUN.sub(b"", head)
    return rest.count(0) * 20 > len(rest) or len(_CONTROL.findall(rest)) * 20 > len(rest)


def _is_tar_header(block: bytes) -> bool:
    """The checksum of a header counts its own field as blanks."""
    if len(block) < _TAR_BLOCK or is_hole(block):
        return False
    field = block[148:156].strip(b" \x00")
    if not re.fullmatch(rb"[0-7]{1,7}", field):
        return False
    return int(field, 8) == sum(block) - sum(block[148:156]) + 8 * ord(" ")
