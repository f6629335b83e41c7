"""Claims over several panels, from rows made by hand."""

import pytest

from windrow_bench._claims import from_
from windrow_bench._over_panels import always, cells, changes, rates, steady
from windrow_bench.experiment import NotMeasured, Row, RowSet


def rows(*cells):
    """Rows from (panel, x, series, value)."""
    return RowSet(Row(p, x, s, v, v, v, 1) for p, x, s, v in cells)


TWO = rows(
    ("short", 1, "a", 6.0), ("short", 1, "b", 3.0), ("short", 1, "c", 2.0),
    ("short", 9, "a", 4.0), ("short", 9, "b", 4.0),
    ("long", 1, "a", 3.0), ("long", 1, "c", 6.0),
)  # fmt: skip


def test_a_cell_is_the_best_of_mine_against_the_best_of_the_others():
    actual = cells(TWO, ["short", "long"], ["a"], ["b", "c"])

    assert actual == {("short", 1): 2.0, ("short", 9): 1.0, ("long", 1): 0.5}


def test_each_of_mine_is_held_to_it_where_that_is_asked_for():
    actual = cells(TWO, ["short"], ["a", "b"], ["c"], each=True)

    assert actual == {("short", 1): 1.5}  # c sat out at 9


def test_cells_that_nobody_measured_cannot_be_judged():
    with pytest.raises(NotMeasured, match="a was not measured beside z"):
        cells(TWO, ["short"], ["a"], ["z"])
    with pytest.raises(NotMeasured):
        rates(["short"], ["z"])(TWO)


@pytest.mark.parametrize(
    ("panels", "where", "holds"),
    [
        (["short"], from_(0), True),
        (["short", "long"], from_(0), False),
        (["short", "long"], from_(2), True),
    ],
)
def test_always_is_decided_by_the_worst_cell_that_counts(panels, where, holds):
    verdict = always(panels, ["a"], ["b", "c"], where=where)(TWO)

    assert verdict.holds is holds


def test_always_names_the_worst_cell():
    verdict = always(["short", "long"], ["a"], ["b", "c"])(TWO)

    assert verdict.ours == "1.00x on average, 0.50x at the worst (long, at 1)"


@pytest.mark.parametrize(
    ("first", "then", "holds"), [("long", "short", True), ("short", "long", False)]
)
def test_a_change_is_from_some_cells_to_others(first, then, holds):
    def gain(panel):
        return lambda some: cells(some, [panel], ["a"], ["c"])

    verdict = changes(gain(first), gain(then), "{} to {}")(TWO)

    assert verdict.holds is holds
    assert verdict.ours == ("0.50 to 3.00" if holds else "3.00 to 0.50")


def test_a_steady_rate_is_over_all_panels_or_in_each_of_them():
    together = steady(["short", "long"], "a", at_least=0.6)(TWO)
    apart = steady(["short", "long"], "a", at_least=0.6, apart=True)(TWO)

    assert (together.holds, together.ours) == (False, "least to most: 0.50")
    assert apart.holds
    assert apart.ours == "least to most: 0.67 at the worst (short)"
