"""What the libraries and the system raise over broken evidence; everything else is a mistake of ours and must be seen."""

from __future__ import annotations

import lzma
import struct
import tarfile
import zipfile
import zlib

from firstcause.evidence.unpack import zstd

FAULTS = (
    OSError, EOFError, ValueError, RuntimeError, MemoryError, ArithmeticError, LookupError,
    struct.error, zlib.error, lzma.LZMAError, zstd.ZstdError, zipfile.BadZipFile, tarfile.TarError,
)  # fmt: skip
