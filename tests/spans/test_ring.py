"""A ring of slices gives what arrays of all slices give, at any height."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_lanes import equal, product, runs_of_events, source_of

import windrow as wr
from strategies import range_and_slide
from windrow.algorithms import find as find_algorithm
from windrow.loops import Lane, interpreting, pinned
from windrow.slicing import Comb
from windrow.spans import Events, Windows, Work, find, number_slices, ring
from windrow.windows import Even, Periodic


@pytest.mark.parametrize("names", [("count", "sum"), ("max",), ("last", "sum")])
@given(events=runs_of_events(), data=st.data())
def test_a_ring_answers_as_arrays_do(names, events, data):
    whole = product(*names)
    even = Even(*data.draw(range_and_slide()), 0)
    laid = number_slices(events, [Comb(even.slide, 0), Comb(even.slide, even.range)])
    laid = laid.lay()
    _, _, reach, in_order = laid.survey()
    assert in_order, "events are drawn in the order of their ends"
    frames = laid.windows(Periodic(0, "", even))
    windows = Windows(frames, even.range, find_algorithm("two_stacks_lite"))
    height = data.draw(st.integers(1, 6)) if "last" not in names else 1
    width = int((frames.stops - frames.starts).max(initial=1))
    places = 1 << (width + reach + height - 1).bit_length()
    arrays = Work(laid, whole, source_of(laid), height, lane=None)
    walked = Work(laid, whole, source_of(laid), height, lane=None, ring=places,
                  reach=reach)  # fmt: skip

    with interpreting():
        expected = find("se_slicing").run(arrays, [windows])[0]
        actual = ring.walk(walked, windows)
    with pinned(Lane.COLUMNS):
        columns = ring.walk(walked, windows)

    assert equal(actual, expected)
    assert equal(columns, expected)


def table(ends: list[int], length: int = 30) -> pa.Table:
    return pa.table({"a": [end - length for end in ends], "b": ends, "v": ends})


def test_events_in_the_order_of_their_ends_are_walked_over_with_a_ring():
    window = wr.sliding(50, every=5, span=("a", "b"))
    ends = list(range(100, 2000, 3))
    plan = str(wr.explain(table(ends), window, total=wr.sum("v")))

    assert "32 in a ring, once compiled: events are in the order of their" in plan
    assert "algorithm  " not in plan, "the ring is slid over as it is"


def test_events_in_another_order_are_laid_over_all_slices():
    window = wr.sliding(50, every=5, span=("a", "b"))
    ends = list(range(2000, 100, -3))
    plan = str(wr.explain(table(ends), window, total=wr.sum("v")))

    assert "in a ring" not in plan
    assert "over the slices of all windows" in plan


def test_what_explain_says_of_the_ring_is_done(monkeypatch):
    window = wr.sliding(50, every=5, span=("a", "b"))
    seen = []
    monkeypatch.setattr(
        Work,
        "run",
        lambda self, loop, *_, **__: seen.append((loop.__name__, self.ring)),
    )

    wr.aggregate(table(list(range(100, 2000, 3))), window, total=wr.sum("v"))

    assert seen == [("walk_events", 32)]


def test_the_longest_event_tells_how_far_back_a_ring_reaches():
    events = number_slices(
        # one event of nine slices among points, a thousand slices in all
        Events(
            np.r_[0, np.arange(80, 10_000, 10)], np.r_[85, np.arange(80, 10_000, 10)],
            np.array([0]), np.array([993])),
        [Comb(10, 0)],
    ).lay()  # fmt: skip

    assert events.survey()[2:] == (8, True)
