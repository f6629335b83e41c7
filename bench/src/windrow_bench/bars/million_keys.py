"""`wr.Operator` with a million keys: what it takes, and a tick over all of them."""

from __future__ import annotations

from functools import partial

from windrow_bench.experiment import Row, Size, Trial
from windrow_bench.measure.million_keys import EVENTS, TICKS, ask

from ._bar import OURS, bar, number, number_row, panel

KEYS, QUICK_KEYS = 1_000_000, 100_000
MEMORY, TICK = "memory", "tick"
GB = 1e9


def _run(keys: int, size: Size, _: float) -> list[Row]:
    found = ask(keys)
    facts = {"filled": found["filled"] / GB, "filling_s": found["filling"]}
    return [
        number_row(MEMORY, keys, OURS, [found["ticked"] / GB], size, **facts),
        number_row(TICK, keys, OURS, found["ticks"], size),
    ]


MILLION_KEYS = bar(
    "million-keys",
    "An operator with a million keys",
    f"a sum over 60 s every 10 s, {EVENTS} whole numbers for each of a million keys "
    "(100,000 in a quick run), fed in batches over all keys, in a process of its own; "
    "memory is the most that the whole process held, libraries and the results of a "
    f"tick included; a tick is trigger(at=) with every key due, the middle of {TICKS}",
    [panel(MEMORY, "keys", "GB", log_y=False), panel(TICK, "keys")],
    [
        number("A million keys take 1 GB at most.", MEMORY, OURS, most=1.0),
        number("A tick over a million keys takes 1 s at most.", TICK, OURS, most=1.0),
    ],
    lambda size: [
        Trial(MEMORY, keys, partial(_run, keys, size))
        for keys in [size.pick(QUICK_KEYS, KEYS)]
    ],
)  # fmt: skip

__all__ = ["MILLION_KEYS"]
