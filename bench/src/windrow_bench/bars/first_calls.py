"""First calls in fresh processes, with an empty cache folder and with what it got.

Every call stands in a process of its own: it imports, asks once, asks again.  Beside
polars the process is timed from its start to the answer, import and all, since that is
what someone waits for who runs a script.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import pyarrow as pa

from windrow_bench.experiment import Row, Size, Trial
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.keyed import events, write
from windrow_bench.measure.race import timed

from ._bar import OURS, bar, cost, number, number_row, panel

ROUNDS = 5
ROWS, KEYS = 100_000, 100
IMPORT, CALLS_PANEL, WHOLE = "import", "first calls", "whole process"
COLD, SECOND, COMPILED, CACHED = (
    "cold",
    "second",
    "compiled before it",
    "from the cache",
)
IMPORTS = {
    "numpy and pyarrow": "import numpy, pyarrow",
    "windrow too": "import numpy, pyarrow, windrow",
}
CALLS = {
    "slide": "wr.slide(values, wr.rows(100), 'max')[-1]",
    "aggregate, five": "wr.aggregate(table, wr.sliding(600, every=60, on='at'), "
    "by='key', a=wr.sum('value'), b=wr.mean('value'), c=wr.max('value'), "
    "d=wr.variance('value'), "
    "most=wr.last('value'))['most'][-1].as_py()",
    "over": "wr.over(table, on='at', by='key', m=wr.mean('value', last='600'), "
    "most=wr.max('value', last='600'))['most'][-1].as_py()",
    "spans": "wr.aggregate(table, wr.sliding(600, every=60, span=('at', 'end')), "
    "m=wr.mean('value'), most=wr.max('value'))['most'][-1].as_py()",
    "operator, 1,000 events": "feed(values[-1000:].tolist())",
    "an own mean": "wr.slide(values, wr.rows(1), wr.Aggregate(name='mine', "
    "lift=lambda v: (v, 1.0), combine=lambda a, b: (a[0] + b[0], a[1] + b[1]), "
    "lower=lambda p: p[0] / p[1]))[-1]",
}
LAST = 9999.0  # the answer of each: values rise to it
SCRIPT = """
import json, sys, time
import numpy as np, pyarrow as pa
import windrow as wr
values = np.arange(10_000.0)
at = np.arange(10_000)
table = pa.table({"at": at, "end": at + 30, "key": at % 10, "value": values})
def feed(events):
    operator = wr.Operator(wr.rows(100), "max")
    for event in events:
        operator.insert(event)
    return operator.query()
ask = eval("lambda: " + sys.argv[1])
begin = time.perf_counter()
answer = ask()
first = time.perf_counter()
ask()
print(json.dumps([first - begin, time.perf_counter() - first, float(answer)]))
"""

LIBRARIES = {
    "windrow": "import numpy as np, pyarrow as pa, windrow as wr, sys\n"
    "def total(column):\n"  # without pyarrow.compute, which takes 30 ms to import
    "    return sum(np.from_dlpack(chunk).sum() for chunk in column.chunks)\n"
    "with pa.memory_map(sys.argv[1]) as file:\n"
    "    table = pa.ipc.open_file(file).read_all()\n",
    "polars": "import polars as pl, sys\nframe = pl.read_ipc(sys.argv[1])\n",
}
QUESTIONS = {
    "mean and max, 1 hour every minute": {
        "windrow": "out = wr.aggregate(table, wr.sliding('1 hour', every='1 minute', "
        "on='at'), by='key', m=wr.mean('value'), most=wr.max('value'))\n"
        "print(out.num_rows, total(out['m']), total(out['most']))",
        "polars": "out = frame.group_by_dynamic('at', every='1m', period='1h', "
        "offset='-1h1m', group_by='key', closed='left', start_by='window')"
        ".agg(m=pl.col('value').mean(), most=pl.col('value').max())"
        ".filter(pl.col('m').is_not_null())\n"
        "print(len(out), out['m'].sum(), out['most'].sum())",
    },
    "mean and max, last hour of each row": {
        "windrow": "out = wr.over(table, on='at', by='key', m=wr.mean('value', "
        "last='1 hour'), most=wr.max('value', last='1 hour'))\n"
        "print(out.num_rows, total(out['m']), total(out['most']))",
        "polars": "how = dict(by='at', window_size='1h', closed='right')\n"
        "value = pl.col('value')\n"
        "out = frame.with_columns(m=value.rolling_mean_by(**how).over('key'), "
        "most=pl.col('value').rolling_max_by(**how).over('key'))\n"
        "print(len(out), out['m'].sum(), out['most'].sum())",
    },
}


def trials(_: Size) -> list[Trial]:
    """Import; each call; each question beside polars: the same in every run."""
    return [
        Trial(IMPORT, "above numpy and pyarrow", _imports),
        *(Trial(CALLS_PANEL, name, partial(_calls, name)) for name in CALLS),
        *(Trial(WHOLE, name, partial(_question, name)) for name in QUESTIONS),
    ]


def _imports(_: float) -> list[Row]:
    took: dict[str, list[float]] = {name: [] for name in IMPORTS}
    for _round in range(ROUNDS):
        for name, code in IMPORTS.items():
            took[name].append(timed(partial(_fresh, "-c", code))[0])
    above = min(took["windrow too"]) - min(took["numpy and pyarrow"])
    return [number_row(IMPORT, "above numpy and pyarrow", OURS, [above])]


def _calls(name: str, _: float) -> list[Row]:
    code = CALLS[name]
    with tempfile.TemporaryDirectory(prefix="windrow-cache-") as folder:
        colds = [_call(code, folder) for _round in range(ROUNDS)]
        compiled = _call(code, folder, WINDROW_COMPILE="always")
        cached = _call(code, folder, WINDROW_COMPILE="always")
    best = min(colds)
    seconds = {COLD: best[0], SECOND: best[1], COMPILED: compiled[0], CACHED: cached[0]}
    return [number_row(CALLS_PANEL, name, who, [one]) for who, one in seconds.items()]


def _question(name: str, _: float) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="windrow-bench-") as folder:
        source = str(write(_events(), Path(folder) / "events.arrow"))
        codes = {who: LIBRARIES[who] + text for who, text in QUESTIONS[name].items()}
        answers = {who: _fresh("-c", code, source) for who, code in codes.items()}
        check_same(name, answers)
        took: dict[str, list[float]] = {who: [] for who in codes}
        for _round in range(ROUNDS):
            for who, code in codes.items():
                took[who].append(timed(partial(_fresh, "-c", code, source))[0])
    best = {who: min(seconds) for who, seconds in took.items()}
    return [
        Row(WHOLE, name, who, best[who], best[who], max(seconds), ROUNDS, {})
        for who, seconds in took.items()
    ]


def _events() -> pa.Table:
    """A day of events of a few keys."""
    table = events(ROWS)
    keys = table["key"].to_numpy() % KEYS
    return table.set_column(table.column_names.index("key"), "key", pa.array(keys))


def _run(arguments: list[str], folder: str, **changed: str) -> str:
    """Run Python as a script runs, bytecode kept; what it printed."""
    apart = ("WINDROW_THREADS", "PYTHONDONTWRITEBYTECODE")
    free = {k: v for k, v in os.environ.items() if k not in apart}
    chosen = {"WINDROW_CACHE_DIR": folder, "WINDROW_COMPILE": "auto"} | changed
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, *arguments],
        env=free | chosen,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def _fresh(*arguments: str) -> str:
    """In a process with an empty cache folder."""
    with tempfile.TemporaryDirectory(prefix="windrow-cache-") as folder:
        return _run([*arguments], folder)


def _call(code: str, folder: str, **changed: str) -> tuple[float, float]:
    """The first and the second call in a process with that cache folder."""
    said = _run(["-c", SCRIPT, code], folder, **changed)
    first, second, answer = json.loads(said.splitlines()[-1])
    check_last(code, answer)
    return first, second


def check_last(code: str, answer: float) -> None:
    """The last answer of each call is known."""
    if answer != LAST:
        raise WrongAnswer(f"{code}: the last answer is {LAST}, not {answer}")


def check_same(name: str, answers: dict[str, str]) -> None:
    """Rows and totals of both libraries, which they printed, are the same."""
    ours, theirs = ([*map(float, answers[who].split())] for who in LIBRARIES)
    for a, b in zip(ours, theirs, strict=True):
        if abs(a - b) > 1e-6 * max(abs(a), abs(b), 1.0):
            raise WrongAnswer(f"{name}: {ours} is not {theirs}")


FIRST_CALLS = bar(
    "first-calls",
    "First calls in fresh processes",
    "10,000 rows, an empty cache folder, the best of 5 processes; beside polars "
    "100,000 rows of 100 keys, import included on both sides",
    [
        panel(IMPORT, ""),
        panel(CALLS_PANEL, "call"),
        panel(WHOLE, "question"),
    ],
    [
        number("Importing takes at most 0.1 s above numpy and pyarrow.",
               IMPORT, OURS, most=0.1),
        number("No first call takes more than 0.3 s, with nothing compiled.",
               CALLS_PANEL, COLD, most=0.3),
        cost("A whole process takes at most 1.5 times that of polars.",
             WHOLE, OURS, ("polars",), 1.5),
    ],
    trials,
    needs=("polars",),
    threads=0,
)  # fmt: skip
