"""Readers under which evidence can be read again and again, and none can raise or explode."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import cast

from firstcause.evidence.faults import FAULTS
from firstcause.evidence.limits import Account
from firstcause.evidence.refusals import Report
from firstcause.model import Gap

_CUT_OFF = "is cut off"
_FETCH = "fetch it again and compare its size with the original"


class Guarded(io.RawIOBase):
    """Whatever breaks in the stream below, or comes to a limit, ends it and is reported; what came before is given."""

    def __init__(self, start: Callable[[], io.RawIOBase], name: str, account: Account, report: Report) -> None:
        """`start` opens the stream below, at the first read; `name` is what the gap is about."""
        self._start, self._name, self._account, self._report = start, name, account, report
        self._stream: io.RawIOBase | None = None
        self._position = 0
        self._over = False

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: object) -> int:
        """Read on. Never raises over what the evidence holds."""
        target = memoryview(cast(bytearray, buffer)).cast("B")
        try:
            count = 0 if self._over else self._read(target)
        except FAULTS as error:
            return self._end(_told(error), _FETCH)
        self._position += count
        self._account.take(self._position)
        return count

    def _read(self, target: memoryview) -> int:
        if self._stream is None:
            self._stream = self._start()
        limits = self._account.budget.limits
        packed = getattr(self._stream, "packed", None)
        if packed is not None and self._account.explodes(self._position, packed):
            return self._end(f"unpacks to more than {limits.ratio:,} times its size", "look at it before you unpack it")
        room = self._account.room(self._position)
        if room > 0:
            return self._stream.readinto(target[:room]) or 0
        if not self._stream.read(1):
            return 0  # it ends just at the limit: it is whole
        return self._end(self._account.reason(self._position), "give the part that matters as a file of its own")

    def _end(self, why: str, how: str) -> int:
        self._over = True
        many = f"its first {self._position:,} bytes were read, the rest was not"
        self._report(Gap(self._name, f"{why}: {many if self._position else 'nothing of it was read'}", how))
        return 0

    def close(self) -> None:
        """Close it and the stream below."""
        if self._stream is not None:
            self._stream.close()
        super().close()


def _told(error: BaseException) -> str:
    if isinstance(error, EOFError):
        return _CUT_OFF
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be read ({error.strerror})"
    return f"is damaged ({error or type(error).__name__})"
