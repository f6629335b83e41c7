"""The docs say what the code says: generated tables, links and names of files."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def _tables():
    spec = importlib.util.spec_from_file_location(
        "tables", ROOT / "tools" / "tables.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tables = _tables()


def _write_fresh_pages(folder):
    for name in tables.FILES:
        (folder / name).parent.mkdir(exist_ok=True)
        fresh = tables.filled((ROOT / name).read_text("utf-8"))
        (folder / name).write_text(fresh, "utf-8")


def test_generated_tables_are_fresh():
    actual = tables.stale()

    assert actual == [], "run make docs"


@pytest.mark.parametrize("name", tables.FILES)
def test_a_table_changed_by_hand_makes_the_page_stale(name, tmp_path):
    _write_fresh_pages(tmp_path)
    page = tmp_path / name
    foot = "\n\n<!-- end of table"
    text = page.read_text("utf-8").replace(foot, f" by hand{foot}", 1)
    page.write_text(text, "utf-8")

    actual = tables.stale(tmp_path)

    assert actual == [name]


def test_words_outside_the_marks_are_left_alone():
    text = "before <!-- table: slicers -->\nold\n<!-- end of table: slicers --> after"

    actual = tables.filled(text)

    assert actual.startswith("before <!-- table: slicers -->\n")
    assert actual.endswith("<!-- end of table: slicers --> after")
    assert "`panes`" in actual
    assert "old" not in actual


def test_every_table_is_shown_on_some_page():
    shown = {
        found["name"]
        for page in PAGES
        for found in tables.MARKED.finditer(page.read_text("utf-8"))
    }

    assert shown == set(tables.TABLES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_exist(page):
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text("utf-8"))

    missing = [target for target in targets if not (page.parent / target).exists()]

    assert set(missing) <= {"bench/report.html"}  # make docs draws it


@pytest.mark.parametrize("page", ["architecture.md", "adding.md"])
def test_files_named_for_developers_exist(page):
    text = (ROOT / "docs" / page).read_text("utf-8")
    named = set(re.findall(r"\b((?:\w+/)*\w+\.py)\b", text))
    named -= {"src/windrow/aggregates/root_mean_square.py"}  # the one to be added
    folders = [
        ROOT,
        ROOT / "src",
        ROOT / "src/windrow",
        ROOT / "src/windrow/algorithms",
    ]

    missing = [name for name in named if not any((f / name).exists() for f in folders)]

    assert missing == []
