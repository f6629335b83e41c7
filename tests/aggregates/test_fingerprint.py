"""Fingerprints of aggregates' functions: what changes them, and what does not."""

from __future__ import annotations

import functools
import math
import operator
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numba import njit

import windrow as wr
from windrow.aggregates import CATALOGUE, functions_fingerprint

SCALE = 2.0


def of(lift: Any, **others: Any) -> str:
    return functions_fingerprint(own(lift, **others))


def own(lift: Any, **others: Any) -> wr.Aggregate:
    attributes = {"combine": max, "lower": abs, "name": "own"} | others
    return wr.Aggregate(lift=lift, **attributes)


def compiled(source: str, file: str = "a.py", **scope: Any) -> Any:
    """The function `f` of some source, as if it stood in that file."""
    names = {"math": math, "np": np, **scope}
    exec(compile(source, file, "exec"), names)
    return names["f"]


def test_built_in_aggregates_give_their_names():
    names = [functions_fingerprint(aggregate) for aggregate in CATALOGUE]

    assert names == [aggregate.name for aggregate in CATALOGUE]


SAME = {
    "another file and line": "\n\n# moved\ndef f(v):\n    return v + 1.0",
    "another name": "def g(v):\n    return v + 1.0\nf = g",
    "other names of locals": "def f(value):\n    return value + 1.0",
    "a docstring": "def f(v):\n    'Adds one.'\n    return v + 1.0",
    "an annotation": "def f(v: float) -> float:\n    return v + 1.0",
    "a lambda": "f = lambda v: v + 1.0",
    "made in a function": "def g():\n    return lambda v: v + 1.0\nf = g()",
}


@pytest.mark.parametrize("source", SAME.values(), ids=list(SAME))
def test_what_does_not_change_the_meaning_keeps_the_fingerprint(source):
    before = of(compiled("def f(v):\n    return v + 1.0"))

    assert of(compiled(source, "elsewhere/b.py")) == before


OTHER = {
    "constant": ("f = lambda v: v + 1.0", "f = lambda v: v + 2.0"),
    "type of a constant": ("f = lambda v: v + 1", "f = lambda v: v + True"),
    "sign of zero": ("f = lambda v: v + 0.0", "f = lambda v: v + -0.0"),
    "operation": ("f = lambda v: v + 1.0", "f = lambda v: v - 1.0"),
    "attribute": ("f = lambda v: math.exp(v)", "f = lambda v: math.log(v)"),
    "ufunc": ("f = np.exp", "f = np.log"),
    "order of arguments": ("f = lambda a, b: a - b", "f = lambda a, b: b - a"),
    "default": ("f = lambda v, k=1: v + k", "f = lambda v, k=2: v + k"),
    "keyword": ("f = lambda v, *, k=1: v + k", "f = lambda v, *, k=2: v + k"),
    "inner function": (
        "f = lambda v: (lambda w: w + 1)(v)",
        "f = lambda v: (lambda w: w + 2)(v)",
    ),
    "global": ("K = 1\nf = lambda v: v + K", "K = 2\nf = lambda v: v + K"),
    "global array": (
        "K = np.array([1, 2])\nf = lambda v: v + K[0]",
        "K = np.array([2, 2])\nf = lambda v: v + K[0]",
    ),
    "helper": (
        "g = lambda v: v + 1\nf = lambda v: g(v)",
        "g = lambda v: v + 2\nf = lambda v: g(v)",
    ),
    "helper of a helper": (
        "h = lambda v: v + 1\ng = lambda v: h(v)\nf = lambda v: g(v)",
        "h = lambda v: v + 2\ng = lambda v: h(v)\nf = lambda v: g(v)",
    ),
    "loop bound": (
        "def f(v):\n    for _ in range(3): v += v\n    return v",
        "def f(v):\n    for _ in range(4): v += v\n    return v",
    ),
}


@pytest.mark.parametrize("sources", OTHER.values(), ids=list(OTHER))
def test_what_changes_the_meaning_changes_the_fingerprint(sources):
    one, other = sources

    assert of(compiled(one)) == of(compiled(one, "b.py"))
    assert of(compiled(one)) != of(compiled(other))


@pytest.mark.parametrize("label", ["lift", "combine", "lower", "inverse", "defined"])
def test_each_function_counts(label):
    plain = {"lift": abs, "combine": max, "lower": abs, "name": "own"}

    before = functions_fingerprint(wr.Aggregate(**plain))

    assert functions_fingerprint(wr.Aggregate(**plain | {label: min})) != before


def test_the_identity_counts_and_its_absence_too():
    found = {of(abs), of(abs, identity=0.0), of(abs, identity=-math.inf)}

    assert len(found) == 3


def scaled(by: Any) -> Any:
    return lambda value: value * by


def test_values_of_closures_count():
    assert of(scaled(2.0)) == of(scaled(2.0))
    assert len({of(scaled(by)) for by in (2, 2.0, 3.0, (2.0,), [2.0], None)}) == 6


def test_objects_in_closures_count_by_their_type():
    assert of(scaled(object())) == of(scaled(object()))
    assert of(scaled(object())) != of(scaled(ValueError()))


def test_a_counter_that_the_function_rebinds_does_not_count():
    def counted() -> tuple[Any, Any]:
        calls = 0

        def lift(value: Any) -> Any:
            nonlocal calls
            calls += 1
            return value

        return lift, lambda: calls

    lift, calls = counted()
    before = of(lift)
    lift(3)

    assert calls() == 1
    assert of(lift) == before


class Scaled:
    def __init__(self, by: float) -> None:
        self.by, self.calls = by, 0

    def __call__(self, value: Any) -> Any:
        self.calls += 1
        return value * self.by

    def method(self, value: Any) -> Any:
        return value * self.by


@pytest.mark.parametrize(
    "make",
    [
        Scaled,
        lambda by: Scaled(by).method,
        lambda by: functools.partial(operator.mul, by),
        lambda by: functools.partial(scaled(1.0), by=by),
        lambda by: operator.itemgetter(int(by)),
    ],
)
def test_callable_objects_count_by_what_they_hold(make):
    assert of(make(2.0)) == of(make(2.0))
    assert of(make(2.0)) != of(make(3.0))


def test_a_recursive_function_has_a_fingerprint():
    source = "def f(v):\n    return v if v < 1 else f(v - {})"

    assert of(compiled(source.format(1))) == of(compiled(source.format(1)))
    assert of(compiled(source.format(1))) != of(compiled(source.format(2)))


def test_a_function_that_numba_compiles_is_the_function_it_was():
    def lift(value: Any) -> Any:
        return value * SCALE

    assert of(njit(lift)) == of(lift)


SCRIPT = """
import windrow as wr
from windrow.aggregates import functions_fingerprint
names = {"b", "a", "c", "d"}
K = {"x": 1.5, "y": object()}
f = lambda v: v + (v in {"p", "q", "r", "s"}) + len(names) + K["x"]
print(functions_fingerprint(wr.Aggregate(name="o", lift=f, combine=max, lower=abs)))
"""


def test_other_processes_give_the_same_fingerprint():
    found = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(found) == 1
    assert len(found.pop().strip()) == 64
