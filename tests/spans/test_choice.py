"""Which technique is chosen, from what, and how it is told."""

from __future__ import annotations

import pyarrow as pa
import pytest

import windrow as wr
from windrow.plan.spans import MOST_HEIGHT, Lengths


def table(length: int, n: int = 2000) -> pa.Table:
    """An event at each instant, of about one length: no two neighbours are alike."""
    ends = list(range(length, length + n))
    starts = [end - length - 10 * (i % 2) for i, end in enumerate(ends)]
    return pa.table(
        {"start": starts, "end": ends, "v": ends, "f": list(map(float, ends))}
    )


def told(length: int, **calls) -> str:
    window = wr.sliding(50, every=10, span=("start", "end"))
    return str(wr.explain(table(length), window, **calls))


def test_short_events_of_any_aggregate_go_into_slices_of_two_parts():
    text = told(5, n=wr.count(), longest=wr.max("v"), first=wr.first("v"))

    assert text.count("technique  ") == 1
    assert "each crosses 1.9" in text
    assert "insertions an event, which is least work" in text
    assert "technique  se_slicing" in text
    assert "slicer     pairs" in text


def test_neighbours_that_cross_the_same_slices_are_one_piece():
    many = Lengths(2_000_000, 10_000, 26.0, 2_000_000)
    few = Lengths(2_000_000, 10_000, 26.0, 200_000)

    assert not many.short
    assert few.short


def test_long_events_go_different_ways_by_their_aggregates():
    text = told(400, n=wr.count(), mean=wr.mean("f"), most=wr.max("v"), f=wr.first("v"))

    assert "technique  starts_and_ends: events cross 41.4 slices; whole numbers" in text
    assert "(for n)" in text
    assert text.count("technique  se_ml_slicing: events cross 41.4 slices") == 2
    assert "technique  se_slicing: not commutative: levels would lose the order" in text


def test_very_long_events_of_what_selects_but_does_not_commute_are_swept():
    text = told(1000, f=wr.first("v"), who=wr.arg_max("v", "f"))

    assert text.count("technique  selective_sweeping") == 2


def test_a_technique_can_be_forced_and_so_can_its_height():
    window = wr.sliding(50, every=10, span=("start", "end"))

    text = str(
        wr.explain(table(40), window, n=wr.count(), algorithm="se_ml_slicing", chunk=3)
    )

    assert "technique  se_ml_slicing: asked for by name, 3 levels" in text


def test_the_order_of_ends_is_asked_for_only_where_it_tells():
    assert "from start to end, in any order" in told(5, n=wr.count())
    assert "in the order of their ends" in told(5, f=wr.first("v"))


def test_holistic_aggregates_get_buckets():
    assert "technique  tuple_buckets: no partial of bounded size (collect(v))" in told(
        5, all=wr.collect("v")
    )


@pytest.mark.parametrize("crossed", [1.0, 3.0, 30.0, 3000.0])
@pytest.mark.parametrize("slices", [1, 100, 10_000_000])
def test_a_height_is_never_above_what_an_event_fills(crossed, slices):
    height = Lengths(1_000_000, slices, crossed, 1_000_000).height()

    assert 1 <= height <= min(MOST_HEIGHT, crossed)


def test_longer_events_get_more_levels():
    heights = [Lengths(2_000_000, 100_000, c, 2_000_000).height() for c in (2, 26, 251)]

    assert heights == sorted(heights)
    assert heights[0] < heights[-1]


@pytest.mark.parametrize(
    ("crossed", "pieces", "height"), [(25.9, 0.54, 7), (250.9, 0.54, 20)]
)
def test_the_height_in_the_setting_of_figure_13_is_about_the_papers(
    crossed, pieces, height
):
    """Windows of 1,000 every 20 over 2M events of 500 and of 5,000, one an instant."""
    lengths = Lengths(2_000_000, 100_000, crossed, int(pieces * 2_000_000))

    assert lengths.height() == height
    assert lengths.levels(height) < 0.8 * lengths.flat(), "so that levels are chosen"


def test_short_events_are_not_worth_levels():
    """Events of 500 in windows of 5,000 every 1,000: most neighbours are one piece."""
    lengths = Lengths(2_000_000, 2_000, 1.5, 24_000)

    assert lengths.short
    assert lengths.flat() < 0.1 * lengths.events


def test_every_card_is_shown():
    cards = list(wr.techniques())

    assert [card["name"] for card in cards if card["form"] == "table"] == [
        "tuple_buckets",
        "aggregate_buckets",
        "cumulative_sweeping",
        "selective_sweeping",
        "se_slicing",
        "se_ml_slicing",
        "starts_and_ends",
    ]
    assert all(value.strip() for card in cards for value in card.values())
