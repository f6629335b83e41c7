"""The running example of the paper on spanning events, step by step.

    an antenna; every 5 minutes, the calls of the last 15 minutes
    a call of 18 minutes comes in at 34 (and, with three levels, at 79)

42 and 63 are what points give for the window [0, 15), 54 what slices of two parts
give, 91 what three levels give for [50, 65).
"""

from __future__ import annotations

import pytest

from span_model import MultiLevelSlices, SliceLevel
from windrow.aggregates import find

COUNTS = [8, 19, 15, 18, 14, 12, 16]
LONGEST = [20, 63, 19, 33, 12, 47, 14]
GOING = [25, 18, 12, 14, 11, 19, 16]
EDGES = [(5 * i, 5 * i + 5) for i in range(7)]
NO_MAX = (-(2**63),)


def slices(name, identity, ends, goes, height=1):
    """Slices of 5 minutes from 0 on, in their initial state."""
    made = MultiLevelSlices(find(name), height, identity)
    for (start, stop), end, go in zip(EDGES, ends, goes, strict=True):
        made.add_slice(start, stop)
        made.slices[-1][0] = SliceLevel((end,), go, (start, stop))
    return made


def parts(made):
    """Both parts of each slice's first level."""
    return [(levels[0].ends[0], levels[0].goes[0]) for levels in made.slices]


def test_points_give_a_count_of_42():
    points = slices("count", (0,), COUNTS, [(0,)] * 7)

    points.insert_event((), (34, 35))  # one instant: in the last slice only
    released = points.release_window(0, 3)

    assert [end for end, _ in parts(points)] == [8, 19, 15, 18, 14, 12, 17]
    assert points.lower(released) == 42


def test_points_give_a_maximum_of_63():
    points = slices("max", NO_MAX, LONGEST, [NO_MAX] * 7)

    points.insert_event((18,), (34, 35))
    released = points.release_window(0, 3)

    assert [end for end, _ in parts(points)] == [20, 63, 19, 33, 12, 47, 18]
    assert points.lower(released) == 63


def test_a_selective_aggregate_gives_63_with_the_event_in_every_slice_it_crosses():
    flat = slices("max", NO_MAX, LONGEST, [NO_MAX] * 7)

    flat.insert_event((18,), (16, 34))
    released = flat.release_window(0, 3)

    either = [max(end, go) for end, go in parts(flat)]
    assert either == [20, 63, 19, 33, 18, 47, 18]
    assert flat.lower(released) == 63


def test_slices_of_two_parts_give_a_count_of_54():
    flat = slices("count", (0,), COUNTS, [(go,) for go in GOING])

    flat.insert_event((), (16, 34))
    first, second = flat.release_window(0, 2), flat.release_window(0, 3)

    assert [end for end, _ in parts(flat)] == [8, 19, 15, 18, 14, 12, 17]
    assert [go for _, go in parts(flat)] == [25, 18, 12, 15, 12, 20, 16]
    assert (first.ends, first.goes) == ((27,), (18,))
    assert (second.ends, second.goes) == ((42,), (12,))
    assert flat.lower(second) == 54


LEVELS = [  # of the slices [50, 55) to [75, 80): (ends, goes) of levels 1, 2, 3
    [(5, 6), (5, 2), (4, 3)],
    [(3, 5), (7, 4), (5, 6)],
    [(6, 9), (4, 5), (5, 7)],
    [(5, 7), (3, 4), (4, 3)],
    [(5, 4), (5, 4), (4, 7)],
    [(5, 5), (4, 3), (5, 6)],
]


@pytest.fixture
def three_levels():
    made = MultiLevelSlices(find("count"), 3, (0,))
    for i, levels in enumerate(LEVELS):
        stop = 55 + 5 * i
        made.slices.append(
            [
                SliceLevel((end,), (go,), (stop - 5 - 5 * k, stop))
                for k, (end, go) in enumerate(levels)
            ]
        )
    return made


def test_an_event_of_four_slices_goes_into_two_of_three_levels(three_levels):
    before = [list(levels) for levels in three_levels.slices]

    three_levels.insert_event((), (61, 79))

    changed = {
        (i, k): (level.ends[0], level.goes[0])
        for i, levels in enumerate(three_levels.slices)
        for k, level in enumerate(levels)
        if level != before[i][k]
    }
    assert changed == {(5, 2): (6, 6), (2, 0): (6, 10)}


def test_three_levels_give_a_count_of_91(three_levels):
    three_levels.insert_event((), (61, 79))

    released = three_levels.release_window(0, 3)

    assert (released.ends, released.goes) == ((55,), (36,))
    assert three_levels.lower(released) == 91


def test_levels_reach_back_over_the_slices_before_them():
    made = MultiLevelSlices(find("count"), 4, (0,))
    for i in range(8):
        made.add_slice(i, i + 1)

    spans = [level.span for level in made.slices[6]]

    assert spans == [(6, 7), (5, 7), (4, 7), (3, 7)]
    assert [len(levels) for levels in made.slices] == [1, 2, 3, 4, 4, 4, 4, 4]


def test_an_event_of_seven_slices_hops_back_by_the_height():
    made = MultiLevelSlices(find("count"), 4, (0,))
    for i in range(9):
        made.add_slice(i, i + 1)

    made.insert_event((), (2, 9))

    found = {
        (i, k + 1): (level.ends[0], level.goes[0])
        for i, levels in enumerate(made.slices)
        for k, level in enumerate(levels)
        if level.ends[0] or level.goes[0]
    }
    assert found == {(8, 4): (1, 0), (4, 3): (0, 1)}
