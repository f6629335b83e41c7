"""Lines that no test runs are listed and counted by their reasons."""

import json
import re
from pathlib import Path

import pytest
from tools.coverage import report
from tools.missed_lines import (
    COMMANDS,
    REASONS,
    REFUSALS,
    REST,
    WORKERS,
    MissedLines,
    count_reasons,
    list_reasons,
    read_list,
    refusing_lines,
    write_list,
    write_table,
)

ROOT = Path(__file__).resolve().parents[2]

SOURCE = """\
def read(text):
    if not text:
        hint = "give one"
        raise ValueError(hint)
    try:
        return int(text)
    except ValueError as error:
        raise TypeError from error
    return None
"""


def test_what_is_said_before_a_raise_belongs_to_the_refusal():
    actual = refusing_lines(SOURCE)

    assert actual == {3, 4, 7, 8}


def test_a_file_tells_the_reason_before_its_lines_do(tmp_path):
    (tmp_path / "cli").mkdir()
    (tmp_path / "spark").mkdir()
    for name in ("cli/demo.py", "spark/worker.py", "spark/sql.py"):
        (tmp_path / name).write_text(SOURCE)
    missed = {"spark/worker.py": [4], "spark/sql.py": [4, 9], "cli/demo.py": [4, 9]}

    actual = list_reasons(missed, tmp_path)

    assert actual == [
        MissedLines("cli/demo.py", 2, COMMANDS),
        MissedLines("spark/sql.py", 1, REFUSALS),
        MissedLines("spark/sql.py", 1, REST, "read"),
        MissedLines("spark/worker.py", 1, WORKERS),
    ]


def test_a_rare_branch_is_named_by_the_functions_it_stands_in(tmp_path):
    lines = ["import a", "class C:", "    def f(self):", "        def g():"]
    lines += ["            b()", "        c()", "def h():", "    d()"]
    (tmp_path / "some.py").write_text("\n".join(lines))

    (actual,) = list_reasons({"some.py": [1, 5, 6, 8]}, tmp_path)

    assert actual.where == "module C.f.g C.f h"


def test_the_list_is_read_as_it_was_written(tmp_path):
    listed = [MissedLines("a.py", 2, REST, "f C.g"), MissedLines("b.py", 1, REFUSALS)]

    write_list(tmp_path / "list.csv", listed)

    assert read_list(tmp_path / "list.csv") == listed


def test_the_table_takes_the_place_of_the_last_one(tmp_path):
    page = tmp_path / "testing.md"
    marks = "<!-- coverage: begin -->old<!-- coverage: end -->"
    page.write_text(f"above {marks} below")

    write_table(page, 97.25, 4_000, count_reasons([]))

    actual = page.read_text()
    assert actual.startswith("above <!-- coverage: begin -->")
    assert "97.2 % of 4,000 statements are run. Of the 0 others" in actual
    assert actual.endswith("<!-- coverage: end --> below")


def test_a_report_writes_the_list_and_its_sums(tmp_path):
    for folder in ("coverage", "docs", "src/windrow/cli"):
        (tmp_path / folder).mkdir(parents=True)
    missed = {"src/windrow/one.py": [3, 4, 9], "src/windrow/cli/two.py": [9]}
    files = {
        name: {
            "summary": {
                "percent_covered": 100 - len(lines),
                "num_statements": 9,
                "missing_lines": len(lines),
            },
            "missing_lines": lines,
        }
        for name, lines in missed.items()
    }
    for name in missed:
        (tmp_path / name).write_text(SOURCE)
    (tmp_path / "coverage" / "coverage.json").write_text(json.dumps({"files": files}))
    page = tmp_path / "docs" / "testing.md"
    page.write_text("<!-- coverage: begin --><!-- coverage: end -->")

    share = report(tmp_path)

    listed = read_list(tmp_path / "docs" / "missed-lines.csv")
    assert share == pytest.approx(100 * 14 / 18)
    assert [tuple(one) for one in listed] == [
        ("cli/two.py", 1, COMMANDS, ""),
        ("one.py", 2, REFUSALS, ""),
        ("one.py", 1, REST, "read"),
    ]
    assert _sums(page) == {COMMANDS: 1, REFUSALS: 2, REST: 1}
    assert "(missed-lines.csv)" in page.read_text()


def test_the_list_in_git_is_of_files_that_there_are_and_has_the_sums_of_the_page():
    path = ROOT / "docs" / "missed-lines.csv"
    if not path.exists():
        pytest.skip("make coverage has not written the list yet")
    listed = read_list(path)

    lost = [one for one in listed if not (ROOT / "src/windrow" / one.file).exists()]
    nameless = [one for one in listed if one.reason == REST and not one.where]

    assert not lost
    assert not nameless
    assert _sums(ROOT / "docs" / "testing.md") == dict(count_reasons(listed))


def _sums(page):
    """The sums of the page by reason, without those that are none."""
    rows = re.findall(
        r"^\| ([\d,]+) \| (.*) \|$", page.read_text("utf-8"), re.MULTILINE
    )
    sums = {reason: int(number.replace(",", "")) for number, reason in rows}
    assert set(sums) == set(REASONS)
    return {reason: number for reason, number in sums.items() if number}
