"""`windrow run` and `windrow explain` on small files, on the session of the run."""

import csv
import io
import json
import time

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from rich.console import Console

import windrow as wr
from windrow.cli import _progress, main

pytestmark = pytest.mark.xdist_group("streaming")

CALLS = """\
ts,caller,len,full name
2024-01-01 00:00:05,ann,120,Ann A
2024-01-01 00:00:40,bob,30,Bob B
2024-01-01 00:01:10,ann,300,Ann C
2024-01-01 00:02:10,ann,45,Ann A
2024-01-01 00:03:10,bob,,Bob B
"""
QUERY = ["--window", "2 minutes", "--every", "1 minute", "--on", "ts", "--by", "caller"]
AGG = ["--agg", "longest=max(len)", "--agg", "n=count()"]


@pytest.fixture
def calls(tmp_path):
    """A CSV file; what is written goes beside it."""
    path = tmp_path / "calls.csv"
    path.write_text(CALLS)
    return path


def expected_rows(calls):
    """The in-process answer, as (caller, start, longest, n)."""
    table = pyarrow.csv.read_csv(calls)
    window = wr.sliding("2 minutes", every="1 minute", on="ts")
    result = wr.aggregate(
        table, window, by="caller", longest=wr.max("len"), n=wr.count()
    )
    return [
        (row["caller"], f"{row['window']['start']}", row["longest"], row["n"])
        for row in result.to_pylist()
    ]


def refused(arguments, capsys):
    code = main([str(one) for one in arguments])
    printed = capsys.readouterr().err
    assert code == 2
    _, hint = printed.splitlines()
    assert hint.startswith("Hint: ")
    return printed


def test_csv_in_and_parquet_out_is_the_in_process_answer(spark, calls, capsys):
    out = calls.parent / "out.parquet"

    code = main(["run", str(calls), *QUERY, *AGG, "--to", str(out), "--hot"])

    assert code == 0
    assert f"wrote {out} (parquet)" in capsys.readouterr().err
    rows = pa.parquet.read_table(out).to_pylist()
    actual = sorted(
        (row["caller"], f"{row['window']['start']:%Y-%m-%d %H:%M:%S}", row["longest"])
        for row in rows
    )
    assert actual == [row[:3] for row in expected_rows(calls)]


def test_a_csv_sink_has_the_window_as_two_columns(spark, calls):
    out = calls.parent / "out.csv"
    where = ["--where", "caller = 'bob' and len is not null"]

    code = main(["run", str(calls), *QUERY, *AGG, *where, "--to", str(out)])

    assert code == 0
    rows = [
        row
        for part in out.glob("*.csv")
        for row in csv.DictReader(part.read_text().splitlines())
    ]
    assert {row["caller"] for row in rows} == {"bob"}
    assert {row["window_start"][11:16] for row in rows} == {"23:59", "00:00"}
    assert {row["window_end"][11:16] for row in rows} == {"00:01", "00:02"}


def test_windows_in_a_list_come_out_under_their_names(spark, calls):
    out = calls.parent / "out.json"
    windows = ["--window", "1 minute", "--window", "1 hour", "--every", "1 minute"]

    code = main(
        ["run", str(calls), *windows, "--on", "ts", "--agg", "n=count()"]
        + ["--to", str(out)]
    )

    assert code == 0
    lines = [
        json.loads(line)
        for part in out.glob("*.json")
        for line in part.read_text().splitlines()
    ]
    assert {line["query"] for line in lines} == {"1 minute", "1 hour"}
    assert sum(line["n"] for line in lines if line["query"] == "1 minute") == 5
    assert sum(line["n"] for line in lines if line["query"] == "1 hour") == 5 * 60


def test_without_a_sink_the_first_rows_are_printed_in_order(spark, calls, capsys):
    code = main(
        ["run", str(calls), "--rows", "2", "--on", "ts", "--by", "caller"]
        + ["--agg", "longest=max(len)", "--agg", "who=arg_max(len, `full name`)"]
    )

    assert code == 0
    actual = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert actual == [
        ["caller", "window_start", "window_end", "longest", "who"],
        ["ann", "0", "2", "300", "Ann", "C"],
        ["ann", "1", "3", "300", "Ann", "C"],
        ["bob", "0", "2", "30", "Bob", "B"],
    ]


class Screen(io.StringIO):
    """What is shown; the first count of tasks makes a file."""

    def __init__(self, counted):
        super().__init__()
        self.counted = counted

    def write(self, text):
        if "/4 tasks" in text:
            self.counted.touch()
        return super().write(text)


def test_on_a_terminal_tasks_are_counted_while_spark_works(
    spark, monkeypatch, tmp_path
):
    counted = tmp_path / "counted"
    screen = Screen(counted)
    monkeypatch.setattr(_progress, "err", Console(file=screen, force_terminal=True))

    def until_counted(_):
        latest = time.monotonic() + 20
        while not counted.exists():
            assert time.monotonic() < latest, "no tasks were counted"
            time.sleep(0.01)

    with _progress.progress(spark, "waiting"):
        spark.range(0, 4, numPartitions=4).foreach(until_counted)

    assert "waiting" in screen.getvalue()
    assert "/4 tasks" in screen.getvalue()


def test_explain_prints_the_plan_in_lightsabers_notation(spark, calls, capsys):
    long = [word.replace("2 minutes", "1 hour") for word in QUERY]

    code = main(["explain", str(calls), *long, *AGG])

    assert code == 0
    words = capsys.readouterr().out
    assert "P→Pane, I→Window" in words
    assert "longest = max(len)" in words


def test_refusals_of_query_and_data_are_two_lines(spark, calls, capsys):
    pretty = calls.parent / "pretty.json"
    pretty.write_text("[\n  3\n]\n")
    run = ["run", calls]
    cases = {
        "did you mean caller?": [*run, *QUERY, "--by", "callr", *AGG],
        "did you mean len?": [*run, *QUERY, "--agg", "m=max(lem)"],
        "there is no such file": ["run", calls.parent / "no.csv", *QUERY, *AGG],
        "not JSON objects": ["run", pretty, *QUERY, *AGG],
        "cannot run the query on": [*run, *QUERY, *AGG, "--where", "len >"],
        "`nobody`": [*run, *QUERY, *AGG, "--where", "nobody = 1"],
        "is of type array": [
            *[*run, *QUERY, "--agg", "all=collect(len)"],
            *["--to", calls.parent / "lists.csv"],
        ],
    }

    actual = {words: refused(arguments, capsys) for words, arguments in cases.items()}

    for words, printed in actual.items():
        assert words in printed
