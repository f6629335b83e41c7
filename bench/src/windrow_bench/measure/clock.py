"""A clock that compiled code can call: the processor's own counter.

`cycles()` is one instruction between two fences, so that nothing in memory is moved
past it; what it costs itself is measured and told.  The counter runs at a fixed rate,
which is compared with the system's clock.
"""

from __future__ import annotations

import time

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def cycles(typingctx):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """The counter, once all that stands before is done."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]  # noqa: ARG001
        kind = ir.FunctionType(ir.IntType(64), [])
        name = "llvm.readcyclecounter"
        counter = cgutils.get_or_insert_function(builder.module, kind, name)
        builder.fence("seq_cst")
        found = builder.call(counter, [])
        builder.fence("seq_cst")
        return found

    return types.int64(), codegen


@njit
def _gaps(ticks):  # type: ignore[no-untyped-def]
    for i in range(len(ticks)):
        start = cycles()
        ticks[i] = cycles() - start


def a_nanosecond() -> float:
    """Counts in a nanosecond."""

    @njit
    def now() -> int:
        return cycles()  # type: ignore[no-any-return]

    now()
    start, before = time.perf_counter_ns(), now()
    time.sleep(0.2)
    return float((now() - before) / (time.perf_counter_ns() - start))


def own_cost() -> float:
    """What two readings of the clock cost, in counts: the median."""
    ticks = np.empty(100_000, np.int64)
    _gaps(ticks)
    _gaps(ticks)
    return float(np.median(ticks))


def own_grain() -> float:
    """The least that two readings differ by if they differ, in counts."""
    ticks = np.empty(100_000, np.int64)
    _gaps(ticks)
    return float(ticks[ticks > 0].min())


def pauses(rate: float) -> float:
    """How often a second an empty loop loses more than 5 us."""
    ticks = np.empty(20_000_000, np.int64)
    start = time.perf_counter()
    _gaps(ticks)
    return int((ticks > 5_000 * rate).sum()) / (time.perf_counter() - start)
