"""The papers' queries run over the generated tables, as they run over the examples'."""

import re
from pathlib import Path

import pytest

import windrow as wr
from windrow_bench import data

FIXTURES = Path(__file__).parents[2] / "query" / "fixtures"
STREAMS = {
    "cm1": ("TaskEvents", "google_cluster", 4_000),
    "cm2": ("TaskEvents", "google_cluster", 4_000),
    "lrb1": ("PosSpeedStr", "linear_road", 4_000),
    "lrb2": ("PosSpeedStr", "linear_road", 4_000),
    "sg1": ("SmartGridStr", "debs14", 4_000),
    "sg2": ("SmartGridStr", "debs14", 4_000),
    "sm": ("Readings", "debs12", 1_000),
    "ysb": ("Events", "yahoo", 4_000),
}


def query_of(name):
    """The text of a fixture's first query."""
    text = (FIXTURES / f"{name}.cql").read_text("utf-8")
    return re.sub(r"(?m)^--.*\n?", "", text).split(";")[0]


@pytest.mark.parametrize("name", STREAMS)
def test_the_queries_of_the_fixtures_give_rows(name):
    stream, dataset, rows = STREAMS[name]
    table = data.table(dataset, rows, seed=7)
    tables = {stream: table.rename_columns(["timestamp", *table.column_names[1:]])}
    if name == "ysb":
        tables["Campaigns"] = data.yahoo.campaigns(7)

    answer = wr.cql(query_of(name), **tables)

    assert answer.num_rows > 0


def test_calls_are_counted_in_every_window_that_they_overlap():
    calls = data.table("ss7", 20_000, seed=7)
    window = wr.sliding("15 seconds", every="5 seconds", span=("start", "end"))

    answer = wr.aggregate(calls, window, n=wr.count(), longest=wr.max("len"))

    assert sum(answer["n"].to_pylist()) > 3 * calls.num_rows
    assert max(answer["longest"].to_pylist()) == max(calls["len"].to_pylist())
