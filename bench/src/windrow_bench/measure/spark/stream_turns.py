"""Streams on both sides: LightSaber's queries, and sliding windows by key.

Each side runs over the same files, or Spark's own over the first of them, and its
micro-batches are the repeats.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame

import windrow as wr
from windrow_bench import data
from windrow_bench.experiment import Place, Row
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.applications import APPLICATIONS, Application
from windrow_bench.measure.pinning import on_cores

from . import held
from .applications import by_window, campaigns_file
from .queries import RESULTS, our_windows, spark_windows
from .stream_load import DELAY, StreamLoad, in_files
from .streams import Course, follow, run, streaming
from .sums import check_sums

Ask = Callable[[], DataFrame]


def latencies(
    panel: str, name: str, rows: int, files: int, who: Sequence[str]
) -> list[Row]:
    """Milliseconds of a micro-batch on average; of `who`, Windrow comes first."""
    spark, one = held.on(), APPLICATIONS[name]
    table = data.table(one.dataset, rows)
    target = held.folder() / f"stream-{name}-{rows}-{files}"
    source = target if target.exists() else in_files(table, files, target)
    forms: tuple[Callable[..., DataFrame], ...] = (one.ours, partial(by_window, one))
    with streaming(spark):
        sides: dict[str, Ask] = {
            side: partial(_asked, form, one, source)
            for side, form in zip(who, forms, strict=False)
        }
        courses = _side_by_side(name, sides, [one.value])
    return [
        _latency(panel, name, side, course, data.origin(table))
        for side, course in courses.items()
    ]


def _asked(
    form: Callable[[dict[str, DataFrame]], DataFrame], one: Application, source: Path
) -> DataFrame:
    spark = held.on()
    frames = {"S": follow(spark, source, "ts", "0 seconds")}
    if one.name == "YSB":
        frames["T"] = held.framed(spark, campaigns_file())
    return form(frames)


def _latency(panel: str, x: Place, side: str, course: Course, origin: str) -> Row:
    took = sorted(1e3 * one.seconds for one in course.busy)
    facts = {
        "rows_in": course.rows,
        "rows_out": course.sums["rows"],
        "data": origin,
    }
    mean = statistics.mean(took)
    return Row(panel, x, side, mean, took[0], took[-1], len(took), facts)


def throughputs(
    panel: str,
    x: Place,
    load: StreamLoad,
    window: tuple[int, int],
    ours: str,
    own: str,
    own_files: int,
) -> list[Row]:
    """Thousands of rows a second over windows of (range, slide) seconds.

    Spark's own gets the first `own_files` files: micro-batches of the same rows, but
    fewer of them, since each takes most of a minute.  Ours runs over these too, to
    compare what comes out, and is measured over all.  The micro-batch without rows at
    the end would weigh more in the shorter run: there it is left out.
    """
    spark = held.on()
    whole = load.write(held.folder())
    first = load.write_first(held.folder(), own_files)

    def asked(form: Callable[[DataFrame, int, int], DataFrame], source: Path) -> Ask:
        delay = f"{DELAY} seconds"
        return lambda: form(follow(spark, source, "at", delay), *window)

    names, who = list(RESULTS), f"{x}, {ours}"
    with streaming(spark):
        sides = {ours: asked(our_windows, first), own: asked(spark_windows, first)}
        courses = _side_by_side(str(x), sides, names)
    if own_files < load.files:
        courses[own] = replace(courses[own], batches=courses[own].busy)
        with streaming(spark):
            courses[ours] = run(who, asked(our_windows, whole)(), names)
    return [_throughput(panel, x, side, found) for side, found in courses.items()]


def _throughput(panel: str, x: Place, side: str, course: Course) -> Row:
    each = sorted(one.rows / one.seconds / 1e3 for one in course.busy)
    facts = {"rows": course.rows, "rows_out": course.sums["rows"]}
    whole = course.rows / course.seconds / 1e3
    return Row(
        panel,
        x,
        side,
        whole,
        min(each[0], whole),
        max(each[-1], whole),
        len(each),
        facts,
    )


def course(
    load: StreamLoad,
    form: Callable[[DataFrame], DataFrame],
    values: list[str],
    *,
    cores: int = 0,
    at_once: int = 1,
    look_at: Sequence[int] = (),
) -> Course:
    """One side alone, so many files a trigger, on so many cores; 0: on all.

    Java and its Python workers stay on these: a task on `local[1]` would use two, one
    to read rows and one to fold them.
    """
    with on_cores(cores):
        spark = held.on(cores or None)
        source = load.write(held.folder())
        with streaming(spark):
            frame = form(follow(spark, source, "at", f"{DELAY} seconds", at_once))
            found = run("windrow", frame, values, look_at)
    if not found.sums["rows"]:
        raise WrongAnswer("nothing came out, nothing was measured")
    return found


def windows(range_: int, slide: int = 1) -> Callable[[DataFrame], DataFrame]:
    """Sum, max and count by key and window, by Windrow."""
    return lambda frame: our_windows(frame, range_, slide)


def keyless(range_: int) -> Callable[[DataFrame], DataFrame]:
    """The same without a key, every second."""
    window = wr.sliding(f"{range_} seconds", every="1 second", on="at")
    calls = {"total": wr.sum("x"), "highest": wr.max("x"), "n": wr.count("x")}
    return lambda frame: wr.aggregate(frame, window, aggregates=calls)


def distinct(range_: int, slide: int) -> Callable[[DataFrame], DataFrame]:
    """About how many different values a key has, by window."""
    window = wr.sliding(f"{range_} seconds", every=f"{slide} seconds", on="at")
    call = wr.approx_distinct("x")
    return lambda frame: wr.aggregate(frame, window, by="key", n=call)


def _side_by_side(
    name: str, sides: dict[str, Ask], values: list[str]
) -> dict[str, Course]:
    found: dict[str, Course] = {}
    for side, ask in sides.items():
        found[side] = run(f"{name}, {side}", ask(), values)
        first = next(iter(found.values()))
        check_sums(f"{name}, {side}", found[side].sums, first.sums)
    if not all(course.sums["rows"] for course in found.values()):
        raise WrongAnswer(f"{name}: nothing came out, nothing was measured")
    return found
