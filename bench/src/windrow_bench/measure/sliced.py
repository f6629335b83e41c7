"""A stream cut into slices of its slide, and an algorithm that merges these.

    rows       . . . | . . . | . . . | . . . | .    cut where windows start (Cutty)
    fold       partial partial partial              timed
    merge      |------ window ------|--|            timed; what is over is its tail

Where slices begin and which of them each window covers is found beforehand, the same
for all contenders: what is timed is folding rows and merging slices.  Where nearly
every slice is one row, rows are slices, and nothing is folded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from windrow.algorithms import (
    LEAST_STREAM,
    LEAST_WINDOW,
    Algorithm,
    slide_arrays,
    slide_regular,
)
from windrow.loops import spare_threads
from windrow.slicing import Cuts, find, fold
from windrow.windows import Counted, Even, Frames, Periodic, frames

from .answers import FOLDS, Array, WrongAnswer
from .kernels import product
from .race import Contender

WORTH_FOLDING = 0.7  # slices a row, as in the engine
SAMPLE = 40


@dataclass(frozen=True)
class Cut:
    """A stream, its slices, and its windows; without `times` windows count rows."""

    values: Array
    times: Array | None
    range: int
    slide: int
    edges: Array
    frames: Frames

    @property
    def folds(self) -> bool:
        """Whether slices are worth having."""
        return len(self.edges) - 1 <= WORTH_FOLDING * len(self.values)

    @property
    def has_tails(self) -> bool:
        """Whether windows end in the middle of a slice."""
        return self.range % self.slide != 0


def cut_stream(values: Array, times: Array | None, range_: int, slide: int) -> Cut:
    """Slices and windows of a stream in order; only complete windows of rows."""
    runs = np.array([0]), np.array([len(values)])
    cut = Cuts(find("cutty").combs(range_, slide, 0)).cut(times, *runs)
    assert cut is not None
    edges, bounds = cut
    tails = range_ % slide != 0
    even = Even(range_, slide, 0)
    rule = Counted(0, "", even) if times is None else Periodic(0, "", even)
    framed = frames(rule, times, edges, bounds, tails=tails)
    return Cut(values, times, range_, slide, edges, framed)


def sliced_contender(algorithm: Algorithm, aggregate: str, over: Cut) -> Contender:
    """That algorithm over all windows of a cut stream, named by what runs."""
    name = name_over(algorithm, over)
    call = _count_windows if over.times is None else _time_windows

    def check(actual: Array) -> None:
        check_cut(name, actual, over, aggregate)

    return Contender(name, call(algorithm, aggregate, over), check)


def name_over(algorithm: Algorithm, over: Cut) -> str:
    """Time windows are given as arrays, for which some algorithms have no loop.

    Two threads have one, where a second core is free and windows are long.
    """
    if over.times is None:
        return algorithm.name
    widest = int((over.frames.stops - over.frames.starts).max(initial=0))
    enough = widest >= LEAST_WINDOW and len(over.edges) - 1 >= LEAST_STREAM
    if algorithm.threads > 1 and enough and spare_threads() > 1:
        return algorithm.name
    return algorithm.uneven_name


def _count_windows(
    algorithm: Algorithm, aggregate: str, over: Cut
) -> Callable[[], Array]:
    asked, source = product(aggregate, over.values), (over.values,)
    count, width = len(over.frames.begins), over.range // over.slide
    first, last = np.array([0]), np.array([count + width - 1])

    def call() -> Array:
        if over.slide == 1:
            return slide_regular(algorithm, asked, source, first, last, width)[0]
        slices = fold(asked, source, over.edges[:-1], over.edges[1:])
        return slide_regular(
            algorithm,
            asked,
            slices,
            first,
            last,
            width,
            leaf="slices",
            tails=_tails(aggregate, over),
        )[0]

    return call


def _time_windows(
    algorithm: Algorithm, aggregate: str, over: Cut
) -> Callable[[], Array]:
    asked, source = product(aggregate, over.values), (over.values,)
    starts, stops, leaf = over.frames.starts, over.frames.stops, "slices"
    if not over.folds:
        starts, stops, leaf = over.edges[starts], over.edges[stops], "rows"

    def call() -> Array:
        where: tuple[Array, ...] = source
        if over.folds:
            where = fold(asked, source, over.edges[:-1], over.edges[1:])
        tails = _tails(aggregate, over)
        return slide_arrays(
            algorithm, asked, where, starts, stops, leaf=leaf, tails=tails
        )[0]

    return call


def _tails(aggregate: str, over: Cut) -> tuple[Array, ...]:
    if not over.has_tails:
        return ()
    starts, stops = over.frames.tail_starts, over.frames.tail_stops
    assert starts is not None
    assert stops is not None
    return fold(product(aggregate, over.values), (over.values,), starts, stops)


def check_cut(who: str, actual: Array, over: Cut, aggregate: str) -> None:
    """Some windows folded again from rows that are found by their place or time."""
    begins = over.frames.begins
    if len(actual) != len(begins):
        raise WrongAnswer(f"{who}: {len(actual)} windows, not {len(begins)}")
    random = np.random.default_rng(over.range).integers(0, len(begins), SAMPLE)
    for i in sorted({0, 1, len(begins) - 2, len(begins) - 1, *random.tolist()}):
        begin = int(begins[i])
        bounds = np.array([begin, begin + over.range])
        if over.times is not None:
            bounds = np.searchsorted(over.times, bounds)
        expected = FOLDS[aggregate](over.values[bounds[0] : bounds[1]])
        if not np.isclose(actual[i], expected):
            raise WrongAnswer(
                f"{who}: {aggregate} of window {i} is {expected}, not {actual[i]}"
            )


def slower_contender(
    algorithm: Algorithm, aggregate: str, over: Cut, windows: int
) -> Contender:
    """The same over the first windows alone, its time scaled to all of them."""
    total = len(over.frames.begins)
    if windows >= total:
        return sliced_contender(algorithm, aggregate, over)
    end = over.range + (windows - 1) * over.slide
    if over.times is not None:
        end = int(np.searchsorted(over.times, over.frames.begins[windows]))
    times = None if over.times is None else over.times[:end]
    part = cut_stream(over.values[:end], times, over.range, over.slide)
    one = sliced_contender(algorithm, aggregate, part)
    return replace(one, scale=total / len(part.frames.begins))
