"""Tiles: stored, appended, made longer, and merged into what the rows would give."""

from __future__ import annotations

import random
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import menus
import oracles
import windrow as wr
from lanes import in_both_lanes
from strategies import part
from windrow.aggregates import CATALOGUE, Law
from windrow.batch import tiles

STORED = [
    a.name
    for a in CATALOGUE
    if a.in_kernels or (Law.HOLISTIC in a.laws and a.takes == ("value",))
]
DICE = random.Random(17)
N = 400
SECONDS = pa.timestamp("s", "UTC")
PAID = pa.table(
    {
        "ts": pa.array([DICE.randrange(21600) for _ in range(N)], SECONDS),
        "card": [DICE.choice([1, 2, 3]) for _ in range(N)],
        "shop": [DICE.choice("xy") for _ in range(N)],
        "amount": [DICE.choice([None, DICE.randrange(-50, 50)]) for _ in range(N)],
        "share": [DICE.random() for _ in range(N)],
    }
)  # fmt: skip
CALLS = {
    "n": wr.count(), "spend": wr.sum("amount"), "top": wr.max("amount"),
    "mean": wr.mean("share"), "who": wr.arg_max("amount", "shop"),
    "best": wr.max_count("amount"),
    "dev": wr.stddev("share"), "first": wr.first("shop"), "some": wr.count("amount"),
    "shops": wr.collect_distinct("shop"), "many": wr.count_distinct("amount"),
    "all": wr.collect("amount"), "text": wr.concat("shop", separator="+"),
}  # fmt: skip
ORDERED = ["who", "first", "shops", "all", "text"]
HOUR = wr.sliding("1 hour", every="15 minutes", on="ts")


def same(actual, expected):
    assert actual.column_names == expected.column_names
    return not oracles.differences(actual.to_pylist(), expected.to_pylist(), 1e-9)


@pytest.mark.parametrize("name", STORED)
@part(0.5)
@given(data=st.data())
def test_windows_of_tiles_are_those_of_the_rows(name, data):
    call = data.draw(menus.calls(name))
    n = data.draw(st.integers(0, 12))
    columns = {
        "key": data.draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n)),
        "at": data.draw(st.lists(st.integers(-9, 30), min_size=n, max_size=n)),
        **data.draw(menus.columns([call], n)),
    }
    columns["at"].sort()
    table = menus.table_of(columns, {"key": pa.string(), "at": pa.int64()})
    window = wr.sliding(6, every=4, on="at", offset=2)
    cut = data.draw(st.integers(0, n))

    def answers():
        asked = menus.asked(call)
        stored = [
            wr.tiles(part, every=2, on="at", by="key", r=asked)
            for part in (table.slice(0, cut), table.slice(cut))
        ]
        merged = wr.merge_tiles(pa.concat_tables(stored), window, by="key")
        return merged.to_pylist()

    expected = wr.aggregate(table, window, by="key", r=menus.asked(call)).to_pylist()
    assert not oracles.differences(in_both_lanes(answers), expected, 1e-6)


@pytest.mark.parametrize("by", ["card", None, ["card", "shop"], []])
def test_tiles_are_stored_appended_and_merged(tmp_path, by):
    keys = ["card", "shop"]
    days = PAID.slice(0, 150), PAID.slice(150)
    only = [n for n in CALLS if n not in ORDERED] if by in ("card", []) else [*CALLS]
    if len(only) == len(CALLS):  # the order within a tile is that of its rows alone
        ordered = PAID.sort_by("ts")
        days = ordered.slice(0, 150), ordered.slice(150)
    for day, rows in enumerate(days):
        stored = wr.tiles(rows, every="5 minutes", on="ts", by=keys, aggregates=CALLS)
        parquet.write_table(stored, tmp_path / f"{day}.parquet")

    merged = wr.merge_tiles(parquet.read_table(tmp_path), [HOUR], by=by, only=only)

    by = keys if by is None else by
    calls = {name: CALLS[name] for name in only}
    assert same(merged, wr.aggregate(PAID, [HOUR], by=by, aggregates=calls))


@pytest.mark.parametrize("windows", [HOUR, [HOUR, wr.sliding("5 minutes", on="ts")]])
def test_many_tiles_are_merged_in_parts_of_whole_keys(windows):
    keys, ordered = ["card", "shop"], PAID.sort_by("ts")
    stored = wr.tiles(ordered, every="5 minutes", on="ts", by=keys, aggregates=CALLS)

    with (
        mock.patch.object(tiles, "PIECE", 50),
        mock.patch.object(tiles, "in_threads", wraps=tiles.in_threads) as in_threads,
    ):
        merged = wr.merge_tiles(stored, windows)

    assert in_threads.call_args.args[1] > 2
    assert same(merged, wr.aggregate(ordered, windows, by=keys, aggregates=CALLS))


def test_tiles_of_two_kinds_in_one_dictionary_are_refused():
    short, long = (
        wr.tiles(PAID, every=every, on="ts", n=wr.count())
        for every in ("5 minutes", "15 minutes")
    )
    both = pa.concat_tables([short, long]).unify_dictionaries().combine_chunks()

    with pytest.raises(wr.BadInput, match="2 different values"):
        wr.merge_tiles(both, HOUR)

    alone = wr.merge_tiles(both.slice(0, len(short)), HOUR)
    assert alone.equals(wr.merge_tiles(short, HOUR))


@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb"])
def test_other_libraries_keep_what_tiles_are(library):
    module = pytest.importorskip(library)
    stored = wr.tiles(PAID, every="5 minutes", on="ts", by="card", aggregates=CALLS)
    kept = {
        "pandas": lambda: stored.to_pandas(types_mapper=module.ArrowDtype),
        "polars": lambda: module.from_arrow(stored),
        "duckdb": lambda: module.from_arrow(stored).to_arrow_table(),
    }[library]()  # fmt: skip

    merged = wr.merge_tiles(kept, HOUR, by="card", only=["top", "spend"])

    expected = wr.aggregate(
        PAID, HOUR, by="card", top=CALLS["top"], spend=CALLS["spend"]
    )
    table = merged if isinstance(merged, pa.Table) else pa.table(merged)
    assert [row["top"] for row in table.to_pylist()] == expected["top"].to_pylist()
    assert [row["spend"] for row in table.to_pylist()] == expected["spend"].to_pylist()


@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb"])
def test_parquet_written_by_another_library_is_read_as_tiles(library, tmp_path):
    module = pytest.importorskip(library)
    stored = wr.tiles(PAID, every="5 minutes", on="ts", by="card", aggregates=CALLS)
    path = str(tmp_path / "tiles.parquet")
    if library == "pandas":
        kept = stored.to_pandas(types_mapper=module.ArrowDtype)
        kept.to_parquet(path)
        try:
            again = module.read_parquet(path, dtype_backend="pyarrow")
        except TypeError as error:  # pandas 2.2.0
            pytest.skip(f"this pandas does not read a struct that it wrote: {error}")
    elif library == "polars":
        module.from_arrow(stored).write_parquet(path)
        again = module.read_parquet(path)
    else:
        module.from_arrow(stored).write_parquet(path)
        again = module.read_parquet(path).to_arrow_table()

    merged = [wr.merge_tiles(t, HOUR) for t in (again, parquet.read_table(path))]

    expected = wr.aggregate(PAID, HOUR, by="card", aggregates=CALLS)
    for table in merged:
        rows = pa.table(table) if isinstance(table, pa.Table) else table
        if library == "pandas" and table is merged[0]:
            assert len(rows) == len(expected)
            assert list(rows["top"].dropna()) == expected["top"].drop_null().to_pylist()
            continue
        rows = pa.table(rows)
        for name in ("n", "top", "many", "all", "text", "mean"):
            assert oracles.alike(
                rows[name].to_pylist(), expected[name].to_pylist(), 1e-9
            ), name


def test_longer_tiles_of_tiles_are_those_of_the_rows():
    short = wr.tiles(PAID, every="5 minutes", on="ts", by="card", aggregates=CALLS)
    long = wr.tiles(PAID, every="1 hour", on="ts", by="card", aggregates=CALLS)
    windows = wr.sliding("3 hours", every="1 hour", on="ts")

    again = wr.tiles(short, every="1 hour")

    assert again.schema.names == long.schema.names
    assert again["tile"].equals(long["tile"])
    assert same(wr.merge_tiles(again, windows), wr.merge_tiles(long, windows))


def test_tiles_in_any_order_give_the_same_windows():
    stored = wr.tiles(PAID, every="15 minutes", on="ts", by="card", aggregates=CALLS)
    mixed = stored.take(DICE.sample(range(len(stored)), len(stored)))

    actual, in_order = (wr.merge_tiles(tiles, HOUR) for tiles in (mixed, stored))

    assert actual.equals(in_order)
    places = [watch_sorts(lambda t=t: wr.merge_tiles(t, HOUR)) for t in (mixed, stored)]
    assert places == [1, 0]  # tiles that stand in order are not sorted again


def watch_sorts(run):
    """How often tiles are sorted."""
    with mock.patch.object(tiles, "sort_rows", wraps=tiles.sort_rows) as sorts:
        run()
    return sorts.call_count


def test_one_row_of_another_kind_of_tile_is_found_among_all():
    minutes = [
        wr.tiles(PAID, every=f"{m} minutes", on="ts", n=wr.count()) for m in (5, 3)
    ]
    mixed = pa.concat_tables([minutes[0], minutes[1].slice(0, 1)]).combine_chunks()

    with pytest.raises(wr.BadInput, match="tiles"):
        wr.merge_tiles(mixed, HOUR)


def test_tiles_say_in_every_row_what_they_are():
    stored = wr.tiles(PAID, every="5 minutes", on="ts", by="card", spend=CALLS["spend"])

    assert stored.column_names == ["card", "tile", "spend", "tiles"]
    assert [f.name for f in stored.schema.field("spend").type] == [
        "high",
        "low",
        "count",
    ]
    assert len(stored["tiles"].unique()) == 1


OWN = wr.Aggregate(
    name="own", lift=lambda v: v, combine=lambda a, b: a + b, lower=lambda p: p
)
STORED_ONCE = wr.tiles(PAID, every="5 minutes", on="ts", by="card", n=wr.count())
OTHER = wr.tiles(PAID, every="10 minutes", on="ts", by="card", n=wr.count())
LATER = pa.array(['{"format": "windrow tiles 9"}'] * len(STORED_ONCE))
REFUSED = {
    "values and their weights": (
        lambda: wr.tiles(
            PAID, every="5 minutes", on="ts", m=wr.weighted_median("amount", "amount")
        ),
        "more than the values of one column",
    ),
    "windows of parts of tiles": (
        lambda: wr.merge_tiles(STORED_ONCE, wr.sliding("12 minutes", on="ts")),
        "multiples of 5 minutes",
    ),
    "two kinds of tiles": (
        lambda: wr.merge_tiles(pa.concat_tables([STORED_ONCE, OTHER]), HOUR),
        "2 different values",
    ),
    "another version": (
        lambda: wr.merge_tiles(
            STORED_ONCE.set_column(3, "tiles", LATER),
            HOUR,
        ),
        "format is 'windrow tiles 9'",
    ),
    "no tiles": (lambda: wr.merge_tiles(PAID, HOUR), "no column 'tile'"),
    "an order that is lost": (
        lambda: wr.merge_tiles(
            wr.tiles(PAID, every="1 hour", on="ts", by="card", f=wr.first("shop")),
            wr.sliding("1 hour", on="ts"),
            by=[],
        ),
        "goes by the order of rows",
    ),
    "an unknown key": (
        lambda: wr.merge_tiles(STORED_ONCE, HOUR, by="shop"),
        "no key of the tiles",
    ),
    "an unknown aggregate": (
        lambda: wr.merge_tiles(STORED_ONCE, HOUR, only=["m"]),
        "no aggregate of the tiles",
    ),
    "a function in a tile": (
        lambda: wr.tiles(PAID, every="1 hour", on="ts", x=OWN("share")),
        "is an aggregate of your own",
    ),
    "no time": (lambda: wr.tiles(PAID, every="1 hour", n=wr.count()), "no time column"),
    "a missing column": (
        lambda: wr.merge_tiles(STORED_ONCE.drop("n"), HOUR),
        "have a column 'n', and have not",
    ),
    "windows of rows": (
        lambda: wr.merge_tiles(STORED_ONCE, wr.rows(3, on="ts")),
        "tiles are slices of time",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_tiles_cannot_give_is_refused(case):
    build, words = REFUSED[case]

    with pytest.raises(wr.WindrowError, match=words):
        build()


def test_no_rows_make_no_tiles_and_no_windows():
    none = PAID.slice(0, 0)
    stored = wr.tiles(none, every="5 minutes", on="ts", by="card", n=wr.count())

    assert wr.merge_tiles(stored, HOUR).num_rows == 0
