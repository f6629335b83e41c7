"""Lines that no test runs are counted by their reasons."""

from tools.missed_lines import (
    COMMANDS,
    REFUSALS,
    REST,
    WORKERS,
    count_reasons,
    refusing_lines,
    write_table,
)

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
    missed = {"cli/demo.py": [4], "spark/worker.py": [4], "spark/sql.py": [4, 9]}

    actual = count_reasons(missed, tmp_path)

    assert actual == {COMMANDS: 1, WORKERS: 1, REFUSALS: 1, REST: 1}


def test_the_table_takes_the_place_of_the_last_one(tmp_path):
    page = tmp_path / "testing.md"
    marks = "<!-- coverage: begin -->old<!-- coverage: end -->"
    page.write_text(f"above {marks} below")

    write_table(page, 97.25, 4_000, count_reasons({}, tmp_path))

    actual = page.read_text()
    assert actual.startswith("above <!-- coverage: begin -->")
    assert "97.2 % of 4,000 statements are run. Of the 0 others" in actual
    assert actual.endswith("<!-- coverage: end --> below")
