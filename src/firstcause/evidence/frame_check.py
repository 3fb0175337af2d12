"""Proves the formats: every sample is read by its own format, and by the whole loop as it states."""

from __future__ import annotations

from collections.abc import Iterator

from firstcause.evidence.frame_decode import decode
from firstcause.evidence.framing import frame
from firstcause.knowledge.formats import HEAD, Format, Formats, Sample
from firstcause.model import Line


def disproved(formats: Formats) -> list[str]:
    """One text for each claim of a sample that does not hold."""
    return [text for one in formats.formats for sample in one.samples for text in _wrong(formats, one, sample)]


def _wrong(formats: Formats, one: Format, sample: Sample) -> Iterator[str]:
    place = f"{one.file}: {one.id}: sample {sample.line[:60]!r}"
    first = _first_reader(formats, one, sample.line)
    if first is not one:
        yield f"{place}: is read by {first.id if first else 'no format'}"
    for key, value in _read(frame(sample.line.encode(), 1, 0, formats)).items():
        stated = sample.expected.get(key)
        if value != stated and not (key in _OPTIONAL and stated is None):
            yield f"{place}: {key} is read as {value!r}, stated is {stated!r}"


_OPTIONAL = ("kind", "address")  # may be stated; the others are proven absent where they are not stated


def _first_reader(formats: Formats, one: Format, line: str) -> Format | None:
    if one.kind == "suffix":
        return next((other for other in formats.suffixes if other.regex.search(line[-HEAD:])), None)
    if one.decode:
        decoded = decode(line, formats)
        return decoded[0] if decoded else None
    blanks = len(line) - len(line.lstrip())
    tried = formats.heads(line[blanks : blanks + 1], blanks > 0, inner=False)
    return next((other for other in tried if other.regex.match(line, blanks, blanks + HEAD)), None)


def _read(line: Line) -> dict[str, str | int | None]:
    process = line.process
    return {
        "message": line.message,
        "process": process.label if process else None,
        "pid": process.pid if process else None,
        "kind": process.kind if process else None,
        "address": process.host if process else None,
        "level": line.level,
        "time": line.time,
        "origin": line.origin,
        "host": line.host,
    }
