"""Folders: which files below one are evidence. Links that lead out are not followed, and told."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from firstcause.evidence.refusals import Refusals, shown
from firstcause.evidence.rotation import natural
from firstcause.model import Gap

_NO_EVIDENCE_FOLDERS = frozenset(("node_modules", "__pycache__", "site-packages", "__MACOSX"))
_NO_EVIDENCE_SUFFIX = re.compile(
    r"\.(?:py[cdix]?|ipynb|cc?|cpp|cuh?|h|hpp|rs|go|[jt]s|css|so(?:\.\d+)*|[oa]|dll|dylib|exe|class|jar|whl|egg|deb|rpm"
    r"|png|jpe?g|gif|bmp|webp|svg|ico|pdf|docx|xlsx|pptx|mp[34]|wav|woff2?|ttf"
    r"|safetensors|bin|pth?|ckpt|gguf|onnx|np[yz]|h5|pkl|pickle|parquet|arrow|tiktoken)$",
    re.IGNORECASE,
)


def is_passed_over(name: str) -> bool:
    """Hidden, or clearly no evidence by its name; only for what was found, never for what a person named."""
    path = PurePosixPath(name)
    hidden = any(part.startswith(".") and part != "." for part in path.parts)
    return bool(hidden or _NO_EVIDENCE_SUFFIX.search(path.name) or not _NO_EVIDENCE_FOLDERS.isdisjoint(path.parts))


def files_below(folder: Path, most: int, refusals: Refusals) -> list[Path]:
    """The files that may be evidence, sorted; at most that many."""
    found: list[Path] = []
    for path in _walk(folder, refusals):
        if len(found) >= most:
            why = f"holds more than {most:,} files: only the first {most:,} were read"
            refusals.add(Gap(shown(str(folder)), why, "name the folder or the files that matter"))
            break
        found.append(path)
    return sorted(found, key=lambda path: natural(str(path)))


def _walk(folder: Path, refusals: Refusals) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        why = f"cannot be listed ({error.strerror})"
        refusals.add(Gap(shown(str(error.filename)), why, "give read permission, or run as a user who has it"))

    root = os.path.realpath(folder)
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted((name for name in folders if not is_passed_over(name)), key=natural)
        for path in (Path(place, name) for name in (*sorted(names, key=natural), *folders) if not is_passed_over(name)):
            if path.is_symlink() and not _leads_inside(path, root, refusals):
                continue
            if not path.is_dir():
                yield path


def _leads_inside(link: Path, root: str, refusals: Refusals) -> bool:
    target = os.path.realpath(link)
    if not os.path.lexists(target):
        refusals.add(Gap(shown(str(link)), "is a link to something that is not there (any more)", "give the file itself"))
        return False
    if os.path.commonpath((root, target)) == root:
        return True
    how = "if it is evidence, name what it leads to as an argument of its own"
    refusals.add(Gap(shown(str(link)), "is a link that leads out of the folder", how))
    return False
