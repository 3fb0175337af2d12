"""Hostile archives and hostile defects: what is refused is told, nothing is written, nothing of ours breaks the flow."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from firstcause.knowledge.catalog import Catalog, open_catalog
from firstcause.observe.observer import Observer
from firstcause.pipeline import Outcome, Request, run

EXAMPLE = Path(__file__).parent.parent / "examples" / "failed-start.log"


@pytest.fixture(scope="module")
def catalog(cache: Path) -> Catalog:
    return open_catalog()


def diagnosed(path: Path, catalog: Catalog) -> Outcome:
    before = sorted(path.parent.parent.rglob("*"))
    outcome = run(Request([str(path)]), catalog)
    assert sorted(path.parent.parent.rglob("*")) == before, "something was written"
    return outcome


def test_a_member_with_a_path_out_of_the_archive_is_never_written(tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(tmp_path / "in" / "a.zip", "w") as archive:
        archive.writestr("../../escaped.log", EXAMPLE.read_text())
    diagnosed(tmp_path / "in" / "a.zip", catalog)


def test_links_and_devices_of_a_tar_are_gaps(tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "in").mkdir()
    with tarfile.open(tmp_path / "in" / "a.tar", "w") as archive:
        for name, kind in (("link.log", tarfile.SYMTYPE), ("hard.log", tarfile.LNKTYPE), ("dev.log", tarfile.CHRTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
    outcome = diagnosed(tmp_path / "in" / "a.tar", catalog)
    assert outcome.read == 0
    assert "root:" not in json.dumps(outcome.report)
    assert outcome.report["gaps"]


@pytest.mark.parametrize("nested", [False, True])
def test_a_bomb_ends_at_its_limit_with_a_gap(tmp_path: Path, catalog: Catalog, nested: bool) -> None:
    (tmp_path / "in").mkdir()
    data = gzip.compress(b"a" * (80 << 20), 9)
    path = tmp_path / "in" / "a.log.gz"
    path.write_bytes(gzip.compress(data, 9) if nested else data)
    assert any("times its size" in gap["why"] for gap in diagnosed(path, catalog).report["gaps"])


def test_a_mistake_of_ours_becomes_a_gap_and_the_next_lines_are_read(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    read: Any = Observer._read
    broken: list[bool] = []

    def breaks_once(*arguments: Any) -> bool:
        if not broken:
            broken.append(True)
            raise ZeroDivisionError("ours")
        return bool(read(*arguments))

    monkeypatch.setattr(Observer, "_read", breaks_once)
    report = run(Request(["-"], stdin=io.BytesIO(EXAMPLE.read_bytes())), catalog).report
    assert report["causes"][0]["id"] == "kv-blocks-override-too-small"
    assert [gap for gap in report["gaps"] if "firstcause itself broke (ZeroDivisionError: ours" in gap["why"]]
