"""`windrow run` and `windrow explain` with a text of queries."""

import pyarrow.csv
import pyarrow.parquet
import pytest

import windrow as wr
from windrow.cli import main

pytestmark = pytest.mark.xdist_group("streaming")

CALLS = """\
ts,caller,len
2024-01-01 00:00:05,ann,120
2024-01-01 00:00:40,bob,30
2024-01-01 00:01:10,ann,300
"""
LONGEST = """\
-- the longest call of each caller
select ts, caller, max(len) as longest
from Calls [range 2 minutes slide 1 minute] group by caller
"""
BOTH = f"{LONGEST};\nselect window, count(*) as n from Calls [range 60];"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a file of data, and what texts are written there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "calls.csv").write_text(CALLS)
    (tmp_path / "longest.cql").write_text(LONGEST)
    (tmp_path / "both.cql").write_text(BOTH)
    (tmp_path / "wrong.cql").write_text("select lem\nfrom Calls [range 2 hurs]")
    (tmp_path / "unknown.cql").write_text("select lem from Calls")
    return tmp_path


def calls(folder):
    """The data by its whole path: a running JVM stays in the folder it began in."""
    return ["--from", f"Calls={folder / 'calls.csv'}"]


def refused(arguments, capsys):
    code = main(arguments)
    assert code == 2
    return capsys.readouterr().err


def test_a_text_of_one_query_is_written_to_one_sink(spark, folder, capsys):
    out = folder / "out.parquet"

    code = main(["run", "longest.cql", *calls(folder), "--to", str(out)])

    assert code == 0
    assert f"wrote {out} (parquet)" in capsys.readouterr().err
    actual = pyarrow.parquet.read_table(out)
    assert actual.column_names == ["ts", "caller", "longest"]
    assert sorted(actual["longest"].to_pylist()) == [30, 30, 120, 300, 300]


def test_a_text_of_several_queries_is_written_to_as_many(spark, folder):
    out = folder / "out.csv"

    code = main(["run", "both.cql", *calls(folder), "--to", str(out)])

    assert code == 0
    second = "".join(one.read_text() for one in (folder / "out-2.csv").glob("*.csv"))
    assert (folder / "out-1.csv").is_dir()
    assert "window_start,window_end,n" in second


def test_without_a_sink_each_result_is_printed(spark, folder, capsys):
    code = main(["run", "both.cql", *calls(folder), "--on", "ts"])

    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    assert lines[:3] == [
        ["query", "1"],
        ["ts", "caller", "longest"],
        ["2024-01-01", "00:01:00", "ann", "120"],
    ]
    assert ["query", "2"] in lines
    assert ["window_start", "window_end", "n"] in lines


def test_explain_prints_trees_and_plan(spark, folder, capsys):
    code = main(["explain", "both.cql", *calls(folder)])

    words = capsys.readouterr().out
    assert code == 0
    assert "aggregate max as longest" in words
    assert "pass 2 for query 2" in words
    assert "aggregate on Spark" in words


def test_an_unknown_column_is_shown_with_its_caret(spark, folder, capsys):
    actual = refused(["run", "unknown.cql", *calls(folder)], capsys)

    assert "         ^^^\nHint: did you mean len?" in actual


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["wrong.cql", "--from", "Calls=calls.csv"], "got 'hurs' at line 2, column 21"),
        (["missing.cql", "--from", "Calls=calls.csv"], "no such file or folder"),
        (["longest.cql"], "no stream is given"),
        (["longest.cql", "--from", "Calls"], "not a name, an equals sign and a file"),
        (["longest.cql", "--from", "Calls=none.csv"], "cannot read none.csv"),
        (
            ["longest.cql", "--from", "Calls=calls.csv", "--by", "caller"],
            "use --by with",
        ),
        (["longest.cql", "--from", "Calls=calls.csv", "--stream"], "it is for streams"),
        (
            ["both.cql", "--from", "Calls=calls.csv", "--to", "out"],
            "cannot write out-1",
        ),
        (["calls.csv", "--from", "Calls=calls.csv"], "is no text of queries"),
    ],
)
def test_a_text_is_refused_before_spark_starts(
    arguments, words, folder, monkeypatch, capsys
):
    monkeypatch.setattr("windrow.cli._options.session", None)

    actual = refused(["run", *arguments], capsys)

    assert words in actual
    assert "Hint: " in actual


def test_the_text_is_what_the_library_takes(folder):
    table = pyarrow.csv.read_csv("calls.csv")

    assert wr.cql((folder / "longest.cql").read_text(), Calls=table).num_rows == 5
