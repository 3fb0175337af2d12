"""The knowledge is proved by its own examples; the check itself finds every seeded mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from firstcause.check import check
from firstcause.knowledge.catalog import open_catalog
from firstcause.knowledge.page import page

GOOD = """
id = "frob-upside-down"
title = "The frob is upside down"
stack = "vllm"
phase = "startup"
role = "cause"
summary = "The frob of layer {layer} is upside down."
[[signal]]
text = "the frob of layer {layer:int} is upside down"
seen = ["FrobError: the frob of layer 7 is upside down"]
not_seen = ["the frob of every layer is fine"]
[[remedy]]
title = "Turn it"
[[example]]
name = "a start"
expect = "confirmed"
[example.files]
"serve.log" = "FrobError: the frob of layer 7 is upside down"
"""


def user_folder(tmp_path: Path, text: str, name: str = "frob-upside-down") -> Path:
    folder = tmp_path / "mine"
    (folder / "vllm").mkdir(parents=True)
    (folder / "vllm" / f"{name}.toml").write_text(text)
    return folder


def test_the_built_in_knowledge_holds() -> None:
    assert check() == []


def test_a_good_file_of_a_user_passes(tmp_path: Path) -> None:
    assert check([user_folder(tmp_path, GOOD)]) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("title =", "titel =", "titel: is not a key"),
        ('role = "cause"', 'role = "reason"', "role: is 'reason'"),
        ('phase = "startup"', "phase = 3", "phase: is a int"),
        ('id = "frob-upside-down"', 'id = "frob"', "expected the name of the file"),
        ('stack = "vllm"', 'stack = "gpu"', "expected the folder's name"),
        ("{layer:int}", "{layer:number}", "unknown hole type"),
        ("of layer {layer} is", "of layer {leyer} is", "not every signal gives this value"),
        ('seen = ["FrobError: the frob of layer 7', 'seen = ["FrobError: the knob of layer 7', "is not seen in its own text"),
        ("the frob of every layer is fine", "the frob of layer 3 is upside down", "is seen where it must not be"),
        ('[[remedy]]\ntitle = "Turn it"', "", "a cause says what to change"),
        ('summary = "', 'leads_to = ["no-such-thing"]\nsummary = "', "'no-such-thing' is no failure"),
        ('summary = "', 'covers = ["V99"]\nsummary = "', "'V99' is no row"),
        ('expect = "confirmed"', 'expect = "suspected"', "is confirmed; expected suspected"),
        ("[[signal]]\n", '[[signal]]\nduring = ["lunch"]\n', "'lunch' is no phase"),
        ("[[signal]]\n", '[compute]\nx = "__import__(1)"\n[[signal]]\n', "compute.x"),
    ],
)
def test_each_seeded_mistake_is_told(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in GOOD
    problems = check([user_folder(tmp_path, GOOD.replace(old, new, 1))])
    assert any(told in problem for problem in problems), problems


def test_every_failure_has_a_page() -> None:
    catalog = open_catalog()
    for id in catalog:
        text = page(catalog[id])
        assert text.startswith("# ") and "{" not in text.split("\n## How it shows")[0].split("`")[0]
