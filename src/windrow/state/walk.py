"""Which windows fall due, and which three partials each is made of.

    chunk          |   a       |   a + 1   |   a + 2   |
    window j              |----|-----------|-----|
                           head   middle     newest        places of partials, -1: none

A chunk is as long as `every` slides and at least half a window, so that a window
never touches more than three.  While j grows

    slices come     head, middle or newest becomes the csa at the slice's place
    slices leave    head becomes the lcs at the slice's place: what is left of it
    j / every       grows by one: head <- middle <- newest <- none

Only places are moved about here; the partials at them are merged afterwards.  A key
that holds nothing is skipped up to the first window over its next slice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from windrow._compiled import compiled

from .chunks import Chunks

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Runs:
    """Slices of key k: [firsts[k], lasts[k]), in order; `places` -1: nothing left."""

    firsts: Array
    lasts: Array
    panes: Array
    places: Array


@dataclass(frozen=True)
class Heads:
    """For each key the places of head, middle and newest."""

    head: Array
    middle: Array
    newest: Array


@compiled
def _walk(  # type: ignore[no-untyped-def]
    first, last, shape, heads, coming, leaving, keys, wanted, found, after, counts
):
    """Fill `counts`; where `found` has room, its windows, and `after` the heads."""
    range_, slide, shift, every = shape
    length = every * slide
    at = 0
    for k in range(keys[0], keys[1]):
        begun = at
        head, middle, newest = heads[0][k], heads[1][k], heads[2][k]
        chunk = (first - 1) // every
        come, come_stop = coming[0][k], coming[1][k]
        leave, leave_stop = leaving[0][k], leaving[1][k]
        j = first
        while True:
            due = j <= last
            now = j if due else last
            while chunk < now // every:
                if head < 0 and middle < 0 and newest < 0:
                    chunk = now // every
                    break
                head, middle, newest = middle, newest, -1
                chunk += 1
            start = shift + now * slide
            while leave < leave_stop and leaving[2][leave] < start:
                if (leaving[2][leave] - shift) // length == chunk:
                    head = leaving[3][leave]
                leave += 1
            while come < come_stop and (not due or coming[2][come] < start + range_):
                ahead = (coming[2][come] - shift) // length - chunk
                if ahead == 0:
                    head = coming[3][come]
                elif ahead == 1:
                    middle = coming[3][come]
                else:
                    newest = coming[3][come]
                come += 1
            if not due:
                break
            if head >= 0 or middle >= 0 or newest >= 0:
                if wanted:
                    found[0][at], found[1][at] = k, start
                    found[2][at], found[3][at], found[4][at] = head, middle, newest
                at += 1
                j += 1
            elif come < come_stop:
                j = max(j + 1, (coming[2][come] - shift - range_) // slide + 1)
            else:
                j = last + 1
        counts[k] = at - begun
        if wanted:
            after[0][k], after[1][k], after[2][k] = head, middle, newest
    return at


@dataclass(frozen=True)
class Due:
    """Windows that fall due: of key `keys[i]`, beginning at `begins[i]`."""

    keys: Array
    begins: Array
    head: Array
    middle: Array
    newest: Array


class Walk:
    """The windows of one query from `first` to `last`, for all keys of a bucket."""

    def __init__(
        self,
        chunks: Chunks,
        first: int,
        last: int,
        heads: Heads,
        coming: Runs,
        leaving: Runs,
    ) -> None:
        self._given = (
            first,
            last,
            (chunks.range, chunks.slide, chunks.shift, chunks.every),
            (heads.head, heads.middle, heads.newest),
            (coming.firsts, coming.lasts, coming.panes, coming.places),
            (leaving.firsts, leaving.lasts, leaving.panes, leaving.places),
        )
        self.keys = len(heads.head)
        none = np.empty(0, np.int64)
        self.after = Heads(*(np.full(self.keys, -1) for _ in range(3)))
        self.counts = np.zeros(self.keys, np.int64)
        empty = (none,) * 5
        self._run((0, self.keys), False, empty)

    def _run(
        self, keys: tuple[int, int], wanted: bool, found: tuple[Array, ...]
    ) -> None:
        after = (self.after.head, self.after.middle, self.after.newest)
        _walk(*self._given, keys, wanted, found, after, self.counts)

    def due(self, first: int, last: int) -> Due:
        """The windows of keys [first, last), whose heads stand in `after` then."""
        total = int(self.counts[first:last].sum())
        found = tuple(np.empty(total, np.int64) for _ in range(5))
        self._run((first, last), True, found)
        return Due(*found)


__all__ = ["Due", "Heads", "Runs", "Walk"]
