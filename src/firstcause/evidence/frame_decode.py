"""Lines that are data (JSON, CSV, logfmt) -> their fields, also when the end of the line is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping

from firstcause.knowledge.formats import Format, Formats

Fields = dict[str, str]

# "message": "first\nsecond"      (the closing quote may be missing)
_PAIR = re.compile(r'"([^"\\]{1,80})"\s{0,8}:\s{0,8}(?:"((?:[^"\\]|\\.)*)|(-?\d{1,30}))')
# level=error msg="could not \"start\"" err=timeout
_LOGFMT = re.compile(r'([A-Za-z_][\w.@/-]{0,80})=(?:"((?:[^"\\]|\\.)*)"?|(\S*))(?:\s|$)')
# ,"field with ""quotes""",  ,field,
_CSV_FIELD = re.compile(r'(?:"((?:[^"]|"")*)"?|([^,"]*))(?:,|$)')
# 2026-01-02T03:04:05.123Z
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,20}$|\d{13}$")
_LEVEL = re.compile(r"(?i)(?:debug|info|notice|warn(?:ing)?|err(?:or)?|critical|fatal|emergency)$")
_STRING_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "/": "/", "b": "", "f": ""}
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_MAX_CSV_FIELDS = 64


def decode(text: str, formats: Formats) -> tuple[Format, Fields] | None:
    """The fields of a line that is data, with the format that reads them so; None: it is no such line."""
    known = [one for one in formats.decoded.get(text[:1], ()) if one.regex.match(text)]
    for name, read in _READERS.items():
        chosen = [one for one in known if one.decode == name]
        if chosen and (data := read(text)) is not None:
            for one in chosen:
                if fields := _fields(data, one):
                    return one, fields
    return None


def _fields(data: Mapping[str, object], one: Format) -> Fields | None:
    """A message alone is no log line: a request or an answer has that too."""
    found = {key: text for key, paths in one.keys.items() if key != "more" and (text := _first(data, paths))}
    if "message" not in found or len(found) < 2:
        return None
    more = (_text(_value(data, path)) for path in one.keys.get("more", ()))
    found["message"] = "\n".join([found["message"], *filter(None, more)])
    return found


def _first(data: Mapping[str, object], paths: Iterable[str]) -> str | None:
    return next((text for path in paths if (text := _text(_value(data, path)))), None)


def _value(data: Mapping[str, object], path: str) -> object:
    if path in data:
        return data[path]
    value: object = data
    for key in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and value and all(isinstance(item, int) and 0 <= item < 256 for item in value):
        return bytes(value).decode("utf-8", errors="replace")  # journald writes text with colours as bytes
    return None


def _read_json(text: str) -> Mapping[str, object] | None:
    text = text.strip().rstrip(",")  # a line of an exported list ends in a comma
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return _read_pairs(text)
    return data if isinstance(data, dict) else None


def _read_pairs(text: str) -> Mapping[str, object] | None:
    """What can be told of JSON that was cut off: its pairs, wherever they stand."""
    pairs: dict[str, object] = {}
    for match in _PAIR.finditer(text):
        pairs.setdefault(match[1], _unescape(match[2]) if match[2] is not None else match[3])
    return pairs or None


def _read_logfmt(text: str) -> Mapping[str, object] | None:
    pairs: dict[str, object] = {}
    for match in _LOGFMT.finditer(text):
        pairs.setdefault(match[1], _unescape(match[2]) if match[2] is not None else match[3])
    return pairs or None


def _read_csv(text: str) -> Mapping[str, object] | None:
    """An export names its columns in the first line only: what a field is, it must say itself."""
    fields: list[str] = []
    position = 0
    while position < len(text) and len(fields) < _MAX_CSV_FIELDS and (match := _CSV_FIELD.match(text, position)):
        fields.append(match[1].replace('""', '"') if match[1] is not None else match[2])
        position = max(match.end(), position + 1)
    time = next((one for one in fields if _TIME.match(one)), None)
    level = next((one for one in fields if _LEVEL.match(one)), None)
    rest = [one for one in fields if one and one not in (time, level)]
    if time is None or not rest:
        return None
    return {"time": time, "level": level, "message": max(rest, key=len)}


def _unescape(text: str) -> str:
    return _ESCAPED.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 5:
        return chr(int(code[1:], 16)) if not 0xD800 <= int(code[1:], 16) <= 0xDFFF else "�"
    return _STRING_ESCAPES.get(code, code)


_READERS: dict[str, Callable[[str], Mapping[str, object] | None]] = {
    "json": _read_json,
    "csv": _read_csv,
    "logfmt": _read_logfmt,
}
