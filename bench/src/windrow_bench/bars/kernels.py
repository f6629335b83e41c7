"""Kernels bare: beside one pass over memory, a plain tree, and in two threads.

Kernels and rivals read a prepared array and write a prepared array; the algorithm is
the one that the planner picks, or the one that is named.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numba import njit

from windrow.algorithms import find
from windrow_bench.experiment import Size, Trial
from windrow_bench.measure.answers import Array, check_windows
from windrow_bench.measure.kernels import auto, kernel_contender, pass_contender
from windrow_bench.measure.race import Contender
from windrow_bench.measure.turns import a_second
from windrow_bench.measure.values import values

from ._bar import bar, bar_trial, growth, rates, speed

ROWS, QUICK_ROWS = 8_000_000, 400_000
WIDTHS = (16, 256, 4_096, 65_536, 1_048_576)
QUICK_WIDTHS = (16, 4_096, 65_536)
LONG, QUICK_LONG = (131_072, 524_288, 1_048_576), (16_384, 131_072)
KERNEL, PASS, PLAIN, FAT = "kernel", "one pass", "plain tree", "flat_fat"
# panel: aggregate, type of the values, least share of the pass that was promised
KERNELS = {
    "max": ("max", "float64", 0.30),
    "sum, drift-free": ("sum", "float64", 0.30),
    "sum of int64": ("sum", "int64", 0.40),
    "mean": ("mean", "float64", None),
    "variance": ("variance", "float64", None),
}
RATE = "values a second (millions)"


def _renamed(one: Contender, name: str) -> Contender:
    return Contender(name, one.call, one.check, one.scale)


def _beside_pass(aggregate: str, dtype: str, width: int, rows: int) -> list[Contender]:
    given = values(rows, dtype)
    kernel = kernel_contender(auto(aggregate, given, width), aggregate, given, width)
    return [pass_contender(given), _renamed(kernel, KERNEL)]


def _kernels(size: Size) -> list[Trial]:
    rows = size.pick(QUICK_ROWS, ROWS)
    return [
        bar_trial(
            label,
            width,
            partial(_beside_pass, aggregate, dtype, width, rows),
            size,
            value=a_second(rows),
        )
        for label, (aggregate, dtype, _) in KERNELS.items()
        for width in size.pick(QUICK_WIDTHS, WIDTHS)
    ]


def _pair(one: str, other: str, width: int, rows: int) -> list[Contender]:
    given = values(rows)
    return [kernel_contender(find(n), "max", given, width) for n in (one, other)]


def _two_threads(size: Size) -> list[Trial]:
    rows = size.pick(QUICK_ROWS, ROWS)
    return [
        bar_trial("max", width, partial(_pair, "sba", "pba", width, rows), size,
                  value=a_second(rows))
        for width in size.pick(QUICK_LONG, LONG)
    ]  # fmt: skip


@njit(error_model="numpy", nogil=True)
def _plain_tree(x, width, tree, out):
    """The largest of each window: leaves in a ring below a tree in an array."""
    leaves = len(tree) // 2
    tree[:] = -np.inf
    for i in range(len(x)):
        at = leaves + i % width
        tree[at] = x[i]
        while at > 1:
            at //= 2
            tree[at] = max(tree[2 * at], tree[2 * at + 1])
        if i >= width - 1:
            out[i - width + 1] = tree[1]


def plain_tree(given: Array, width: int) -> Contender:
    """The plainest FlatFAT that can be written, for max."""
    tree = np.empty(2 * (1 << (width - 1).bit_length()))
    out = np.empty(len(given) - width + 1)

    def call() -> Array:
        _plain_tree(given, width, tree, out)
        return out

    return Contender(
        PLAIN, call, lambda a: check_windows(PLAIN, a, given, width, "max")
    )


def _trees(width: int, rows: int) -> list[Contender]:
    given = values(rows)
    return [kernel_contender(find(FAT), "max", given, width), plain_tree(given, width)]


def _flat_fat(size: Size) -> list[Trial]:
    rows = size.pick(QUICK_ROWS, ROWS // 4)
    return [
        bar_trial("max", width, partial(_trees, width, rows), size,
                  value=a_second(rows))
        for width in size.pick(QUICK_WIDTHS, WIDTHS)
    ]  # fmt: skip


BESIDE_PASS = bar(
    "kernels",
    "Kernels beside one pass over memory",
    "values in an array, slide 1, one thread, into prepared memory; the pass is "
    "y = x + 1",
    [rates(label, "window (rows)", RATE) for label in KERNELS],
    [
        *(
            speed(f"{label}: at least {least:.0%} of the pass, at every window.",
                  label, KERNEL, (PASS,), least, rate=True)
            for label, (_, _, least) in KERNELS.items() if least
        ),
        *(
            growth(f"{label}: no window is twice as slow as another.",
                   label, KERNEL, 2.0, rate=True, spread=True)
            for label in KERNELS
        ),
    ],
    _kernels,
)  # fmt: skip
TWO_THREADS = bar(
    "pba-two-threads",
    "PBA in two threads beside SBA in one, over long windows",
    "max of floats, slide 1, into prepared memory; the second thread needs a core of "
    "its own",
    [rates("max", "window (rows)", RATE)],
    [
        replace(
            speed("From 131,072 rows on PBA in two threads is 1.4 times as fast as "
                  "SBA.", "max", "pba", ("sba",), 1.4, rate=True),
            tried="half the work in the second thread (suffixes within lanes): 13 to 7 "
            "ms there, and no less together; reading ahead in the scans of both: pba "
            "1.5 times as fast and sba 1.7 times, so that 1.24 became 1.03 on average",
        ),
    ],
    _two_threads,
    threads=0,
)  # fmt: skip
TREES = bar(
    "flat-fat",
    "FlatFAT beside the plainest tree that can be written",
    "max of floats, slide 1, one thread, into prepared memory; the plain tree is a "
    "ring of leaves below an array, twenty lines",
    [rates("max", "window (rows)", RATE)],
    [
        speed("FlatFAT is as fast as the plain tree, at every window.",
              "max", FAT, (PLAIN,), 1.0, rate=True),
    ],
    _flat_fat,
)  # fmt: skip

EXPERIMENTS = (BESIDE_PASS, TWO_THREADS, TREES)
