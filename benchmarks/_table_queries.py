"""One library answering one question about a table, in a process of its own.

    answer("polars", "windows", "IN.arrow", "OUT.arrow")

gives seconds, and resident memory (bytes) before the input is loaded, after, and at
its highest during the question.  The answer goes to OUT.arrow when the clock has
stopped.

    windows   sum, max and count by key for three sliding windows
    over      sum, max and count of each row's last hour, by key
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

import windrow as wr

from . import workloads

WINDOWS = (("1h", "5m", 12), ("15m", "1m", 15), ("6h", "30m", 12))
WORDS = {"h": " hours", "m": " minutes"}
WARM_ROWS = 1_000


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


def polars_windows(frame: pl.DataFrame) -> Any:
    """group_by_dynamic; the offset lets windows begin before the first row."""
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


def pandas_windows(frame: pd.DataFrame) -> Any:
    """Panes by groupby, a grid of panes and keys, rolling over the grid."""
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


def polars_over(frame: pl.DataFrame) -> Any:
    """Polars' rolling_*_by, over keys."""
    value, one = pl.col("value"), pl.lit(1.0).alias("one")
    how: dict[str, Any] = {"by": "at", "window_size": "1h", "closed": "both"}
    return frame.with_columns(one).with_columns(
        total=value.rolling_sum_by(**how).over("key"),
        most=value.rolling_max_by(**how).over("key"),
        n=pl.col("one").rolling_sum_by(**how).over("key"),
    )


def pandas_over(frame: pd.DataFrame) -> Any:
    """A time-based rolling within each group."""
    by_time = frame.set_index("at")
    rolling = by_time.groupby("key")["value"].rolling("1h", closed="both")
    return rolling.agg(["sum", "max", "count"])


def as_windows(library: str, answer: Any) -> pa.Table:
    """Query, key, start, total, most, n; sorted by the first three."""
    if library == "windrow":
        start = answer.column("window").combine_chunks().field("start")
        parts = [answer.drop_columns("window").append_column("at", start)]
    elif library == "polars":
        parts = [
            frame.to_arrow().append_column("query", pa.array([range_] * len(frame)))
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


def as_over(library: str, answer: Any) -> pa.Table:
    """Key, total, most, n in the order of key and time."""
    names = ["key", "at", "total", "most", "n"]
    if library == "pandas":
        answer = answer.reset_index().set_axis(names, axis=1)
        table = pa.Table.from_pandas(answer, preserve_index=False)
    else:
        table = answer if library == "windrow" else answer.to_arrow()
        table = table.select(names).sort_by([("key", "ascending"), ("at", "ascending")])
    schema = {"key": pa.int32(), "at": pa.timestamp("us"), "total": pa.float64()}
    schema |= {"most": pa.float64(), "n": pa.int64()}
    return table.cast(pa.schema(schema))


QUESTIONS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "windows": {
        "windrow": windrow_windows,
        "polars": polars_windows,
        "pandas": pandas_windows,
    },
    "over": {"windrow": windrow_over, "polars": polars_over, "pandas": pandas_over},
}
FORMS = {"windows": as_windows, "over": as_over}


def load(path: str | Path, library: str) -> Any:
    """The file in the library's own form."""
    with pa.OSFile(str(path)) as file:
        return own_form(pa.ipc.open_file(file).read_all(), library)


def own_form(table: pa.Table, library: str) -> Any:
    """What the library's users would hold; Arrow's copy is not kept."""
    if library == "windrow":
        return table
    if library == "polars":
        return pl.DataFrame(table)
    return table.to_pandas(split_blocks=True, self_destruct=True)


def memory(field: str) -> int:
    """VmRSS (now) or VmHWM (the highest since `forget_peak`), in bytes."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    lines = status.read_text("utf-8").splitlines()
    return next(int(one.split()[1]) for one in lines if one.startswith(field)) * 1024


def forget_peak() -> None:
    """Let the highest resident size begin anew at the present one (Linux)."""
    Path("/proc/self/clear_refs").write_text("5", "utf-8")


def answer(
    library: str, question: str, source: str | Path, target: str | Path
) -> dict[str, float]:
    """Warm up on a few rows, load, ask, and only then write the answer."""
    ask = QUESTIONS[question][library]
    ask(own_form(workloads.events(WARM_ROWS), library))
    before = memory("VmRSS")
    given = load(source, library)
    loaded = memory("VmRSS")
    forget_peak()
    start = time.perf_counter()
    result = ask(given)
    seconds = time.perf_counter() - start
    peak = memory("VmHWM")
    table = FORMS[question](library, result)
    with (
        pa.OSFile(str(target), "wb") as file,
        pa.ipc.new_file(file, table.schema) as out,
    ):
        out.write_table(table)
    return {"seconds": seconds, "before": before, "loaded": loaded, "peak": peak}
