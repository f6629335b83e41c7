"""Operators begin as plain Python, and go on compiled in the middle of a stream."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windrow as wr
from windrow.loops import lanes
from windrow.operator import runtime
from windrow.operator import steps as steps_module

Shape = tuple[str, dict[str, Any], bool]

SPANS = {"counted": wr.rows(20), "timed": wr.sliding(20, every=5)}
SHAPES: list[Shape] = [
    ("counted", {"algorithm": "daba"}, False),
    ("counted", {"algorithm": "flat_fat"}, False),
    ("counted", {"lateness": 10}, True),
    ("timed", {"algorithm": "two_stacks_lite"}, True),
    ("timed", {"lateness": 10}, True),
]
AGGREGATES = {"s": wr.sum("x"), "m": wr.max("x"), "l": wr.last("x"), "n": wr.count()}


def steps_of(operator: wr.Operator) -> Any:
    return operator._setup.program.steps


def bought(steps: Any) -> set[str]:
    """The loops of which machine code serves."""
    return {
        name
        for name, step in steps.accounts.items()
        if any(account.is_bought for account in step._laned.purchases.values())
    }


def events(late: bool) -> list[tuple[dict[str, Any], int]]:
    rng = np.random.default_rng(5)
    values = [None if v > 40 else int(v) for v in rng.integers(-50, 50, 240)]
    times = np.arange(240) // 2
    if late:
        times = np.maximum(times - rng.integers(0, 9, 240), 0)
    return [({"x": v}, int(t)) for v, t in zip(values, times, strict=True)]


class Life:
    """Everything that an operator answers: step by step, in batches, when it ends."""

    def __init__(self, shape: str, options: dict[str, Any], timed: bool) -> None:
        types = {"x": "int64"}
        self.operator = wr.Operator(SPANS[shape], AGGREGATES, types=types, **options)
        self.timed, self.late = timed, "lateness" in options
        self.answers: list[Any] = []

    def insert(self, some: list[tuple[dict[str, Any], int]]) -> None:
        for k, (event, at) in enumerate(some):
            handle = self.operator.insert(event, at=at if self.timed else None)
            self.answers.append(self.operator.query())
            if self.late and k % 9 == 4:
                self.operator.correct(handle, {"x": 7})
            elif k % 11 == 5:
                self.operator.evict()
        self.answers += [(r.start, r.end, r.value) for r in self.operator.trigger()]

    def feed(self, some: list[tuple[dict[str, Any], int]]) -> None:
        columns = {"x": [event["x"] for event, _ in some]}
        at = [at for _, at in some] if self.timed else None
        results = self.operator.feed(columns, at=at)
        self.answers += [(r.start, r.end, r.value) for r in results]

    def live(self, begin: Any = None, wait: Any = None) -> list[Any]:
        stream = events(self.late)
        self.insert(stream[:70])
        self.feed(stream[70:100])
        if begin:
            begin()
        self.insert(stream[100:120])
        self.feed(stream[120:130])
        if wait:
            wait()
        self.insert(stream[130:180])
        self.feed(stream[180:])
        self.answers.append(len(self.operator))
        return self.answers


@pytest.fixture
def cold(monkeypatch, tmp_path):
    """Nothing is compiled yet, in this process or in a cache."""
    runtime._steps.cache_clear()
    monkeypatch.setenv("WINDROW_COMPILE", "auto")
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path))


def in_lane(monkeypatch: Any, lane: str, shape: Shape) -> list[Any]:
    with monkeypatch.context() as patch:
        patch.setenv("WINDROW_COMPILE", lane)
        return Life(*shape).live()


@pytest.mark.parametrize(
    "shape",
    [SHAPES[0], *(pytest.param(s, marks=pytest.mark.deep) for s in SHAPES[1:])],
    ids=str,
)
def test_a_change_of_lanes_in_mid_stream_changes_no_answer(monkeypatch, shape, cold):
    never = in_lane(monkeypatch, "never", shape)
    runtime._steps.cache_clear()
    life = Life(*shape)
    steps = steps_of(life.operator)

    def begin() -> None:
        assert not bought(steps)
        monkeypatch.setattr(lanes, "PRICE", 0.0)

    answers = life.live(begin, steps.wait)
    always = in_lane(monkeypatch, "always", shape)  # what was compiled is loaded

    assert {"call_feed"} < bought(steps)
    assert answers == never == always


def test_numbers_change_lanes_on_the_short_ways(cold, monkeypatch):
    operator = wr.Operator(wr.rows(3), "max", types={"value": "int64"})
    steps = steps_of(operator)
    answers = []

    def go_on(values: list[int]) -> None:
        for value in values:
            operator.insert(value)
            answers.append(operator.query())
        answers.extend(result.value for result in operator.feed(np.array(values)))

    go_on([5, 1, 2, 3])
    assert not bought(steps)
    monkeypatch.setattr(lanes, "PRICE", 0.0)
    go_on([7, 2, 1, 0])
    steps.wait()
    assert bought(steps) >= {"call_quick", "call_rows"}
    go_on([4, 2, 1, 0])

    assert answers == [5, 5, 5, 3] * 2 + [7, 7, 7, 2] * 2 + [4, 4, 4, 2] * 2


def test_a_large_batch_changes_lanes_between_blocks(cold, monkeypatch):
    values = np.arange(20 * steps_module.BLOCK) % 1000
    monkeypatch.setattr(lanes, "PRICE", 0.0)
    taken: list[int] = []
    operator = wr.Operator(wr.rows(3), {"s": wr.sum("x")})
    operator.feed({"x": values[:100]})
    steps = steps_of(operator)
    plain = steps.kernel.plain.call_feed

    def seen(*arguments):
        taken.append(arguments[4] - arguments[3])
        result = plain(*arguments)
        steps.wait()
        return result

    monkeypatch.setattr(steps.kernel.plain, "call_feed", seen)
    results = operator.feed({"x": values})

    assert len(results) == len(values)
    assert max(taken, default=0) <= steps_module.BLOCK
    assert len(taken) <= 2
    assert results[-1].value == int(values[-3:].sum())


@pytest.mark.parametrize(
    "first", ["never", pytest.param("always", marks=pytest.mark.deep)]
)
def test_a_save_goes_on_in_the_other_lane(monkeypatch, first):
    other = {"never": "always", "always": "never"}[first]
    monkeypatch.setenv("WINDROW_COMPILE", first)
    operator = wr.Operator(
        wr.rows(5), AGGREGATES, algorithm="daba", types={"x": "int64"}
    )
    for event, _ in events(late=False)[:40]:
        operator.insert(event)
    blob = operator.save()
    monkeypatch.setenv("WINDROW_COMPILE", other)
    loaded = wr.Operator.load(blob)

    assert steps_of(loaded).lane is not steps_of(operator).lane
    for event, _ in events(late=False)[40:80]:
        loaded.insert(event)
        operator.insert(event)
        assert loaded.query() == operator.query()
    assert loaded.save() == operator.save()


def test_a_function_that_fails_only_as_plain_python_gives_its_compiled_answer(cold):
    """`math.sqrt(-1.0)` is an error in Python, and NaN in machine code."""
    root = wr.Aggregate(
        name="root",
        lift=lambda value: value,
        combine=lambda older, newer: older + newer,
        lower=lambda partial: 1.0 * math.sqrt(partial),
    )
    operator = wr.Operator(wr.rows(2), {"r": root("x")})
    answers = []
    for value in (4.0, 0.0, -1.0, 2.0):
        operator.insert({"x": value})
        answers.append(operator.query())
    (last,) = operator.feed({"x": [7.0]})

    assert answers[:2] == [2.0, 2.0]
    assert math.isnan(answers[2])
    assert answers[3] == 1.0
    assert (last.start, last.end, last.value) == (3, 5, 3.0)


@pytest.mark.parametrize("value", [2**62, -(2**62), 2**63 - 1])
@pytest.mark.parametrize(
    "lane", ["never", pytest.param("always", marks=pytest.mark.deep)]
)
def test_sums_past_64_bits_are_the_same_in_both_lanes(monkeypatch, lane, value):
    monkeypatch.setenv("WINDROW_COMPILE", lane)
    operator = wr.Operator(
        wr.rows(2), {"m": wr.mean("x"), "x": wr.max("x")}, types={"x": "int64"}
    )
    for _ in range(3):
        operator.insert({"x": value})

    assert operator.query() == {"m": float(value), "x": value}


FRESH = """
import sys, time
import windrow as wr
began = time.process_time()
operator = wr.Operator(wr.rows(100), {"m": wr.mean("x"), "h": wr.max("x")})
for i in range(1000):
    operator.insert({"x": float(i)})
    operator.query()
print(operator.query()["m"], "numba" in sys.modules, time.process_time() - began)
"""


def run_fresh(script: str, lane: str, folder: Path) -> list[bytes]:
    """What a new process prints, word by word."""
    source = Path(wr.__file__).parents[1]
    environment = dict(os.environ, WINDROW_CACHE_DIR=str(folder))
    environment |= {"WINDROW_COMPILE": lane, "PYTHONPATH": str(source)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    return done.stdout.split()


def test_the_first_thousand_events_need_no_compiler(tmp_path):
    mean, compiler, seconds = run_fresh(FRESH, "auto", tmp_path)

    assert (mean, compiler) == (b"949.5", b"False")
    assert float(seconds) < 1.0  # 0.2 on a quiet machine


CACHED = """
import windrow as wr
operator = wr.Operator(wr.rows(3), {"m": wr.max("x")}, types={"x": "int64"})
for i in range(2):
    operator.insert({"x": i})
    operator.query()
steps = operator._setup.program.steps
accounts = steps.accounts.items()
print(steps.lane, *[n for n, step in accounts if getattr(steps, n) != step])
"""


def test_a_loop_that_is_cached_is_compiled_from_its_first_call(tmp_path):
    assert run_fresh(CACHED, "auto", tmp_path) == [b"None"]

    run_fresh(CACHED, "always", tmp_path)

    assert run_fresh(CACHED, "auto", tmp_path) == [b"None", b"call_one"]
