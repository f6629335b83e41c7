"""Runs LightSaber's queries with windrow and with Spark's own windows, side by side.

    python -m examples.lightsaber [NAME ...] [--rows N] [--data [DIR]]

NAME is a query (CM1, CM2, SG1, SG2, LRB1, LRB2, YSB, SM) or its beginning: `SG` is
both of that workload.  Without --data rows are generated; with it they are read from
the samples in DIR, or in the folder that WINDROW_DATASETS names.

Both forms read the same Parquet file, run once on a few rows to warm up, and are then
timed until their answer has arrived in this process.  Spark's own form copies each row
into every window that holds it.  Where that makes more than 60 million copies it gets
the first rows only: the table says how many, and ratio and equality are of those.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from rich.console import Console
from rich.table import Table

from . import WORKLOADS, Query, Workload
from ._compare import differences

MOST_COPIES = 60_000_000
WARM_UP = 500

console = Console(highlight=False)


@dataclass(frozen=True)
class Outcome:
    """One line of the table."""

    query: Query
    generated: bool
    rows_in: int
    rows_out: int
    seconds: float
    compared: int  # rows that both forms were given
    windrow: float  # seconds for those
    spark: float
    wrong: list[str]


def main() -> int:
    """Run what was asked for; 1 if any answer is not Spark's own."""
    arguments = _arguments()
    chosen = list(_chosen(arguments.names))
    outcomes = []
    with (
        console.status("starting Spark") as status,
        tempfile.TemporaryDirectory() as at,
    ):
        spark = _session()
        try:
            for workload, query in chosen:
                status.update(f"{query.name}: {workload.title}")
                tables = _tables(workload, query, arguments.data, arguments.rows)
                generated = arguments.data is None or workload.load is None
                outcomes.append(
                    _run(spark, query, tables, Path(at) / query.name, generated)
                )
        finally:
            spark.stop()
    _show(outcomes)
    return int(any(outcome.wrong for outcome in outcomes))


def _arguments() -> argparse.Namespace:
    """The command line, checked."""
    description, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        "python -m examples.lightsaber",
        description=description,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="queries; all if none")
    parser.add_argument("--rows", type=int, help="rows in, instead of each query's own")
    parser.add_argument(
        "--data",
        nargs="?",
        const=os.environ.get("WINDROW_DATASETS", ""),
        metavar="DIR",
        help="the folder of samples; WINDROW_DATASETS if no folder is given",
    )
    arguments = parser.parse_args()
    if arguments.rows is not None and arguments.rows < 1:
        parser.error(f"cannot run on {arguments.rows} rows: --rows must be 1 or more")
    if arguments.data is not None and not (
        arguments.data and Path(arguments.data).is_dir()
    ):
        parser.error(
            f"cannot read the samples: {arguments.data!r} is no folder\n"
            "Hint: --data DIR, or set WINDROW_DATASETS, or leave --data out"
        )
    for name in arguments.names:
        if not any(_chosen([name])):
            known = ", ".join(query.name for _, query in _chosen([]))
            parser.error(f"no query is called {name!r}\nHint: there are {known}")
    return arguments


def _chosen(names: list[str]) -> Iterator[tuple[Workload, Query]]:
    """The queries whose name begins with one of these; all of them if none is given."""
    beginnings = tuple(name.upper() for name in names) or ("",)
    for workload in WORKLOADS:
        for query in workload.queries:
            if query.name.startswith(beginnings):
                yield workload, query


def _session() -> SparkSession:
    """A local session on all cores, quiet."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": 4,
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
    }
    return SparkSession.builder.master("local[*]").config(map=settings).getOrCreate()


def _tables(
    workload: Workload, query: Query, data: str | None, rows: int | None
) -> tuple[pa.Table, ...]:
    """The workload's tables, from its samples if there are any and they are wanted."""
    if data is not None and workload.load is not None:
        return workload.load(Path(data), rows)
    return workload.generate(rows or query.rows)


def _run(
    spark: SparkSession,
    query: Query,
    tables: tuple[pa.Table, ...],
    at: Path,
    generated: bool,
) -> Outcome:
    """Both forms of one query, timed and compared."""
    stream = tables[0]
    compared = min(stream.num_rows, max(1, MOST_COPIES // query.copies))
    frames = _stored(spark, tables, at / "all")
    few = _stored(spark, (stream.slice(0, WARM_UP), *tables[1:]), at / "few")
    for form in (query.windrow, query.spark):
        _timed(form, few)

    answer, seconds = _timed(query.windrow, frames)
    rows_out, windrow = answer.num_rows, seconds
    if compared < stream.num_rows:
        frames = _stored(spark, (stream.slice(0, compared), *tables[1:]), at / "first")
        answer, windrow = _timed(query.windrow, frames)
    expected, own = _timed(query.spark, frames)
    return Outcome(
        query,
        generated,
        stream.num_rows,
        rows_out,
        seconds,
        compared,
        windrow,
        own,
        differences(answer, expected),
    )


def _stored(
    spark: SparkSession, tables: tuple[pa.Table, ...], at: Path
) -> list[DataFrame]:
    """Parquet files, in pieces that several tasks can read."""
    at.mkdir(parents=True)
    frames = []
    for number, table in enumerate(tables):
        file = at / f"{number}.parquet"
        pq.write_table(table, file, row_group_size=max(1, table.num_rows // 8))
        frames.append(spark.read.parquet(str(file)))
    return frames


def _timed(
    form: Callable[..., DataFrame], frames: list[DataFrame]
) -> tuple[pa.Table, float]:
    """The answer, and how long it took to arrive."""
    begun = time.perf_counter()
    answer = form(*frames).toArrow()
    return answer, time.perf_counter() - begun


def _show(outcomes: list[Outcome]) -> None:
    """The table, and under it what the reader of a number must know."""
    shown = Table(box=None, header_style="dim", padding=(0, 1, 0, 2))
    for heading in ("query", "window", "rows"):
        shown.add_column(heading, no_wrap=True)
    for heading in ("in", "out", "windrow s", "Spark s", "on rows", "ratio"):
        shown.add_column(heading, justify="right", no_wrap=True)
    shown.add_column("equal", no_wrap=True)
    for one in outcomes:
        whole = one.compared == one.rows_in
        shown.add_row(
            one.query.name,
            one.query.window,
            "generated" if one.generated else "sample",
            f"{one.rows_in:,}",
            f"{one.rows_out:,}",
            f"{one.seconds:.2f}",
            f"{one.spark:.2f}",
            "all" if whole else f"first {one.compared:,}",
            f"{one.spark / one.windrow:.1f}",
            "[red]no[/red]" if one.wrong else "[green]yes[/green]",
        )
    console.print(shown)
    for one in outcomes:
        if one.query.note:
            console.print(f"  {one.query.name}: {one.query.note}")
        if one.compared < one.rows_in:
            console.print(
                f"  {one.query.name}: Spark's own makes {one.query.copies:,} copies of "
                f"each row, so it had the first {one.compared:,} rows; windrow took "
                f"{one.windrow:.2f} s for those"
            )
        for difference in one.wrong:
            console.print(f"  [red]{one.query.name}: {difference}[/red]")


if __name__ == "__main__":
    sys.exit(main())
