"""RA: General Incremental Sliding-Window Aggregation (VLDB 2015), Sections 4 and 5.

Figure 5 event by event, and Theorem 4.2 by counting calls of combine.  Slots are
numbered from 1 in the paper and from 0 in the code.
"""

import math

import pytest

from watched import counter, positions, run
from windrow.aggregates import Aggregate
from windrow.algorithms import find

FLAT_FAT = find("flat_fat")
SIZES = [1, 2, 4, 8, 16, 64, 256, 1024]

CONCAT = Aggregate(
    name="concat",
    lift=lambda value: (value,),
    combine=lambda older, newer: older + newer,
    lower=lambda partial: partial,
)

STREAM = [4, 7, 3, 2, 9]
WINDOWS = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 4), (1, 5)]
FIGURE_5 = [
    # slots a[1] to a[4], F, B, contents of the window
    ([4, None, None, None], 1, 1, (4,)),
    ([4, 7, None, None], 1, 2, (4, 7)),
    ([4, 7, 3, None], 1, 3, (4, 7, 3)),
    ([4, 7, 3, 2], 1, 4, (4, 7, 3, 2)),
    ([None, 7, 3, 2], 2, 4, (7, 3, 2)),
    ([9, 7, 3, 2], 2, 1, (7, 3, 2, 9)),
]
EVENTS = ["4 arrives", "7 arrives", "3 arrives", "2 arrives", "4 leaves", "9 arrives"]


@pytest.mark.parametrize("event", range(6), ids=EVENTS)
def test_figure_5_slots_pointers_and_contents(event):
    windows = WINDOWS[: event + 1]
    front, stop = windows[-1]

    ran = run(FLAT_FAT, CONCAT, STREAM, windows, widest=4)
    tree, capacity = ran.scratch
    used = {i % 4 for i in range(front, stop)}
    slots = [tree[0][4 + s][0] if s in used else None for s in range(4)]
    actual = (slots, front % 4 + 1, (stop - 1) % 4 + 1, ran.answers[-1])

    assert capacity == 4
    assert actual == FIGURE_5[event]


def test_section_5_1_2_the_inverted_buffer_is_answered_by_suffix_then_prefix():
    ran = run(FLAT_FAT, CONCAT, STREAM, WINDOWS, widest=4)
    tree, capacity = ran.scratch

    suffix = ran.kernel.cover(tree, capacity, 1, 4)
    prefix = ran.kernel.cover(tree, capacity, 4, 5)

    assert (suffix[0], prefix[0]) == ((7, 3, 2), (9,))
    assert ran.answers[-1] == suffix[0] + prefix[0]


@pytest.mark.parametrize("n", SIZES)
def test_theorem_4_2_new_takes_n_minus_1_calls_and_aggregate_none(n):
    aggregate, _ = counter()

    new, again = run(FLAT_FAT, aggregate, range(n), [(0, n), (0, n)]).answers

    assert new == n - 1
    assert again == new


def updates(n, m, turn):
    """Calls of combine for m writes to a full FlatFAT of n, and the nodes written."""
    aggregate, calls = counter()
    values = list(range(turn + n + m))
    windows = [(0, n), *((t, t + n) for t in range(1, turn + 1))]
    ran = run(FLAT_FAT, aggregate, values, windows)
    tree, capacity = ran.scratch
    assert capacity == n
    written, store = [], ran.kernel.store

    def watch(fields, place, partial):
        written.append(place)
        store(fields, place, partial)

    ran.kernel.store = watch
    before = calls()
    ran.kernel._update(
        (values,), tree, capacity, (turn, turn + n), turn + m, turn + n + m
    )
    return calls() - before, written


@pytest.mark.parametrize("turn", [0, 1, 5, 7, 12])
@pytest.mark.parametrize("n", [1, 2, 4, 8, 16, 64])
def test_theorem_4_2_update_of_m_leaves_is_bounded_and_batched(n, turn):
    for m in range(1, n + 1):
        actual, written = updates(n, m, turn)

        assert actual <= m * (1 + math.ceil(math.log2(n / m)))
        assert len(written) == len(set(written))
        assert sum(place >= n for place in written) == m


def test_section_4_1_overwriting_the_whole_window_costs_n_minus_1_calls_at_most():
    actual = [updates(64, 64, turn)[0] for turn in range(65)]

    assert max(actual) == 63


@pytest.mark.parametrize("n", [2, 4, 8, 16, 64, 256])
def test_theorem_4_2_prefix_and_suffix_take_at_most_log_n_calls(n):
    aggregate, calls = counter()
    ran = run(FLAT_FAT, aggregate, range(n), [(0, n)])
    tree, capacity = ran.scratch

    for i in range(1, n + 1):
        before = calls()
        prefix = ran.kernel.cover(tree, capacity, 0, i)
        between = calls()
        suffix = ran.kernel.cover(tree, capacity, n - i, n)

        assert prefix == (sum(range(i)),)
        assert suffix == (sum(range(n - i, n)),)
        assert between - before <= math.log2(n)
        assert calls() - between <= math.log2(n)


def test_section_4_2_3_prefix_of_7_in_8_leaves_is_three_nodes():
    aggregate, calls = counter()
    ran = run(FLAT_FAT, aggregate, range(8), [(0, 8)])
    before = calls()

    ran.kernel.cover(*ran.scratch, 0, 7)

    assert calls() - before == 2


def test_section_5_2_no_neutral_element_is_ever_combined():
    neutral = -1

    def combine(older, newer):
        assert neutral not in (older, newer)
        return older + newer

    aggregate = Aggregate(
        name="strict", identity=neutral, lift=int, combine=combine, lower=lambda p: p
    )
    windows = [(max(0, stop - 5), stop) for stop in range(1, 40)]

    actual = run(FLAT_FAT, aggregate, positions(windows), windows).answers

    assert actual == [sum(range(start, stop)) for start, stop in windows]
