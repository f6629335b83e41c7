"""Cards tell the truth: combines and partials are counted, and compared with them.

An event starts in every step of the window, so that no two neighbours cross the same
slices.  Averages are compared to a tenth, which covers the ends of the stream; worst
costs and space are never exceeded.
"""

from __future__ import annotations

import importlib
import math
import re
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest

from counting import counted, objects
from windrow.algorithms import find as find_algorithm
from windrow.kernels import Assembly
from windrow.loops import Lane, interpreting
from windrow.plan.spans import places_of_ring
from windrow.slicing import Comb
from windrow.spans import (
    BY_NAME,
    CATALOGUE,
    FRAME_COSTS,
    Events,
    Windows,
    Work,
    buckets,
    fill_buckets,
    fold_frames,
    number_slices,
    ring,
    se_slicing,
    starts_and_ends,
)
from windrow.spans._technique import ANY_ORDER
from windrow.windows import Even, Periodic

frames = importlib.import_module("windrow.spans.frames")

STEP, RANGE, LENGTH, COUNT = 10, 60, 100, 600
LAWS = {
    "selective_sweeping": ("selective",),
    "cumulative_sweeping": ("commutative", "invertible"),
    "starts_and_ends": ("commutative", "invertible"),
    "se_ml_slicing": ("commutative",),
}


def value(formula: str, **letters: float) -> float:
    """What a formula of a card comes to; products are written without a sign."""
    known = {"N": (RANGE + LENGTH) / STEP, "E": COUNT, "m": LENGTH, "p": LENGTH}
    known |= {"w": RANGE, "b": STEP, "T": STEP * COUNT + LENGTH}
    text = re.sub(r"log (\w)", r"log2(\1)", formula)
    text = re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", text)
    return float(eval(text, {"log2": math.log2}, known | letters))


def stream(*, in_order: bool = True):
    """One event in each step, of one length, over slices of a step."""
    starts = np.arange(COUNT) * STEP + np.arange(COUNT) * 7 % STEP
    if not in_order:
        starts = starts[::-1].copy()
    events = Events(starts, starts + LENGTH - 1, np.array([0]), np.array([COUNT]))
    laid = number_slices(events, [Comb(STEP, 0)]).lay()
    frames = laid.windows(Periodic(0, "", Even(RANGE, STEP, 0)))
    return laid, Windows(frames, RANGE, find_algorithm("two_stacks_lite"))


def count(technique, laid, windows, *, height=1, places=0):
    """Combines of what is shared, of each window, and the partials that were kept."""
    laws, kept = LAWS.get(technique.name, ()), 0
    selects = "selective" in laws
    tally, product = counted(
        max if selects else lambda a, b: a + b,
        identity=-1 if selects else 0,
        inverse=None if selects else lambda whole, part: whole - part,
        laws=laws,
    )
    values = objects([i * 7919 % 1000 for i in range(COUNT)])
    work = Work(laid, product, (values,), height, ring=places,
                reach=laid.survey()[2])  # fmt: skip

    def arrays(dtypes, size):
        nonlocal kept
        kept += size if dtypes is product.dtypes else 0
        return tuple(np.empty(size, kind) for kind in dtypes)

    modules = (ring, se_slicing, starts_and_ends, buckets)
    with mock.patch.multiple(modules[0], arrays=arrays), \
         mock.patch.multiple(modules[1], arrays=arrays), \
         mock.patch.multiple(modules[2], arrays=arrays), \
         mock.patch.multiple(modules[3], arrays=arrays):  # fmt: skip
        if places:
            technique.walk(work, windows)
            return None, tally, kept
        shared = technique.prepare(work) if technique.prepare else None
        tally.came_out()
        technique.answer(work, shared, windows)
    if isinstance(shared, tuple) and technique.name.endswith("sweeping"):
        kept += sum(map(len, shared))
    if technique.name == "selective_sweeping":
        kept += len(shared) + COUNT  # the heap has room for all
    if technique.name == "tuple_buckets":
        kept += len(fill_buckets(laid, windows.frames)[1])
    prepared = tally.per_window.pop(0) + tally.inverses.pop(0)
    return prepared, tally, kept


@pytest.mark.parametrize("technique", CATALOGUE, ids=lambda t: t.name)
@pytest.mark.parametrize("height", [2, 5])
def test_a_technique_over_a_table_costs_what_its_card_says(technique, height):
    laid, windows = stream(in_order=False)
    if technique.name != "se_ml_slicing" and height > 2:
        return
    costs = technique.any_order or technique.costs

    prepared, tally, kept = count(technique, laid, windows, height=height)

    inserts = COUNT * value(costs.insert, d=height)
    releases = len(windows) * value(costs.release, d=height)
    spent = prepared + tally.total
    if technique.name == "selective_sweeping":  # a heap: at most so many
        assert COUNT < spent <= inserts + releases
    else:
        assert spent == pytest.approx(inserts + releases, rel=0.1)
    each = [sum(pair) for pair in zip(tally.per_window, tally.inverses, strict=True)]
    assert max(each[1:]) <= value(costs.worst, d=height) + 1
    space = value(costs.space, d=height)
    assert 0.8 * space <= kept <= 1.1 * space + 2


def test_a_ring_costs_what_the_card_says_and_keeps_a_window_and_the_longest_event():
    laid, windows = stream()
    costs = BY_NAME["se_slicing"].costs
    slices = (RANGE + LENGTH) // STEP
    places = 1 << slices.bit_length()

    _, tally, kept = count(BY_NAME["se_slicing"], laid, windows, places=places)

    spent = COUNT * value(costs.insert) + len(windows) * value(costs.release)
    assert tally.total == pytest.approx(spent, rel=0.1)
    assert kept == 2 * places, "a power of two of slices"
    assert slices == value(costs.space) / 2
    assert kept < 0.11 * 2 * len(laid), "not as long as the stream"


class CountedRing:
    """The steps of a ring, called one by one over counted partials."""

    def __init__(self, height: int, places: int) -> None:
        self.tally, product = counted(lambda a, b: a + b, identity=0)
        self.product, self.height, self.places = product, height, places
        kernel = Assembly(
            what="counted ring", product=product,
            entries=(("insert_event", ring.insert_event),
                     ("release_window", ring.release_window)),
            **ring.how(height),
        )  # fmt: skip
        self.module = kernel.module()
        empty = (np.zeros(ring.places_of(places, height), object) for _ in range(2))
        self.parts = [(fields,) for fields in empty]
        self.ints, self.back = (0, 0, 0), (0,)

    def spent(self) -> int:
        spent, self.tally._combines = self.tally._combines, 0
        return spent

    def insert(self, first: int, last: int) -> int:
        ring_of = *self.parts, self.places, self.height
        self.ints = self.module.insert_event(*ring_of, self.ints, (1,), first, last)
        return self.spent()

    def release(self, start: int, stop: int) -> int:
        ring_of = *self.parts, self.places, self.height
        answer = self.module.release_window(*ring_of, self.ints, self.back, start, stop)
        self.whole, self.ints, self.back = answer
        return self.spent()

    @property
    def held(self) -> int:
        """Partials of slices from the oldest that is needed up to the newest."""
        return 2 * self.height * (self.ints[2] - self.oldest)

    oldest = 0


@pytest.mark.parametrize(("name", "height"), [("se_slicing", 1), ("se_ml_slicing", 2),
                                              ("se_ml_slicing", 5)])  # fmt: skip
def test_one_event_at_a_time_costs_what_the_card_says(name, height):
    """Each step an event of eleven slices ends; the window before the last is due."""
    costs = BY_NAME[name].online
    letters = {"d": height}
    width, reach = RANGE // STEP, LENGTH // STEP
    slices, inserts, releases, held = CountedRing(height, 32), [], [], []

    for last in range(reach, 200):
        inserts.append(slices.insert(last - reach, last))
        held.append(slices.held)
        stop = last + 1 - reach
        if stop >= width:
            slices.oldest = stop - width + 1
            releases.append(slices.release(stop - width, stop))
            assert slices.whole == (min(stop, width + reach),), "all that overlap"

    assert max(inserts) <= value(costs.insert, **letters)
    assert np.mean(inserts) > value(costs.insert, **letters) - 1
    assert np.mean(releases) == pytest.approx(value(costs.release, **letters), rel=0.1)
    assert max(releases) <= value(costs.worst, **letters)
    assert max(held) <= value(costs.space, **letters) + 2 * height


def test_the_tree_of_over_costs_what_its_card_says(monkeypatch):
    """Each event's frame goes back over three others; E is a power of two."""
    count, kept = 256, []
    tally, product = counted(lambda a, b: a + b, identity=0)
    starts = np.arange(count) * 10
    made = frames.arrays

    def arrays(dtypes, size):
        kept.append(size if dtypes is product.dtypes else 0)
        return made(dtypes, size)

    monkeypatch.setattr(frames, "arrays", arrays)
    bounds, asked = (starts, starts + 14), (starts - 20, starts + 1)
    with interpreting():
        (out,) = fold_frames(product, (objects([1] * count),), np.arange(count),
                             bounds, asked, Lane.COMPILED)  # fmt: skip

    assert out[10] == 4, "itself, and three that end at its start less 20 or later"
    each, inserted = np.array(tally.per_window), value(FRAME_COSTS.insert, E=count)
    answers = each - inserted  # an event enters for each frame
    assert answers.min() >= 0
    assert answers.mean() == pytest.approx(value(FRAME_COSTS.release, E=count), rel=0.1)
    assert answers.max() <= value(FRAME_COSTS.worst, E=count)
    assert sum(kept) == value(FRAME_COSTS.space, E=count)


def test_a_list_of_windows_keeps_an_array_of_slices_even_in_order():
    """As the card says of several windows: the ring serves one."""
    laid, windows = stream()
    costs = BY_NAME["se_slicing"].forms[ANY_ORDER]
    rules = [Periodic(0, "", Even(width, STEP, 0)) for width in (RANGE, 30)]
    in_order = SimpleNamespace(in_order=True)

    _, _, kept = count(BY_NAME["se_slicing"], laid, windows)

    assert places_of_ring(BY_NAME["se_slicing"], None, rules, in_order) == 0
    assert kept == pytest.approx(value(costs.space), rel=0.1)
