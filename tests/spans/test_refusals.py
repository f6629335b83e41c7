"""What is refused, or left out as stated, and how it is told."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import windrow as wr

SPAN = wr.sliding(10, every=5, span=("start", "end"))
EVENTS = pa.table({"start": [1, 4], "end": [3, 9], "v": [5, 6]})


def refusal(data=EVENTS, window=SPAN, kind=wr.WindrowError, **how):
    calls = how.pop("calls", {"n": wr.count()})
    with pytest.raises(kind) as refused:
        wr.aggregate(data, window, aggregates=calls, **how)
    return str(refused.value)


def test_an_event_that_ends_before_it_starts_is_refused_with_the_first_of_them():
    data = pa.table({"start": [1, 7, 9], "end": [3, 6, 2]})

    message = refusal(data, kind=wr.BadInput)

    assert "ends before it starts: 2 rows do, the first of them from 7 to 6" in message


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (pa.timestamp("s"), pa.timestamp("ms")),
        (pa.timestamp("s"), pa.timestamp("s", "UTC")),
        (pa.int64(), pa.timestamp("s")),
        (pa.int32(), pa.int64()),
        (pa.date32(), pa.timestamp("s")),
    ],
    ids=str,
)
def test_bounds_of_two_types_are_refused(start, end):
    one, other = (pa.array([1], pa.int64()).cast(pa.int32() if kind == pa.date32()
                  else pa.int64()).cast(kind) for kind in (start, end))  # fmt: skip
    data = pa.table({"start": one, "end": other})

    message = refusal(data, kind=wr.UnsupportedType)

    assert f"the columns are of types {start} and {end}" in message
    assert "Hint: cast one of them" in message


def test_bounds_that_are_no_instants_are_refused():
    data = pa.table({"start": [1.0], "end": [2.0]})

    assert "it is of type double" in refusal(data, kind=wr.UnsupportedType)


def test_a_row_without_a_bound_is_left_out():
    data = pa.table({"start": [1, None, 1], "end": [3, 3, None], "v": [5, 6, 7]})

    answer = wr.aggregate(data, SPAN, n=wr.count(), all=wr.collect("v"))

    assert answer["n"].to_pylist() == [1, 1]
    assert answer["all"].to_pylist() == [[5], [5]]


def test_no_rows_in_no_rows_out():
    answer = wr.aggregate(EVENTS.slice(0, 0), SPAN, n=wr.count(), f=wr.first("v"))

    assert answer.num_rows == 0
    assert answer.column_names == ["window", "n", "f"]


@pytest.mark.parametrize("span", ["start", ("start",), ("a", "b", "c"), (1, 2), 3])
def test_a_span_is_two_names(span):
    with pytest.raises(wr.WindowError, match="a span is the names of two columns"):
        wr.sliding(10, span=span)


def test_a_span_and_an_instant_are_not_both_given():
    with pytest.raises(wr.WindowError, match="leave out one of them"):
        wr.sliding(10, on="start", span=("start", "end"))


def test_a_column_that_is_not_there_is_named():
    window = wr.sliding(10, span=("start", "ende"))

    assert "did you mean end" in refusal(window=window, kind=wr.UnknownName)


def test_points_and_spans_are_not_mixed_in_a_list():
    points = wr.sliding(10, on="start", name="p")

    message = refusal(window=[SPAN, points], kind=wr.BadInput)

    assert "do not all name the same span=" in message


def test_levels_are_refused_where_order_tells():
    message = refusal(
        calls={"f": wr.first("v")},
        algorithm="se_ml_slicing",
        kind=wr.UnsuitableAlgorithm,
    )

    assert "first(v) is not commutative" in message
    assert "se_slicing" in message


@pytest.mark.parametrize("technique", ["cumulative_sweeping", "starts_and_ends"])
def test_what_cannot_be_taken_off_is_not_swept_by_counts(technique):
    message = refusal(
        calls={"m": wr.max("v")}, algorithm=technique, kind=wr.UnsuitableAlgorithm
    )

    assert "max(v) is not invertible" in message


def test_holistic_aggregates_are_refused_all_but_buckets_of_events():
    calls = {"all": wr.collect("v")}

    message = refusal(calls=calls, algorithm="se_slicing")
    answer = wr.aggregate(EVENTS, SPAN, aggregates=calls, algorithm="tuple_buckets")

    assert "holistic aggregates have no partials" in message
    assert answer["all"].to_pylist() == [[5, 6], [5, 6], [6]]


def test_an_algorithm_for_points_is_no_technique():
    message = refusal(algorithm="two_stacks", kind=wr.UnknownName)

    assert "no technique for spanning events called 'two_stacks'" in message


def test_a_height_belongs_to_levels():
    assert "chunk= is the height of se_ml_slicing" in refusal(chunk=3)


def test_cutty_is_refused():
    assert "use pairs" in refusal(slicer="cutty")


def test_an_event_of_a_trillion_slices_is_refused_before_memory_is_taken():
    data = pa.table({"start": [0], "end": [10**13]})

    message = refusal(data, wr.sliding(10, every=1, span=("start", "end")))

    assert "cannot lay events over 10,000,000,000,000 slices" in message


def test_arrays_take_points_only():
    with pytest.raises(wr.BadInput, match=r"use wr.aggregate"):
        wr.slide([1, 2], SPAN, "max", at=[1, 2])


def test_a_window_with_a_span_has_no_policies_of_points():
    with pytest.raises(wr.BadInput, match=r"an operator of its own"):
        SPAN.policies()


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_the_result_is_of_the_kind_that_came_in(kind):
    frame = EVENTS.to_pandas() if kind == "pandas" else pl.from_arrow(EVENTS)

    answer = wr.aggregate(frame, SPAN, n=wr.count(), most=wr.max("v"))

    assert isinstance(answer, pd.DataFrame if kind == "pandas" else pl.DataFrame)
    assert list(answer["n"]) == [2, 2, 1]
    assert list(answer["most"]) == [6, 6, 6]


@pytest.mark.parametrize("windows", [1, 2])
def test_the_graph_of_a_list_is_refused_with_its_reason(windows):
    """Slices of a window cannot be added up where events cross several."""
    table = pa.table({"start": [0, 3], "end": [5, 9], "x": [1, 2]})
    spans = [wr.sliding(4 * k, every=2, span=("start", "end")) for k in (1, 2)][
        :windows
    ]

    with pytest.raises(wr.UnsuitableAlgorithm, match="an event that crosses several"):
        wr.aggregate(table, spans, s=wr.sum("x"), algorithm="gag")
    with pytest.raises(wr.UnsuitableAlgorithm, match="with a duration with gag"):
        wr.Operator(spans[0], wr.sum("x"), algorithm="gag")
