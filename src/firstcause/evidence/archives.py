"""Zip and tar archives -> their members that may be evidence. Nothing is extracted: a member is a part of the archive's bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from firstcause.evidence import tar_parts, zip_parts
from firstcause.evidence.faults import FAULTS
from firstcause.evidence.folders import is_passed_over
from firstcause.evidence.limits import Limits
from firstcause.evidence.magic import Archive
from firstcause.evidence.refusals import Refusals, shown
from firstcause.evidence.rotation import natural, oldest_first
from firstcause.evidence.store import Store
from firstcause.evidence.tar_parts import TarPart
from firstcause.evidence.zip_parts import ZipPart
from firstcause.model import Gap

Part = TarPart | ZipPart
_LONGEST_NAME = 4096
_FETCH = "fetch the archive again and compare its size with the original"
_UNPACK = "unpack it yourself and name it as an argument of its own, if it is evidence"
# ../../etc/passwd   /etc/passwd   C:\Windows   a\..\b
_ESCAPING = re.compile(r"^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)")


class _Listing(Protocol):
    def __call__(self, store: Store, where: str, limits: Limits, refusals: Refusals) -> Iterable[Part]: ...


def members(archive: Archive, store: Store, where: str, limits: Limits, refusals: Refusals) -> list[Part]:
    """The members that may be evidence, parts of one log oldest first. What is not read, and why, is in `refusals`."""
    listed = list(_LISTINGS[archive](store, where, limits, refusals))
    if len(listed) > limits.files:
        why = f"has more than {limits.files:,} members: only the first {limits.files:,} were read"
        refusals.add(Gap(where, why, "unpack it yourself and name the files that matter"))
    taken = [part for part in listed[: limits.files] if _is_taken(part, where, refusals)]
    return oldest_first(sorted(taken, key=lambda part: natural(part.name)), lambda part: part.name)


def member_name(where: str, part: Part) -> str:
    """How a member is called: `bundle.zip:logs/serve.log`."""
    return f"{where}:{shown(part.name[:_LONGEST_NAME].removeprefix('./'))}"


def _is_taken(part: Part, where: str, refusals: Refusals) -> bool:
    why, how = part.refused, _UNPACK
    if len(part.name) > _LONGEST_NAME or _ESCAPING.search(part.name):
        why, how = "has a name that leads out of the archive", "make the archive anew with plain relative names"
    elif is_passed_over(part.name):
        return False
    if why:
        refusals.add(Gap(member_name(where, part)[:_LONGEST_NAME], why, how))
    return not why


def _list_tar(store: Store, where: str, limits: Limits, refusals: Refusals) -> Iterable[Part]:
    found: list[Part] = []
    try:
        found.extend(tar_parts.parts(store, limits.files))  # list.extend keeps what came before a fault
    except FAULTS as error:
        what_is_left = f"is cut off or damaged ({error}): {len(found):,} members could be found, there may have been more"
        refusals.add(Gap(where, what_is_left, _FETCH))
    return found


def _list_zip(store: Store, where: str, limits: Limits, refusals: Refusals) -> Iterable[Part]:
    try:
        return zip_parts.by_directory(store, limits.files)
    except FAULTS as error:
        return _list_zip_without_directory(store, where, limits, refusals, error)


def _list_zip_without_directory(
    store: Store, where: str, limits: Limits, refusals: Refusals, error: BaseException
) -> Iterable[Part]:
    found = list(zip_parts.by_members(store, limits))
    why = f"is cut off or damaged ({error}): {len(found):,} members could be found, there may have been more"
    refusals.add(Gap(where, why, _FETCH))
    return found


_LISTINGS: dict[Archive, _Listing] = {Archive.TAR: _list_tar, Archive.ZIP: _list_zip}
