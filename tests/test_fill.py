"""Texts with holes and arithmetic over values: filled where the value is known, never wrong, never a way into a shell."""

from __future__ import annotations

import math

import pytest

from firstcause.errors import KnowledgeError
from firstcause.model import Value
from firstcause.report.fill import check_expression, computed, fill, fill_command, holes, typed


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{a} and {b|some} and {c}", "1 and some and <c>"),
        ("{{a}} ${HOME} {.items[0]} {'a': 1}", "{a} ${HOME} {.items[0]} {'a': 1}"),
        ("{{{a}}}", "{1}"),
        ("{empty|nothing} {c|}", "nothing "),
        ("{f} {g} {h} {i} {j}", "3.2 131072 0.005 2.5 inf"),
        ("{k}", "1e+300"),
    ],
)
def test_holes_are_filled(template: str, text: str) -> None:
    values: dict[str, Value] = {
        "a": 1,
        "empty": "",
        "f": 3.2000001,
        "g": 131072.0,
        "h": 0.005,
        "i": 2.50,
        "j": math.inf,
        "k": 1e300,
    }
    assert fill(template, values) == text


def test_holes_are_listed_with_their_words() -> None:
    assert holes("{a} {{x}} {b|some words} {c|}") == [("a", None), ("b", "some words"), ("c", "")]


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("serve {m|M}", "acme/chat-8b", "serve acme/chat-8b"),
        ("serve {m|M}", "$(rm -rf ~)", "serve '$(rm -rf ~)'"),
        ("serve {m|M}", "-rf", "serve M"),
        ("serve {m|M}", "--config=x y", "serve M"),
        ("n {m}", "-1", "n -1"),
        ("echo '{m|M}'", "a'; reboot; '", "echo 'M'"),
        ("serve {m|M}", "a\nreboot", "serve M"),
        ("serve {m}", "", "serve <m>"),
    ],
)
def test_no_value_breaks_out_of_a_command(template: str, value: str, text: str) -> None:
    assert fill_command(template, {"m": value}) == text


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ({"flag": "--max-model-len", "value": "8192"}, "--max-model-len 8192"),
        ({"flag": "--enforce-eager"}, "--enforce-eager"),
        ({"env": "A", "value": "x; reboot"}, "A='x; reboot'"),
        ({"env": "A", "value": "<name>"}, "A=<name>"),
        ({"request": "max_tokens", "value": "10"}, "max_tokens: 10"),
        ({}, ""),
    ],
)
def test_a_setting_is_told_as_it_is_typed(setting: dict[str, str], text: str) -> None:
    assert typed(setting) == text


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("floor(free / total * 100 - 1) / 100", 0.42),
        ("-a + 10 % 4 // 2", -1023),
        ("min(a, 5) + max(1, 2) * int(2.9)", 9),
        ("round(free / 3, 2)", 3.48),
        ("round(free) + ceil(0.1)", 11),
        ("0.1 + 0.2", 0.3),
        ("signed", -1500.0),
    ],
)
def test_arithmetic_over_values(expression: str, result: float) -> None:
    values: dict[str, Value] = {"a": "1,024", "free": 10.44, "total": "24", "signed": "-1.5e3"}
    assert computed({"x": expression}, values) == {"x": result}


@pytest.mark.parametrize(
    "expression",
    [
        "a / 0",
        "nobody + 1",
        "word * 2",
        "huge * 2",
        "long + 1",
        "round(a, -1000000000)",
        "round(a, 0.5, 3)",
        "1e308 * 10",
        "a % 0",
    ],
)
def test_what_cannot_be_computed_is_left_out(expression: str) -> None:
    values: dict[str, Value] = {"a": 1, "word": "3.2 GiB", "huge": 10**50, "long": "9" * 60}
    assert computed({"x": expression, "y": "a + 1", "z": "y + 1"}, values) == {"y": 2, "z": 3}


@pytest.mark.parametrize(
    "expression",
    [
        "a ** 2",
        "__import__('os')",
        "a.b",
        "a if b else c",
        "a < b",
        "'x' * 9",
        "min(a, key=b)",
        "min()",
        "True",
        "a +",
        "",
        "a" * 400,
    ],
)
def test_other_syntax_is_refused(expression: str) -> None:
    assert check_expression(expression)
    with pytest.raises(KnowledgeError, match="compute: x"):
        computed({"x": expression}, {})
