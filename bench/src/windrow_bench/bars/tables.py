"""A table with keys and times: Windrow beside polars, pandas and DuckDB.

    tables         sum, max and count by key for three sliding windows
    tables-over    sum, max and count of each row's last hour, by key

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

from windrow_bench._claims import from_
from windrow_bench.experiment import Claim, Experiment, Row, Size, Trial
from windrow_bench.measure.keyed import events, read, write
from windrow_bench.measure.table_side import ask, check_same

from ._bar import OURS, bar, number, panel, speed

REFERENCE = "polars"
OTHERS = ("polars", "pandas", "duckdb")
TIME, MEMORY = "time", "memory"
SMALL, LARGE = 1_000_000, 10_000_000


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


def _bar(name: str, question: str, title: str, workload: str, claims: list[Claim]
         ) -> Experiment:  # fmt: skip
    return bar(
        name,
        title,
        "a day of rows in order of time, 1,000 keys, a float each; every library in a "
        "process of its own, on all threads (Windrow: one). " + workload,
        [
            panel(TIME, "rows"),
            panel(MEMORY, "rows", "peak memory / input", log_y=False),
        ],
        claims,
        partial(trials, question),
        needs=OTHERS,
        threads=0,
        share=1.5,
    )


WINDOWS = _bar(
    "tables",
    "windows",
    "Three sliding windows by key: Windrow beside other libraries",
    "1 h every 5 min, 15 min every minute, 6 h every 30 min: one call here; polars: "
    "group_by_dynamic for each; pandas and DuckDB: panes first, then windows of panes",
    [
        speed("Sum, max and count of three windows in one call are faster than in "
              "every other library, on one thread.", TIME, OURS, OTHERS, 1.0),
        number("With 10 million rows, the input included, memory stays within three "
               "times the input.", MEMORY, OURS, most=3.0, where=from_(LARGE)),
    ],
)  # fmt: skip
OVER = _bar(
    "tables-over",
    "over",
    "Each row's last hour by key: Windrow beside other libraries",
    "polars: rolling_*_by over keys; pandas: groupby and rolling; DuckDB: a frame by "
    "range",
    [
        speed("Sum, max and count of each row's last hour are faster than in every "
              "other library, on one thread.", TIME, OURS, OTHERS, 1.0),
    ],
)  # fmt: skip
