"""Walks all keys over the windows that fall due at once, with whole columns.

Each place that comes or leaves is written to a chunk of its key at a step, which is the
number of the first window that has it, and a window reads the last places written to
three chunks.  What it reads changes at few steps, and in between lie stretches:

    chunk of step    3  3  3  3  4  4  4  4  5  5  5  .      the last step is no window
    written to 4        a     b
    written to 5                    c
    windows read        a  .  b  .  b  bc .  c  .  .         . as the one before it
    stretches        |--|-----|--|--|--|-----|-----|-|

So the cost is that of what is written, however many windows there are.  The loop of
`walk.py` goes from window to window; both move places, whole numbers, and agree on the
places of each window.  Stretches may end here where nothing changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Columns = tuple[Array, ...]


def walk_columns(
    since: int,
    until: tuple[int, int],
    every: int,
    windows: Columns,
    heads: Columns,
    coming: Columns,
    leaving: Columns,
    keys: tuple[int, int],
    wanted: bool,
    out: Columns,
    after: Columns,
    counts: Array,
) -> int:
    """Do what the loop `walk._walk` does, for the keys from keys[0] to keys[1] - 1."""
    numbers, begins, ends = windows
    last = len(numbers)
    own = slice(*keys)
    chunks = np.append(numbers, until[0]) // every
    starts = np.append(begins, until[1])
    writes = _writes(since, starts, ends, heads, coming, leaving, own)
    of_key, steps, states = _stretches(chunks, keys[1] - keys[0], *writes)
    lengths = np.append(np.diff(steps), 0)
    lengths[steps == last] = 0  # the next stretch is another key's
    lengths[np.max(states, axis=0) < 0] = 0
    counts[own] = np.bincount(of_key, lengths, keys[1] - keys[0])
    if not wanted:
        return 0
    some = np.flatnonzero(lengths)
    found = of_key + keys[0], steps, *states, lengths
    for column, values in zip(out, found, strict=True):
        column[: len(some)] = values[some]
    for slot, places in enumerate(states):
        after[slot][own] = places[steps == last]
    return len(some)


def _writes(
    since: int,
    starts: Array,
    ends: Array,
    heads: Columns,
    coming: Columns,
    leaving: Columns,
    own: slice,
) -> Columns:
    """Key (from 0 on), chunk, step and place of all that is written, oldest first."""
    writes = []
    for slot, places in enumerate(heads):
        some = np.flatnonzero(places[own] >= 0)
        at = np.full_like(some, since + slot), np.zeros_like(some)
        writes.append((some, *at, places[own][some]))
    for runs, bounds in ((leaving, starts), (coming, ends)):
        firsts, lasts, panes, places, chunks = runs[:5]
        sizes = (lasts - firsts)[own]
        rows = np.repeat(lasts[own] - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
        steps = np.searchsorted(bounds, panes[rows], side="right")
        of_key = np.repeat(np.arange(len(sizes)), sizes)
        due = np.flatnonzero(steps < len(starts))  # others leave in a later walk
        writes.append((of_key[due], chunks[rows][due], steps[due], places[rows][due]))
    return tuple(np.concatenate(fields) for fields in zip(*writes, strict=True))


def _stretches(
    chunks: Array, keys: int, of_key: Array, to_chunk: Array, steps: Array, place: Array
) -> tuple[Array, Array, list[Array]]:
    """Key and first step of each stretch, and the places in the three chunks it reads.

    The last stretch of each key is that of the last step alone.
    """
    room = len(chunks) + 1
    ends = np.arange(keys) * room + len(chunks) - 1
    if not len(place):
        return np.arange(keys), ends % room, [np.full(keys, -1)] * 3
    # (key, chunk) pairs are numbered, so that a number for a pair and a step fits
    names, chunk_numbers = np.unique(to_chunk, return_inverse=True)
    pairs, numbers = np.unique(of_key * len(names) + chunk_numbers, return_inverse=True)
    written = numbers * room + steps
    order = np.argsort(written, kind="stable")
    written, place = written[order], place[order]
    pair_key, pair_chunk = pairs // len(names), names[pairs % len(names)]
    moves = [np.searchsorted(chunks, pair_chunk + ahead) for ahead in (-1, 0, 1)]
    changes = [pair_key * room + move for move in moves]
    # sorted here, as np.unique hashes whole numbers: ten times slower for these
    points = np.sort(np.concatenate([of_key * room + steps, ends, *changes]))
    points = points[np.append(points[1:] != points[:-1], True)]
    points = points[points % room < len(chunks)]
    of_key, steps = points // room, points % room
    states = []
    for ahead in range(3):
        name, is_name = _find(names, chunks[steps] + ahead)
        pair, is_pair = _find(pairs, of_key * len(names) + name)
        at = np.searchsorted(written, pair * room + steps, side="right") - 1
        some = is_name & is_pair & (at >= 0) & (written[at] // room == pair)
        states.append(np.where(some, place[at], -1))
    return of_key, steps, states


def _find(values: Array, wanted: Array) -> tuple[Array, Array]:
    """Where each wanted number stands in rising values, and whether it does."""
    at = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    return at, values[at] == wanted
