"""Runs in an environment that has the wheel alone: one call of each kind."""

import datetime as dt
import importlib.util
import sys

import pyarrow as pa

import windrow as wr


def main():
    assert "site-packages" in wr.__file__, wr.__file__
    for absent in ("pandas", "polars", "pyspark", "sqlglot", "rich", "typer"):
        assert importlib.util.find_spec(absent) is None, absent

    keys, values = ["a", "b", "a", "a"], [1.0, 2.0, 4.0, 8.0]
    table = pa.table({"at": [1, 2, 5, 9], "key": keys, "x": values})
    window = wr.sliding(4, every=2, on="at")
    windows(table)
    sums = wr.aggregate(table, window, by="key", total=wr.sum("x"))
    assert sums["total"].to_pylist() == [1.0, 1.0, 4.0, 4.0, 8.0, 8.0, 2.0, 2.0], sums
    rolling = wr.over(table, on="at", by="key", total=wr.sum("x", last=2))
    assert rolling["total"].to_pylist() == [1.0, 2.0, 5.0, 12.0], rolling
    tops = wr.slide(table["x"].to_numpy(), wr.rows(2), "max")
    assert tops.tolist() == [2.0, 4.0, 8.0]
    operator = wr.Operator(wr.rows(2), wr.max())
    for value in (3.0, 1.0, 2.0):
        operator.insert(value)
    assert operator.query() == 2.0
    labels = pa.table({"when": [5, 10], "key": ["a", "a"]})
    train = wr.as_of(labels, table, at="when", on="at", by="key", n=wr.count(last=8))
    assert train["n"].to_pylist() == [1, 3], train
    features = wr.features(on="at", by="key", n=wr.count(last=8))
    features.save("features.toml")
    for same in (features, wr.read_features("features.toml")):
        assert wr.as_of(labels, table, same, at="when").equals(train), same
    tiles = wr.tiles(table, every=2, on="at", by="key", total=wr.sum("x"))
    assert wr.merge_tiles(tiles, window, by="key").equals(sums)
    assert "total" in str(wr.explain(table, window, by="key", total=wr.sum("x")))
    assert wr.algorithms() is not None
    try:
        wr.cql("select sum(x) from t [rows 2]", t=table)
    except wr.WindrowError as error:
        hint = str(error)
    if "pip install 'pywindrow[cql]'" not in hint:
        sys.exit(f"a text without its parser: {hint}")


def windows(table):
    """Windows of every other kind."""
    listed = [wr.rows(2, name="two"), wr.rows(3, name="three")]
    lists = wr.aggregate(table, listed, total=wr.sum("x"))
    assert lists["query"].to_pylist() == ["two"] * 3 + ["three"] * 2, lists
    assert lists["total"].to_pylist() == [3.0, 6.0, 12.0, 7.0, 14.0], lists

    runs = pa.table({"start": [1, 7], "end": [4, 12]})
    lasting = wr.sliding(10, every=5, span=("start", "end"))
    counts = wr.aggregate(runs, lasting, n=wr.count())
    assert counts["n"].to_pylist() == [1, 2, 1, 1], counts

    new_year = dt.datetime(2023, 12, 31, 23, tzinfo=dt.UTC)  # midnight in Berlin
    nights = pa.table({"ts": [new_year - dt.timedelta(seconds=1), new_year]})
    month = wr.calendar("1 month", on="ts", tz="Europe/Berlin")
    months = wr.aggregate(nights, month, n=wr.count())
    assert months["n"].to_pylist() == [1, 1], months

    moved = wr.window(evict=wr.delta("x", 3), trigger=2)
    policies = wr.aggregate(table, moved, total=wr.sum("x"))
    assert policies["total"].to_pylist() == [3.0, 8.0], policies


if __name__ == "__main__":
    main()
