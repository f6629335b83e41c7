"""The back end on a Connect session, against the in-process engine: a script."""

from __future__ import annotations

import sys

from answers import assert_same_rows, rows_of
from pyspark.sql import SparkSession
from scripts import check
from typed import frame_of, table_of

import windrow as wr

TIME = wr.sliding("30 seconds", every="7 seconds", on="at")
LONG = wr.sliding("1300 seconds", every="1 second", on="at")
COUNT = wr.rows(9, every=2, on="at")
NATIVE = {"n": wr.count(), "total": wr.sum("x"), "last": wr.last("y")}
OWN = wr.Aggregate(
    name="own",
    lift=lambda value: value,
    combine=lambda older, newer: older + newer,
    lower=lambda partial: 2 * partial,
    laws="commutative",
)

CHECKS = {
    "native": (TIME, NATIVE, {"by": "key"}),
    "own": (TIME, {"own": OWN("x")}, {"by": "key"}),
    "list": ([TIME, wr.sliding("5 seconds", on="at")], NATIVE, {"by": "key"}),
    "sash": (LONG, NATIVE, {}),
    "count windows, no key": (COUNT, NATIVE, {}),
}


def main() -> None:
    """Every check once; the last says that the session was a Connect one."""
    session = (
        SparkSession.builder.remote("local[2]")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    table = table_of("int", 90)
    frame = frame_of(session, "int", table)

    def compare(window: object, calls: dict[str, object], how: dict[str, object]):
        actual = wr.aggregate(frame, window, aggregates=calls, **how)
        expected = wr.aggregate(table, window, aggregates=calls, **how)
        assert_same_rows(actual, expected)

    for name, (window, calls, how) in CHECKS.items():
        check(name, lambda: compare(window, calls, how))  # noqa: B023 - called at once
    check("over", lambda: over(frame, table))
    check("over, no key", lambda: over(frame, table, by=None))
    check("as_of", lambda: as_of(frame, table))
    check("tiles", lambda: tiles(frame, table))
    check("table function", lambda: table_function(session, frame, table))
    check("explain", lambda: explain(frame))
    check("connect", lambda: connect(frame))
    session.stop()


def over(frame: object, table: object, by: str | None = "key") -> None:
    calls = {
        "minute": wr.sum("x", last="1 minute"),
        "nine": wr.max("x", last=9),
        "before": wr.mean("y", last="5 seconds", closed="left"),
    }
    actual = wr.over(frame, on="at", by=by, **calls)
    expected = wr.over(table, on="at", by=by, **calls)
    assert_same_rows(rows_of(actual), rows_of(expected), named_by=["key", "at"])


def as_of(frame: object, table: object) -> None:
    calls = {"n": wr.count(last="9 seconds"), "ever": wr.sum("x")}
    names = {"at": "then", "key": "key"}
    labels = frame.selectExpr("at as then", "key", "x as own")
    own = table.select([*names, "x"]).rename_columns([*names.values(), "own"])
    order = {"at": "then", "on": "at", "by": "key", "aggregates": calls}
    actual = wr.as_of(labels, frame, **order)
    expected = wr.as_of(own, table, **order)
    assert_same_rows(rows_of(actual), rows_of(expected), named_by=["key", "then"])


def tiles(frame: object, table: object) -> None:
    calls = {"n": wr.count(), "top": wr.max("x"), "many": wr.count_distinct("x")}
    window = wr.sliding("1 minute", every="20 seconds", on="at")
    stored = wr.tiles(frame, every="10 seconds", on="at", by="key", **calls)
    actual = wr.merge_tiles(stored, window)
    expected = wr.aggregate(table, window, by="key", **calls)
    assert_same_rows(actual, expected, named_by=["key", "window"])


def table_function(session: SparkSession, frame: object, table: object) -> None:
    wr.register(session)
    frame.createOrReplaceTempView("numbers")
    actual = session.sql(
        "SELECT * FROM windrow_aggregate(TABLE(numbers), window => '30 seconds', "
        "every => '7 seconds', on => 'at', by => 'key', total => 'sum(x)')"
    )
    expected = wr.aggregate(table, TIME, by="key", total=wr.sum("x"))
    assert_same_rows(actual, expected)


def explain(frame: object) -> None:
    window = wr.sliding("1 minute", every="1 second", on="at")
    text = str(wr.explain(frame, window, by="key", aggregates=NATIVE))
    assert "P→Pane, I→Window" in text, text


def connect(frame: object) -> None:
    assert type(frame).__module__.startswith("pyspark.sql.connect"), type(frame)
    assert "pyspark.sql.classic.dataframe" not in sys.modules


if __name__ == "__main__":
    main()
