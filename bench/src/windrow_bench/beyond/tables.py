"""A table with keys and times: Windrow beside polars, pandas and DuckDB.

    beyond-windows    sum, max and count by key for three sliding windows
    beyond-over       sum, max and count of each row's last hour, by key

Each library answers in a process of its own, on all threads that it likes (Windrow:
one), from its own kind of table.  Memory is the most that the process held above what
it had before it loaded the input, so that the input counts.
"""

from __future__ import annotations

import statistics
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from windrow_bench._claims import ahead
from windrow_bench.experiment import (
    Claim,
    Experiment,
    Panel,
    Row,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.measure.keyed import events, read, write
from windrow_bench.measure.table_side import ask, check_same

OURS, REFERENCE = "windrow", "polars"
OTHERS = ("polars", "pandas", "duckdb")
TIME, MEMORY = "time", "memory"
SMALL, LARGE = 1_000_000, 10_000_000
MOST = 3.0  # times the input


def trials(question: str, size: Size) -> list[Trial]:
    """A trial for each number of rows."""
    some = size.pick((SMALL,), (SMALL, LARGE))
    run = partial(_measure, question, size.pick(2, 3))
    return [Trial(TIME, rows, partial(run, rows)) for rows in some]


def _measure(question: str, rounds: int, rows: int, _: float) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="windrow-bench-") as folder:
        table = events(rows)
        source, given = write(table, Path(folder) / "events.arrow"), table.nbytes
        del table
        found, answers = {}, {}
        for library in (OURS, *OTHERS):
            answers[library] = Path(folder) / f"{library}.arrow"
            found[library] = ask(
                library, question, source, answers[library], rounds=rounds
            )
        expected = read(answers[REFERENCE])
        for library, answer in answers.items():
            check_same(library, read(answer), expected, REFERENCE)
    return [row for name, one in found.items() for row in _rows(rows, name, one, given)]


def _rows(x: int, library: str, told: dict[str, Any], given: int) -> list[Row]:
    times = sorted(told["times"])
    middle = statistics.median(times)
    held = (told["peak"] - told["before"]) / given
    return [
        Row(TIME, x, library, middle, times[0], times[-1], len(times)),
        Row(MEMORY, x, library, held, held, held, 1, {"input_bytes": given}),
    ]


def _within(rows: RowSet) -> Verdict:
    """Whether memory stays within a few times a large input."""
    large = [x for x in rows.xs(MEMORY, OURS) if isinstance(x, (int, float))]
    if not large or max(large) < LARGE:
        return Verdict(
            "not measured",
            None,
            f"the results are larger than a small input: a full run has {LARGE:,} rows",
        )
    held = rows.value(MEMORY, max(large), OURS)
    return Verdict(f"{held:.2f}x the input", held <= MOST)


def _experiment(
    name: str, question: str, title: str, workload: str, claims: tuple[Claim, ...]
) -> Experiment:
    return Experiment(
        name=name,
        paper="Windrow",
        shows="its own promise",
        title=title,
        workload=(
            "a day of rows in order of time, 1,000 keys, a float each; every library "
            "in a process of its own, on all threads (Windrow: one). " + workload
        ),
        panels=(
            Panel(name=TIME, x="rows", y="seconds", kind="bars", log_y=True,
                  more_is_better=False),
            Panel(name=MEMORY, x="rows", y="peak memory / input", kind="bars",
                  more_is_better=False),
        ),
        claims=claims,
        trials=partial(trials, question),
        needs=OTHERS,
        threads=0,
        share=1.5,
    )  # fmt: skip


def _faster(what: str) -> Claim:
    return Claim(
        f"{what} is faster than in every other library, on one thread.",
        "faster than every other",
        ahead(TIME, OURS, OTHERS, less=True),
    )


WINDOWS = _experiment(
    "beyond-windows",
    "windows",
    "Three sliding windows by key: Windrow beside other libraries",
    "1 h every 5 min, 15 min every minute, 6 h every 30 min: one call here; polars: "
    "group_by_dynamic for each; pandas and DuckDB: panes first, then windows of panes",
    (
        _faster("Sum, max and count of three windows in one call"),
        Claim(
            "With the input, memory stays within three times the input.",
            "at most 3x",
            _within,
        ),
    ),
)
OVER = _experiment(
    "beyond-over",
    "over",
    "Each row's last hour by key: Windrow beside other libraries",
    "polars: rolling_*_by over keys; pandas: groupby and rolling; DuckDB: a frame by "
    "range",
    (_faster("Sum, max and count of each row's last hour"),),
)

__all__ = ["OVER", "WINDOWS"]
