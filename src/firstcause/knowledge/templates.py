"""Message templates: a text with typed holes becomes a Hyperscan expression (find) and a Python pattern (capture).

Both work inside one physical line. The find expression has no start-of-match and no bounded repeats, so that a whole
knowledge base compiles in a second; the capture pattern only ever sees the few kilobytes around a hit.
"""

from __future__ import annotations

import re
from functools import lru_cache

from firstcause.knowledge.schema import Signal
from firstcause.model import Value

# type -> (find, capture)
HOLES: dict[str, tuple[str, str]] = {
    "int": (r"-?[0-9][0-9,_]*", r"-?[0-9][0-9,_]*"),
    "float": (r"-?[0-9][0-9.,]*", r"-?[0-9]+(?:\.[0-9]+)?"),
    "word": (r"[^ \t\n\r]+", r"[^ \t\n\r]+?"),
    "path": (r"[^ \t\n\r'\"`]+", r"[^ \t\n\r'\"`]+"),
    "size": (r"[0-9.]+ ?[KMGT]?i?B", r"[0-9.]+ ?[KMGT]?i?B"),
    "version": (r"[0-9]+\.[0-9A-Za-z.+-]+", r"[0-9]+(?:\.[0-9A-Za-z+-]+)+"),
    "hex": (r"0x[0-9a-fA-F]+", r"0x[0-9a-fA-F]+"),
    "text": (r"[^\n]*", r".*?"),
}
_FIRST = {"int": "-?[0-9]", "float": "-?[0-9]", "size": "[0-9]", "version": "[0-9]", "hex": "0x"} | dict.fromkeys(
    ("word", "path"), r"[^ \t\n\r]"
)
_HOLE = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)(?::([a-z]+))?\}")
_QUOTES = {"'": r"""\\*['‘’]""", '"': r"""\\*["“”]""", "`": r"""\\*[`'‘’]"""}
_FIND_QUOTES = {  # Hyperscan reads bytes: a curly quote is three of them
    "'": r"\\*(?:'|\xe2\x80[\x98\x99])",
    '"': r"\\*(?:\"|\xe2\x80[\x9c\x9d])",
    "`": r"\\*(?:`|'|\xe2\x80[\x98\x99])",
}
# what of a regular expression is no literal text: groups, classes, escapes, repeats
_REGEX_SYNTAX = re.compile(r"\(\?P<\w+>|\(\?[:i)]*|\[[^\]]*\]|\\[A-Za-z]|\{\d+(?:,\d*)?\}|[\\()|*+?.^$]")
_NAMED_GROUP = re.compile(r"\(\?P<[A-Za-z_][A-Za-z0-9_]*>")


_OPEN_END = re.compile(r"(?<!\\)(?:\(\?:)?(\.|\\[SwW]|\[\^?[^\[\]\\]+\])([+*])\??\)?$")
_LONGEST_NUMBER = 40  # digits; longer ones are no quantity and stay text


class TemplateError(ValueError):
    """A template or regular expression that cannot be used; the text says why."""


def holes(text: str) -> list[tuple[str, str]]:
    """The (name, type) of each capturing hole of a template, in order."""
    found = [(m[1], m[2] or "text") for m in _HOLE.finditer(text) if m[1]]
    return [(name, kind) for name, kind in found if name != "_"]


def captured_names(signal: Signal) -> frozenset[str]:
    """The names of all values that a signal gives when it is seen."""
    code = frozenset(name for name, _ in holes(signal.code))
    if signal.text:
        return code | {name for name, _ in holes(signal.text)}
    if signal.regex:
        return code | frozenset(re.compile(signal.regex).groupindex)
    return frozenset({"value"})


def find_expression(signal: Signal) -> bytes:
    """The Hyperscan expression that finds the signal; ends are trimmed to what is certain."""
    if signal.regex:
        return _trimmed(_NAMED_GROUP.sub("(?:", signal.regex)).encode()
    parts = _parts(signal.text)
    while parts and parts[0][0] == "text":
        parts.pop(0)
    while parts and parts[-1][0] == "text":
        parts.pop()
    out = [HOLES[kind][0] if kind != "literal" else _literal(value, _FIND_QUOTES) for kind, value in parts]
    if parts and parts[-1][0] != "literal":
        out[-1] = _FIRST[parts[-1][0]]  # one character proves the hole; the rest would only be reported again
    return "".join(out).encode()


def _trimmed(regex: str) -> str:
    """The expression without an open end: `.+` would report every byte up to the end of the line."""
    match = _OPEN_END.search(regex)
    if match is None or match[0].count("(") != match[0].count(")"):
        return regex
    return regex[: match.start()] + (match[1] if match[2] == "+" else "")


@lru_cache(maxsize=4096)
def capture_pattern(text: str, regex: str) -> re.Pattern[str]:
    """The pattern that takes the values out of the line."""
    if regex:
        return re.compile(regex)
    out: list[str] = []
    parts = _parts(text)
    seen: set[str] = set()
    for position, (kind, value) in enumerate(parts):
        if kind == "literal":
            out.append(_literal(value, _QUOTES, r"[ \t]+"))
            continue
        body = HOLES[kind][1]
        if kind in ("text", "word") and position == len(parts) - 1:
            body = body.rstrip("?")  # the last hole takes all there is
        if value == "_":
            out.append(f"(?:{body})")
        elif value in seen:
            out.append(f"(?P={value})")
        else:
            seen.add(value)
            out.append(f"(?P<{value}>{body})")
    return re.compile("".join(out))


def capture(signal: Signal, text: str) -> dict[str, Value] | None:
    """The values of the signal in a line, or None where the line does not hold it."""
    match = capture_pattern(signal.text, signal.regex).search(text)
    if match is None:
        return None
    kinds = dict(holes(signal.text)) if signal.text else {}
    return {name: typed(value, kinds.get(name, "auto")) for name, value in match.groupdict().items() if value is not None}


def typed(text: str, kind: str) -> Value:
    """A captured text as a number where its type says so; text stays text."""
    if kind in ("int", "float") and len(text) > _LONGEST_NUMBER:
        return text.strip()
    if kind == "int" or (kind == "auto" and re.fullmatch(r"-?[0-9]{1,18}", text)):
        return int(text.replace(",", "").replace("_", ""))
    if kind == "float" or (kind == "auto" and re.fullmatch(r"-?[0-9]{1,15}\.[0-9]{1,15}", text)):
        return float(text)
    return text.strip()


@lru_cache(maxsize=8192)
def weight(signal: Signal) -> int:
    """How much a signal asks for: its literal characters, and what it wants of the traceback and the phase."""
    if signal.regex:
        literal = len(_REGEX_SYNTAX.sub("", signal.regex))
    else:
        literal = sum(len(value) for kind, value in _parts(signal.text) if kind == "literal")
    asks = (signal.trace, signal.not_trace, signal.code, signal.during, signal.process)
    return literal + 24 * sum(bool(ask) for ask in asks)


def problem(signal: Signal) -> str | None:
    """Why the signal's pattern may not be used, or None."""
    try:
        if signal.regex:
            re.compile(signal.regex)
            return _regex_problem(signal.regex)
        kinds = [kind for kind, _ in _parts(signal.text) if kind != "literal"]
        capture_pattern(signal.text, "")
    except (TemplateError, re.error) as error:
        return str(error)
    unknown = sorted(set(kinds) - set(HOLES))
    if unknown:
        return f"unknown hole type {unknown[0]!r}; there are {', '.join(HOLES)}"
    literals = [value for kind, value in _parts(signal.text) if kind == "literal"]
    if max((len(value.strip()) for value in literals), default=0) < 6:
        return "needs a literal run of at least six characters"
    return None


def _regex_problem(regex: str) -> str | None:
    if re.search(r"\(\?[=!<](?!P)[=!]?|\\[1-9]|\(\?P=", regex):
        return "lookaround and back-references are not linear-time"
    repeats = [int(m[2] or m[1] or 0) for m in re.finditer(r"\{(\d+)(?:,(\d*))?\}", regex)]
    if any(most > 32 for most in repeats):
        return "bounded repeats above 32 make Hyperscan's compile explode; use * or +"
    if "\n" in regex or r"\n" in regex:
        return "a pattern matches inside one line"
    if re.search(r"\([^()]*[+*][^()]*\)[+*]", regex):
        return "nested quantifiers are not linear-time in the capture"
    return None


def _parts(text: str) -> list[tuple[str, str]]:
    """("literal", text) and (hole type, name) in order; neighbouring literals joined."""
    parts: list[tuple[str, str]] = []
    literal = ""
    position = 0
    for match in _HOLE.finditer(text):
        literal += text[position : match.start()]
        position = match.end()
        if match[1] is None:
            literal += match[0][0]
            continue
        if literal:
            parts.append(("literal", literal))
            literal = ""
        kind = match[2] or "text"
        if kind not in HOLES:
            raise TemplateError(f"unknown hole type {kind!r}; there are {', '.join(HOLES)}")
        parts.append((kind, match[1]))
    literal += text[position:]
    if literal:
        parts.append(("literal", literal))
    return parts


def _literal(text: str, quotes: dict[str, str], blank: str = "") -> str:
    """Literal text as a pattern; `blank` stands for every run of blanks, or they stay as they are."""
    out: list[str] = []
    for piece in re.split(r"([ \t]+|['\"`])", text):
        if not piece:
            continue
        if piece.isspace() and blank:
            out.append(blank)
        else:
            out.append(quotes.get(piece) or re.escape(piece))
    return "".join(out)
