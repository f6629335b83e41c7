"""Events with a duration, and a technique run over them, as the paper's figures do.

    one event ends at each instant; its length is normal around `mu`, sigma 10
    count, sum and max of each window of `range`, one every `step`

Sweeping is two techniques, one for count and sum and one for max, and takes the time of
both.  Slow contenders get fewer events, which is a shorter stretch of the same stream,
and their time is scaled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import numpy as np

from windrow.aggregates import find as find_aggregate
from windrow.algorithms import find as find_algorithm
from windrow.kernels import Product, Request, product_of
from windrow.slicing import BY_NAME as SLICERS
from windrow.spans import Events, Windows, Work, find, number_slices
from windrow.windows import Even, Periodic

from .answers import WrongAnswer
from .race import Contender
from .values import SEED

Array = np.ndarray[Any, Any]

PLENTY = 1e9  # insertions that a technique may take
SHARES = {"tuple_buckets": 0.02, "aggregate_buckets": 0.2}  # of that, where it is less
SWEEP = 100.0  # insertions that sweeping an event costs, with its sorts and heaps
HOP = 4.0  # insertions that one into a level costs: it is no neighbour of the last
LEAST = 1  # stretches of a window and an event that the slowest have to take
SAMPLE = 12  # windows that are folded from scratch to check an answer

Given = tuple[Events, Array]
Source = Callable[[int, int], Given]
"""So many events of that mean length, in the order of their ends, and their values."""


@lru_cache(maxsize=4)
def events(n: int, mu: int) -> Given:
    """One that ends at each instant, with values below 1,000."""
    rng = np.random.default_rng([SEED, mu])
    lengths = np.maximum(rng.normal(mu, 10, n).astype(np.int64), 1)
    lasts = np.arange(n)
    made = Events(lasts - lengths + 1, lasts, np.array([0]), np.array([n]))
    return made, rng.integers(0, 1_000, n)


@dataclass(frozen=True)
class SpanSetting:
    """Lengths in instants: of events, of windows, and of the step between these.

    Events come from `source`, `rate` of them in an instant.
    """

    mu: int
    range: int
    step: int
    source: Source = field(default=events, repr=False)
    rate: float = field(default=1.0, repr=False)

    @property
    def name(self) -> str:
        """As the tables have it."""
        return f"{self.range:,} / {self.step:,}"

    def work(self, technique: str, height: int = 1) -> float:
        """Insertions that an event takes."""
        if technique.endswith("buckets"):
            return (self.mu + self.range) / self.step + 1
        if technique == "se_ml_slicing":
            return HOP * self.mu / self.step / height + 1
        if technique == "sweeping":
            return SWEEP
        return self.mu / self.step + 1 if technique == "se_slicing" else 1.0


def product(names: Sequence[str]) -> Product:
    """Those aggregates over one column of whole numbers."""
    requests = []
    for name in names:
        slots = () if name == "count" else (0,)
        requests.append(Request(find_aggregate(name), "int", slots))
    return product_of(requests)


ALL = ("count", "sum", "max")
PARTS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "sweeping": (
        ("cumulative_sweeping", ("count", "sum")),
        ("selective_sweeping", ("max",)),
    ),
    "starts_and_ends": (
        ("starts_and_ends", ("count", "sum")),
        ("se_ml_slicing", ("max",)),
    ),
}


def solve(setting: SpanSetting, technique: str, height: int, given: Given) -> Any:
    """Windows' begins, and count, sum and max of each."""
    some, values = given
    even = Even(setting.range, setting.step, 0)
    laid = number_slices(some, SLICERS["pairs"].combs(*even)).lay()
    windows = Windows(
        laid.windows(Periodic(0, "", even)), setting.range, find_algorithm("sba")
    )
    found: dict[str, Array] = {}
    reach = laid.survey()[2]
    for name, aggregates in PARTS.get(technique, ((technique, ALL),)):
        ring = 0
        if name == "se_slicing":  # as for a table whose events are in order
            widest = int((windows.frames.stops - windows.frames.starts).max())
            ring = 1 << (widest + reach + 1).bit_length()
        work = Work(
            laid, product(aggregates), (values,), height, ring=ring, reach=reach
        )
        (out,) = find(name).run(work, [windows])
        found.update(zip(aggregates, out, strict=True))
    return windows.frames.begins, found


def check(setting: SpanSetting, given: Given, who: str, answer: Any) -> None:
    """Some windows folded from scratch."""
    begins, found = answer
    some, values = given
    for i in np.linspace(0, len(begins) - 1, SAMPLE).astype(int):
        held = values[
            (some.starts < begins[i] + setting.range) & (some.lasts >= begins[i])
        ]
        expected = {"count": len(held), "sum": held.sum(), "max": held.max()}
        for name, value in expected.items():
            if found[name][i] != value:
                raise WrongAnswer(
                    f"{who}: {name} of window {i} is {found[name][i]}, not {value}"
                )


def contender(
    setting: SpanSetting,
    technique: str,
    n: int,
    height: int = 1,
    plenty: float = PLENTY,
) -> Contender:
    """A technique on as many events as it can take in `plenty` of insertions."""
    most = SHARES.get(technique, 1.0) * plenty
    least = LEAST * setting.rate * (setting.range + setting.mu)
    rows = int(min(n, max(most / setting.work(technique, height), least)))
    name = levels(height) if technique == "se_ml_slicing" else technique
    given = setting.source(rows, setting.mu)  # made here: its time is nobody's
    return Contender(
        name,
        partial(solve, setting, technique, height, given),
        partial(check, setting, given, name),
        scale=n / rows,
    )


def levels(height: int) -> str:
    """What slices of several levels are called."""
    return f"se_ml_slicing, {height} levels"
