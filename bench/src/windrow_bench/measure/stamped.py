"""When each window comes out of a kernel: `emit` also writes down the clock.

    window     0       1       2       3
    clock      |---a---|---b---|---c---|          b: the latency of window 2

Generated graphs and algorithms alike give their windows one after the other, so the
time between two of them is what the later one cost: evicting, inserting, answering.
Kernels are those that are called elsewhere, but for this, and for loops that answer
several windows at a time, which are left out: a window of those has no time of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.algorithms import Shape, find, kernel_text
from windrow.graph import graph_of
from windrow.graph.kernel import graph_assembly
from windrow.loops import JIT, arrays, kernel

from .answers import Array, check_windows
from .kernels import product

GAG = "gag"

_STAMPED = """
from windrow_bench.measure.clock import cycles


{jit}
def emit(out, i, partial):
    emit_unstamped(out, i, partial)
    out[-1][i] = cycles()
"""


def stamped_windows(
    name: str, aggregate: str, values: Array, width: int, rounds: int
) -> Array:
    """Counts of the clock for each window after the first, of each run."""
    asked = product(aggregate, values)
    if name == GAG:
        graph = graph_assembly(graph_of([(width, 1)], asked).graph, asked, "rows")
        text = graph.text().render()
    else:
        text = kernel_text(find(name), asked, Shape("rows", "regular"))
    text = text.replace("def emit(", "def emit_unstamped(")
    run = kernel(text + _STAMPED.format(jit=JIT)).run
    count = len(values) - width + 1
    out = arrays(asked.out_dtypes, count)
    runs = np.zeros((rounds + 1, count), np.int64)  # the first is the warm-up
    for stamps in runs:
        run(*_given(name, values, width), (*out, stamps))
    check_windows(name, out[0], values, width, aggregate)
    return np.diff(runs[1:], axis=1)


def _given(name: str, values: Array, width: int) -> tuple[Any, ...]:
    firsts, lasts = np.array([0]), np.array([len(values)])
    if name == GAG:
        ranges, slides, at = (np.array([number]) for number in (width, 1, 0))
        groups = np.array([0, 1]), np.array([0])
        return (values,), firsts, lasts, ranges, slides, at, *groups
    return (values,), firsts, lasts, width, 1, False, False, width, 0
