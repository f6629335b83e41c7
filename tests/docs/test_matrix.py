"""The matrix of versions writes what ran, and on what."""

import pytest
from tools import matrix
from tools.matrix import MATRIX, Entry, environment, java_version, write

HEAD = (
    "| entry | versions | tests of | outcome | day |\n| --- | --- | --- | --- | --- |"
)


def test_every_spark_is_asked_for_what_the_doctor_says():
    sparks = [one for one in MATRIX if any("pyspark" in name for name in one.packages)]

    assert len(sparks) == 6
    assert all("tests/cli/test_doctor.py" in one.tests for one in sparks)


def test_java_is_the_one_that_spark_would_take(tmp_path, monkeypatch):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"21.0.2\" 2024-01-16' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    assert java_version() == "21.0.2"


def test_what_ran_takes_the_place_of_its_last_row_in_the_order_of_entries(
    tmp_path, monkeypatch
):
    page = tmp_path / "page.md"
    rows = "| newest | some | all | 1 passed | then |\n| oldest | a | b | c | d |"
    page.write_text(f"above\n{matrix.BEGIN}\n{HEAD}\n{rows}\n{matrix.END}\nbelow")
    monkeypatch.setattr(matrix, "PAGE", page)
    monkeypatch.setattr(matrix, "versions", lambda entry: "Python 3.11.7")

    write(Entry("newest", (), (), "tables"), "2 passed")

    before, *lines, after = page.read_text("utf-8").splitlines()
    assert (before, after) == ("above", "below")
    assert lines[3:4] == ["| oldest | a | b | c | d |"]
    assert lines[4].startswith("| newest | Python 3.11.7 | tables | 2 passed | 2")
    assert len(lines) == 6


def test_a_python_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDROW_MATRIX", str(tmp_path))

    with pytest.raises(SystemExit, match=r"some: there is no python2\.0 on the PATH"):
        environment(Entry("some", (), (), "", python="2.0"))
