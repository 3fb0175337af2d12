"""Texts of the knowledge with the values of this evidence: holes are filled, arithmetic over values is computed."""

from __future__ import annotations

import ast
import math
import operator
import re
import shlex
from collections.abc import Callable, Mapping

from firstcause.errors import KnowledgeError
from firstcause.model import Value

Number = int | float

# "{needed_gib}", "{estimated_max|8192}", "{{", "}}"; "${HOME}" and "{.items[0]}" are no holes
_HOLE = re.compile(r"\{\{|\}\}|(?<!\$)\{([a-z_][a-z0-9_]*)(?:\|([^{}]*))?\}")
_NUMBER = re.compile(r"[+-]?(?:\d[\d,]*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_TYPED = re.compile(r"(?:[A-Za-z0-9_@%+=:,./-]|<[a-z_ ]{1,40}>)*")  # "<name>" stands where a value is not known
_LONGEST_EXPRESSION = 300
_LONGEST_NUMBER = 40  # characters; longer ones are no quantity of a serving stack

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def _round(number: Number, digits: Number = 0) -> Number:
    """`round` that cannot be made slow: on an int, round(x, -10**9) computes a power of that size."""
    if abs(digits) > 15:
        raise ValueError("too many digits")
    return round(number, int(digits)) if digits else round(number)


_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "min": min,
    "max": max,
    "round": _round,
    "floor": math.floor,
    "ceil": math.ceil,
    "int": int,
}


def fill(template: str, values: Mapping[str, Value]) -> str:
    """The text with its holes filled: the value, else the words after the bar, else `<name>`; never raises."""
    return _filled(template, lambda name, _: _shown(values.get(name)))


def fill_command(template: str, values: Mapping[str, Value]) -> str:
    """`fill` for a text that is pasted into a shell: a value from the evidence stays one word and starts no option.

    Inside quotes of the template only plain values are taken; others count as not known.
    """

    def word(name: str, before: str) -> str:
        text = _shown(values.get(name))
        if _PLAIN.fullmatch(text) and not re.match(r"-\D", text):
            return text
        quoted = before.count("'") % 2 or before.count('"') % 2
        return "" if quoted or text[:1] in ("", "-") or not text.isprintable() else shlex.quote(text)

    return _filled(template, word)


def typed(setting: Mapping[str, str]) -> str:
    """What a remedy sets, as it is typed: "--max-model-len 8192", "NAME=value", "field: value"; "" for nothing."""
    kind = next((kind for kind in ("flag", "env", "field", "request") if kind in setting), None)
    if kind is None:
        return ""
    value = setting.get("value", "")
    if kind in ("field", "request"):
        return f"{setting[kind]}: {value}"
    word = value if _TYPED.fullmatch(value) else shlex.quote(value)
    return f"{setting[kind]}={word}" if kind == "env" else f"{setting[kind]} {word}".strip()


def holes(template: str) -> list[tuple[str, str | None]]:
    """Name and fallback words of every hole, in order; None where the hole has no fallback."""
    return [(match[1], match[2]) for match in _HOLE.finditer(template) if match[1]]


def computed(expressions: Mapping[str, str], values: Mapping[str, Value]) -> dict[str, Value]:
    """The values of the expressions, each of which may use those before it; what cannot be computed is left out.

    Raises KnowledgeError for an expression that is not allowed.
    """
    known = {name: number for name, value in values.items() if (number := _number(value)) is not None}
    results: dict[str, Value] = {}
    for name, text in expressions.items():
        if wrong := check_expression(text):
            raise KnowledgeError("compute", name, wrong)
        try:
            result = _value(ast.parse(text, mode="eval").body, known)
            if not math.isfinite(result):
                continue
        except (ArithmeticError, KeyError, TypeError, ValueError):
            continue
        known[name] = results[name] = round(result, 6) if isinstance(result, float) else result
    return results


def check_expression(text: str) -> str | None:
    """What is wrong with an expression, or None: numbers, names, + - * / // %, minus, and a few functions are allowed."""
    if len(text) > _LONGEST_EXPRESSION:
        return f"is longer than {_LONGEST_EXPRESSION} characters"
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"{text!r} is no expression; expected arithmetic over values"
    return _wrong(tree)


def _wrong(node: ast.expr) -> str | None:
    parts = _parts(node)
    if parts is None:
        allowed = f"+ - * / // %, {', '.join(_FUNCTIONS)}, numbers and names"
        return f"{ast.unparse(node)!r} is not allowed; expected only {allowed}"
    return next((wrong for part in parts if (wrong := _wrong(part))), None)


def _parts(node: ast.expr) -> list[ast.expr] | None:
    """The operands of an allowed node; None for one that is not allowed."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return []
        case ast.Name():
            return []
        case ast.BinOp(left, op, right) if type(op) in _BINARY:
            return [left, right]
        case ast.UnaryOp(ast.USub(), operand):
            return [operand]
        case ast.Call(ast.Name(name), arguments, []) if name in _FUNCTIONS and arguments:
            return arguments
    return None


def _value(node: ast.expr, known: Mapping[str, Number]) -> Number:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(name):
            return known[name]
        case ast.BinOp(left, op, right):
            return _BINARY[type(op)](_value(left, known), _value(right, known))
        case ast.UnaryOp(_, operand):
            return -_value(operand, known)
        case ast.Call(ast.Name(name), arguments):
            return _FUNCTIONS[name](*(_value(argument, known) for argument in arguments))
    raise TypeError(type(node).__name__)  # pragma: no cover — check_expression has refused it


def _number(value: Value) -> Number | None:
    """The value as a number: "1,024" is one, "3.2 GiB" is none."""
    if isinstance(value, int | float):
        return value if abs(value) < 1e40 else None
    text = value.strip()
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return None
    text = text.replace(",", "")
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def _filled(template: str, value: Callable[[str, str], str]) -> str:
    """The template with `value(name, text before the hole)` in its holes; an empty value is not known."""

    def replacement(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        return value(match[1], template[: match.start()]) or (match[2] if match[2] is not None else f"<{match[1]}>")

    return _HOLE.sub(replacement, template)


def _shown(value: Value | None) -> str:
    """A value as a person writes it: no more decimals than say something."""
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value) or abs(value) >= 1e15:
        return str(value)
    text = f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
