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
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.keyed import events, write

from . import ONE_CORE
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "first_calls"
ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 5
ROWS, KEYS = 100_000, 100

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


def run(_: Settings, say: Callable[[str], None]) -> Result:
    """Seconds for the first call, cold and from the cache, and beside polars."""
    imports = {name: best(_fresh, "-c", code) for name, code in IMPORTS.items()}
    above = imports["windrow too"] - imports["numpy and pyarrow"]
    say(f"import: {above * 1e3:.0f} ms above numpy and pyarrow")
    calls: list[list[object]] = []
    colds = []
    for name, code in CALLS.items():
        with tempfile.TemporaryDirectory(prefix="windrow-cache-") as folder:
            cold = min(_call(code, folder) for _ in range(ROUNDS))
            compiled = _call(code, folder, WINDROW_COMPILE="always")
            cached = _call(code, folder, WINDROW_COMPILE="always")
        colds.append(cold[0])
        calls.append([name, cold[0], cold[1] * 1e3, compiled[0], cached[0]])
        say(f"{name}: {cold[0]:.3f} s cold, {compiled[0]:.1f} s if compiled first")
    questions: list[list[object]] = []
    with tempfile.TemporaryDirectory(prefix="windrow-bench-") as folder:
        source = str(write(_events(), Path(folder) / "events.arrow"))
        for name, texts in QUESTIONS.items():
            codes = {name: LIBRARIES[name] + text for name, text in texts.items()}
            answers = {name: _printed(code, source) for name, code in codes.items()}
            _check_same(name, answers)
            seconds = {n: best(_fresh, "-c", code, source) for n, code in codes.items()}
            ratio = seconds["windrow"] / seconds["polars"]
            questions.append([name, seconds["windrow"], seconds["polars"], ratio])
            say(f"{name}: {ratio:.2f} of polars")
    header = ["call", "first, cold (s)", "second (ms)", "compiled before it (s)"]
    tables = [
        Table("First calls, 10,000 rows", [*header, "from the cache (s)"], calls),
        Table(
            "A whole process, 100,000 rows, 100 keys, empty cache",
            ["question", "windrow (s)", "polars (s)", "windrow / polars"],
            questions,
        ),
    ]
    worst = max(float(str(row[3])) for row in questions)
    bars = [
        Bar("seconds to import above numpy and pyarrow", above, 0.1, False),
        Bar("slowest first call, seconds", max(colds), 0.3, False),
        Bar("a whole process against polars", worst, 1.5, False),
    ]
    return Result(NAME, "First calls", tables, bars)


def _events() -> pa.Table:
    """A day of events of a few keys."""
    table = events(ROWS)
    keys = table["key"].to_numpy() % KEYS
    return table.set_column(table.column_names.index("key"), "key", pa.array(keys))


def best(call: Callable[..., object], *arguments: str) -> float:
    """The least time of a few."""
    seconds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        call(*arguments)
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def _environment(folder: str) -> dict[str, str]:
    apart = {*ONE_CORE, "PYTHONDONTWRITEBYTECODE"}  # as a script runs: bytecode is kept
    free = {k: v for k, v in os.environ.items() if k not in apart}
    return free | {"WINDROW_CACHE_DIR": folder, "WINDROW_COMPILE": "auto"}


def _fresh(*arguments: str) -> str:
    """Run Python in a process with an empty cache folder; what it printed."""
    with tempfile.TemporaryDirectory(prefix="windrow-cache-") as folder:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=_environment(folder),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return done.stdout


def _printed(code: str, source: str) -> list[float]:
    return [float(word) for word in _fresh("-c", code, source).split()]


def _call(code: str, folder: str, **changed: str) -> tuple[float, float]:
    """The first and the second call in a process with that cache folder."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, code],
        cwd=ROOT,
        env=_environment(folder) | changed,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    first, second, answer = json.loads(done.stdout.splitlines()[-1])
    check_last(code, answer)
    return first, second


def check_last(code: str, answer: float) -> None:
    """The last answer of each call is known."""
    if answer != LAST:
        raise WrongAnswer(f"{code}: the last answer is {LAST}, not {answer}")


def _check_same(name: str, answers: dict[str, list[float]]) -> None:
    ours, theirs = answers["windrow"], answers["polars"]
    for a, b in zip(ours, theirs, strict=True):
        if abs(a - b) > 1e-6 * max(abs(a), abs(b), 1.0):
            raise WrongAnswer(f"{name}: {ours} is not {theirs}")
