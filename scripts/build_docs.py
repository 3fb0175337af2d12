"""The pages of all failures and the coverage table, from the knowledge itself: docs/failures/*.md and docs/coverage.md."""

from __future__ import annotations

from pathlib import Path

from firstcause.knowledge.catalog import open_catalog
from firstcause.knowledge.coverage import coverage
from firstcause.knowledge.page import page

DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    """Write all pages anew; what has no failure any more goes."""
    catalog = open_catalog()
    folder = DOCS / "failures"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        old.unlink()
    index = ["# Failures\n"]
    for id, outline in catalog.outlines.items():
        (folder / f"{id}.md").write_text(page(catalog[id]), encoding="utf-8")
        index.append(f"* [{outline.title}](failures/{id}.md) · {outline.role} · {outline.stack}")
    (DOCS / "failures.md").write_text("\n".join(index) + "\n", encoding="utf-8")
    rows = ["# Coverage\n", "| row | what | failures |", "|---|---|---|"]
    for row in coverage(catalog.outlines):
        links = ", ".join(f"[{id}](failures/{id}.md)" for id in row.failures)
        rows.append(f"| {row.id} | {row.title} | {links or 'open'} |")
    (DOCS / "coverage.md").write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(f"{len(catalog)} pages in {folder}")


if __name__ == "__main__":
    main()
