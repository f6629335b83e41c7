"""Tests that both lanes walk over windows alike, and that each comes out as defined.

A bucket of keys is taken through several steps.  Each slice that comes, and what is
left of its chunk when it leaves, has a place of its own, so that a window's places tell
which slices it is made of.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from windrow.loops import Lane, pinned
from windrow.state.walk import Chunks, SliceRuns, Walk
from windrow.windows import Rule
from windrow.windows.periodic import Periodic
from windrow.windows.rule import Even


class Bucket:
    """The slices of some keys, and the partials of chunks at their places."""

    def __init__(self, chunks: Chunks, panes: list[list[int]]) -> None:
        self.chunks = chunks
        self.panes = panes
        self.slices: dict[int, set[int]] = {}  # at a place: the panes it stands for
        self.heads = tuple(np.full(len(panes), -1) for _ in range(3))

    def place(self, slices: set[int]) -> int:
        self.slices[len(self.slices)] = slices
        return len(self.slices) - 1 if slices else -1

    def runs(self, low: int, high: int, *, leave: bool) -> SliceRuns:
        """The slices of [low, high), with the chunk up to each, or from there on."""
        lists = [[pane for pane in own if low <= pane < high] for own in self.panes]
        panes = np.array([pane for own in lists for pane in own], np.int64)
        places = []
        for key, own in enumerate(lists):
            for pane in own:
                of_chunk = {
                    other
                    for other in self.panes[key]
                    if self.chunks.numbers(other) == self.chunks.numbers(pane)
                    and (other > pane if leave else other <= pane)
                }
                places.append(self.place(of_chunk))
        lasts = np.cumsum([len(own) for own in lists]).astype(np.int64)
        firsts = lasts - np.array([len(own) for own in lists], np.int64)
        numbers = self.chunks.numbers(panes)
        return SliceRuns(firsts, lasts, panes, np.array(places, np.int64), numbers)

    def step(self, before: int, now: int, slab: int) -> list[tuple[Any, ...]]:
        """Move on; give key, begin, end and slices of each window that fell due."""
        coming = self.runs(before, now, leave=False)
        low, high = (self.chunks.begin_due(instant) for instant in (before, now))
        if not self.chunks.has_suffixes:
            high = low
        walk_of = (
            self.chunks,
            before,
            now,
            self.heads,
            coming,
            self.runs(low, high, leave=True),
        )
        results = []
        for lane in Lane:
            with pinned(lane):
                results.append(walked(Walk(*walk_of), self.chunks.rule, slab))
        columns, compiled = results
        for actual, expected in zip(columns, compiled, strict=True):
            np.testing.assert_array_equal(actual, expected)
        _, *heads, keys, begins, ends, head, middle, newest = columns
        self.heads = tuple(heads)
        return [
            (key, begin, end, set().union(*(self.slices[p] for p in places if p >= 0)))
            for key, begin, end, *places in zip(
                *(a.tolist() for a in (keys, begins, ends, head, middle, newest)),
                strict=True,
            )
        ]


def walked(walk: Walk, rule: Rule, slab: int) -> list[np.ndarray]:
    """All that a walk gives, window by window, slab by slab of keys."""
    slabs = [(k, min(k + slab, walk.keys)) for k in range(0, walk.keys, slab)]
    parts = [walk.due(*keys).each(rule) for keys in slabs]
    fields = [(p.keys, p.begins, p.ends, *p.places) for p in parts]
    whole = [np.concatenate(field) for field in zip(*fields, strict=True)]
    return [walk.counts, *walk.after, *(whole or [np.empty(0, np.int64)] * 6)]


@st.composite
def buckets(draw: Any) -> Any:
    slide, shift = draw(st.integers(1, 4)), draw(st.integers(-5, 5))
    range_ = draw(st.integers(slide, 9 * slide))
    gap = draw(st.sampled_from([1, 1, 3, 400]))
    panes = st.sets(st.integers(-9, 60).map(lambda n: n * gap), max_size=25)
    rule = Periodic(0, "", Even(range_, slide, shift))
    return rule, draw(st.lists(panes, min_size=1, max_size=4)), gap


@given(
    buckets(),
    st.lists(st.sampled_from([1, 2, 7, 30]), min_size=1, max_size=6),
    st.integers(1, 5),
)
def test_windows_of_steps_are_those_that_hold_a_slice(bucket, moves, slab):
    rule, times, gap = bucket
    panes = [sorted({int(rule.cut(time)) for time in own}) for own in times]
    keys, due = Bucket(Chunks(rule), panes), []
    now = int(rule.cut(-20 * gap))
    for move in [*moves, 100, 300]:
        before, now = now, int(rule.cut(now + move * gap))
        due += keys.step(before, now, slab)

    expected = []
    for key, own in enumerate(panes):
        numbers = {
            number
            for pane in own
            for number in range(rule.first_over(pane), rule.last_over(pane) + 1)
        }
        for number in sorted(numbers):
            begin, end = int(rule.begin(number)), int(rule.end(number))
            expected.append((key, begin, end, {p for p in own if begin <= p < end}))
    assert sorted(due, key=lambda window: window[:3]) == expected
