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

from windrow.bench.measure.answers import WrongAnswer

from . import ONE_CORE
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "first_calls"
ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 5

IMPORTS = {
    "numpy and pyarrow": "import numpy, pyarrow",
    "windrow too": "import numpy, pyarrow, windrow",
}
CALLS = {
    "slide": "wr.slide(values, wr.rows(100), 'max')[-1]",
    "aggregate, five": "wr.aggregate(table, wr.sliding(600, every=60, on='at'), "
    "by='key', a=wr.sum('x'), b=wr.mean('x'), c=wr.max('x'), d=wr.variance('x'), "
    "most=wr.last('x'))['most'][-1].as_py()",
    "over": "wr.over(table, on='at', by='key', m=wr.mean('x', last='600'), "
    "most=wr.max('x', last='600'))['most'][-1].as_py()",
    "spans": "wr.aggregate(table, wr.sliding(600, every=60, span=('at', 'end')), "
    "m=wr.mean('x'), most=wr.max('x'))['most'][-1].as_py()",
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
table = pa.table({"at": at, "end": at + 30, "key": at % 10, "x": values})
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

EVENTS = """
import numpy as np
random = np.random.default_rng(7)
at = np.sort(random.integers(0, 86_400_000_000, 100_000)).astype("datetime64[us]")
key, x = random.integers(0, 100, 100_000), random.normal(size=100_000)
"""
LIBRARIES = {
    "windrow": "import pyarrow as pa, windrow as wr\n"
    "table = pa.table({'at': at, 'key': key, 'x': x})\n",
    "polars": "import polars as pl\n"
    "frame = pl.DataFrame({'at': at, 'key': key, 'x': x})\n",
}
QUESTIONS = {
    "mean and max, 1 hour every minute": {
        "windrow": "out = wr.aggregate(table, wr.sliding('1 hour', every='1 minute', "
        "on='at'), by='key', m=wr.mean('x'), most=wr.max('x'))\n"
        "print(out.num_rows, np.sum(out['m']), np.sum(out['most']))",
        "polars": "out = frame.group_by_dynamic('at', every='1m', period='1h', "
        "offset='-1h1m', group_by='key', closed='left', start_by='window')"
        ".agg(m=pl.col('x').mean(), most=pl.col('x').max())"
        ".filter(pl.col('m').is_not_null())\n"
        "print(len(out), out['m'].sum(), out['most'].sum())",
    },
    "mean and max, last hour of each row": {
        "windrow": "out = wr.over(table, on='at', by='key', m=wr.mean('x', "
        "last='1 hour'), most=wr.max('x', last='1 hour'))\n"
        "print(out.num_rows, np.sum(out['m']), np.sum(out['most']))",
        "polars": "how = dict(by='at', window_size='1h', closed='both')\n"
        "out = frame.with_columns(m=pl.col('x').rolling_mean_by(**how).over('key'), "
        "most=pl.col('x').rolling_max_by(**how).over('key'))\n"
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
    for name, texts in QUESTIONS.items():
        seconds = {}
        answers = {}
        for library, text in texts.items():
            code = EVENTS + LIBRARIES[library] + text
            seconds[library] = best(_fresh, "-c", code)
            answers[library] = _printed(code)
        _check_same(name, answers)
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


def best(call: Callable[..., object], *arguments: str) -> float:
    """The least time of a few."""
    seconds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        call(*arguments)
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def _environment(folder: str) -> dict[str, str]:
    free = {k: v for k, v in os.environ.items() if k not in ONE_CORE}
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


def _printed(code: str) -> list[float]:
    return [float(word) for word in _fresh("-c", code).split()]


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
