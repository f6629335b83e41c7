"""Questions about a table with keys and times, in the words of each library.

    windows   sum, max and count by key for three sliding windows
    over      sum, max and count of each row's last hour, by key

Each library answers in its own form, with what it has that is fastest; `FORMS` make one
form of all answers, so that they can be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

import windrow as wr
from windrow_bench.libraries import load

WINDOWS = (("1h", "5m", 12), ("15m", "1m", 15), ("6h", "30m", 12))
WORDS = {"h": " hours", "m": " minutes"}


def _words(short: str) -> str:
    return short[:-1] + WORDS[short[-1]]


def windrow_windows(table: pa.Table) -> Any:
    """One call, one pass over the rows."""
    windows = [
        wr.sliding(_words(range_), every=_words(slide), on="at", name=range_)
        for range_, slide, _ in WINDOWS
    ]
    return wr.aggregate(
        table,
        windows,
        by="key",
        total=wr.sum("value"),
        most=wr.max("value"),
        n=wr.count(),
    )


def polars_windows(frame: Any) -> Any:
    """group_by_dynamic; the offset lets windows begin before the first row."""
    pl = load("polars")
    return [
        frame.group_by_dynamic(
            "at",
            every=slide,
            period=range_,
            offset=f"-{range_}{slide}",
            group_by="key",
            closed="left",
            start_by="window",
        ).agg(
            total=pl.col("value").sum(),
            most=pl.col("value").max(),
            n=pl.len(),
        )
        for range_, slide, _ in WINDOWS
    ]


def pandas_windows(frame: Any) -> Any:
    """Panes by groupby, a grid of panes and keys, rolling over the grid."""
    pd = load("pandas")
    answers = []
    for _, slide, panes in WINDOWS:
        step = pd.Timedelta(slide.replace("m", "min"))
        pane = frame["at"].dt.floor(step).rename("pane")
        grouped = frame.groupby([pane, "key"])["value"].agg(["sum", "max", "count"])
        grid = grouped.unstack("key")
        first, last = grid.index[0] - (panes - 1) * step, grid.index[-1]
        grid = grid.reindex(pd.date_range(first, last + (panes - 1) * step, freq=step))
        rolling = {
            "total": grid["sum"].rolling(panes, min_periods=1).sum(),
            "most": grid["max"].rolling(panes, min_periods=1).max(),
            "n": grid["count"].rolling(panes, min_periods=1).sum(),
        }
        long = pd.DataFrame(
            {
                name: one.shift(1 - panes).stack(future_stack=True)
                for name, one in rolling.items()
            }
        )
        answers.append(long[long["n"] > 0])
    return answers


def duckdb_windows(connection: Any) -> Any:
    """Panes by group by, each of them once for every window that it is in."""
    return [
        connection.sql(
            f"""
            with panes as (
                select key, time_bucket(interval '{_words(slide)}', "at") as pane,
                    sum(value) as total, max(value) as most, count(*) as n
                from events group by all
            )
            select key, pane - back * interval '{_words(slide)}' as "at",
                sum(total) as total, max(most) as most, sum(n)::bigint as n
            from panes, range({panes}) as slides(back) group by all
            """  # noqa: S608 - our own words
        ).to_arrow_table()
        for _, slide, panes in WINDOWS
    ]


def windrow_over(table: pa.Table) -> Any:
    """Every row with new columns."""
    last = "1 hour"
    return wr.over(
        table,
        on="at",
        by="key",
        total=wr.sum("value", last=last),
        most=wr.max("value", last=last),
        n=wr.count(last=last),
    )


def polars_over(frame: Any) -> Any:
    """Polars' rolling_*_by, over keys."""
    pl = load("polars")
    value, one = pl.col("value"), pl.lit(1.0).alias("one")
    how: dict[str, Any] = {"by": "at", "window_size": "1h", "closed": "both"}
    return frame.with_columns(one).with_columns(
        total=value.rolling_sum_by(**how).over("key"),
        most=value.rolling_max_by(**how).over("key"),
        n=pl.col("one").rolling_sum_by(**how).over("key"),
    )


def pandas_over(frame: Any) -> Any:
    """A time-based rolling within each group."""
    by_time = frame.set_index("at")
    rolling = by_time.groupby("key")["value"].rolling("1h", closed="both")
    return rolling.agg(["sum", "max", "count"])


def duckdb_over(connection: Any) -> Any:
    """A frame by range, within each key."""
    return connection.sql(
        """
        select *, sum(value) over last as total, max(value) over last as most,
            count(*) over last as n
        from events window last as (
            partition by key order by "at"
            range between interval 1 hour preceding and current row
        )
        """
    ).to_arrow_table()


def as_windows(library: str, answer: Any) -> pa.Table:
    """Query, key, start, total, most, n; sorted by the first three."""
    if library == "windrow":
        start = answer.column("window").combine_chunks().field("start")
        parts = [answer.drop_columns("window").append_column("at", start)]
    elif library in {"polars", "duckdb"}:
        parts = [
            _arrow(frame).append_column("query", pa.array([range_] * len(frame)))
            for (range_, *_), frame in zip(WINDOWS, answer, strict=True)
        ]
    else:
        parts = [
            pa.Table.from_pandas(
                frame.rename_axis(["at", "key"]).reset_index().assign(query=range_),
                preserve_index=False,
            )
            for (range_, *_), frame in zip(WINDOWS, answer, strict=True)
        ]
    schema = {"query": pa.string(), "key": pa.int32(), "at": pa.timestamp("us")}
    schema |= {"total": pa.float64(), "most": pa.float64(), "n": pa.int64()}
    plain = [part.select(list(schema)).cast(pa.schema(schema)) for part in parts]
    order = [(name, "ascending") for name in ("query", "key", "at")]
    return pa.concat_tables(plain).sort_by(order)


def _arrow(answer: Any) -> pa.Table:
    return answer if isinstance(answer, pa.Table) else answer.to_arrow()


def as_over(library: str, answer: Any) -> pa.Table:
    """Key, total, most, n in the order of key and time."""
    names = ["key", "at", "total", "most", "n"]
    if library == "pandas":
        answer = answer.reset_index().set_axis(names, axis=1)
        table = pa.Table.from_pandas(answer, preserve_index=False)
    else:
        table = _arrow(answer)
        table = table.select(names).sort_by([("key", "ascending"), ("at", "ascending")])
    schema = {"key": pa.int32(), "at": pa.timestamp("us"), "total": pa.float64()}
    schema |= {"most": pa.float64(), "n": pa.int64()}
    return table.cast(pa.schema(schema))


def own_form(table: pa.Table, library: str) -> Any:
    """What the library's users would hold; Arrow's copy is not kept."""
    if library == "windrow":
        return table
    if library == "polars":
        return load("polars").DataFrame(table)
    if library == "pandas":
        return table.to_pandas(split_blocks=True, self_destruct=True)
    connection = load("duckdb").connect()
    connection.register("given", table)
    connection.execute("create table events as select * from given")
    connection.unregister("given")
    return connection


QUESTIONS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "windows": {
        "windrow": windrow_windows,
        "polars": polars_windows,
        "pandas": pandas_windows,
        "duckdb": duckdb_windows,
    },
    "over": {
        "windrow": windrow_over,
        "polars": polars_over,
        "pandas": pandas_over,
        "duckdb": duckdb_over,
    },
}
FORMS = {"windows": as_windows, "over": as_over}
