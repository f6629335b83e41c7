"""The experiments on spanning events measure what they say, on few of them."""

from __future__ import annotations

import pytest

from windrow.loops import interpreting
from windrow.spans import CATALOGUE
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.spanning import (
    PARTS,
    SpanSetting,
    check,
    contender,
    events,
    solve,
)

SETTING = SpanSetting(30, 50, 10)
TECHNIQUES = [*PARTS, *(one.name for one in CATALOGUE if "sweeping" not in one.name)]


@pytest.mark.parametrize("technique", dict.fromkeys(TECHNIQUES))
def test_every_contender_gives_the_answer(technique):
    with interpreting():
        one = contender(SETTING, technique, 300, height=3)
        one.check(one.call())

    assert one.scale == 1.0


def test_a_wrong_answer_has_no_number():
    given = events(300, SETTING.mu)
    with interpreting():
        begins, found = solve(SETTING, "se_slicing", 1, given)
    found["sum"][-1] += 1

    with pytest.raises(WrongAnswer, match="sum of window"):
        check(SETTING, given, "se_slicing", (begins, found))


def test_a_slow_contender_gets_fewer_events_and_its_time_is_scaled():
    slow = contender(SpanSetting(5_000, 1_000, 2), "tuple_buckets", 2_000_000)

    assert slow.scale > 50
