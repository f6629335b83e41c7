"""`wr.slide` against the oracle: one array in, an entry per window out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import menus
import oracles
import windrow as wr
from lanes import in_both_lanes
from strategies import part, range_and_slide, shaped, special_floats, with_nulls
from windrow.algorithms import CATALOGUE as ALGORITHMS
from windrow.loops import interpreting

TOLERANCE = 1e-9
ONE_COLUMN = [name for name in menus.NAMES if getattr(wr, name).columns[0] < 2]
TWO_COLUMNS = [name for name in menus.NAMES if name not in ONE_COLUMN]


def listed(column: pa.Array) -> list[Any]:
    """An Arrow result as a list; a sketch, which is a struct, as a tuple."""
    values = column.to_pylist()
    return [tuple(v.values()) if isinstance(v, dict) else v for v in values]


@pytest.mark.parametrize("name", ONE_COLUMN)
@part(0.5)
@given(data=st.data())
def test_each_window_of_an_array_equals_the_oracle(name, data):
    _, (column, *_), *rest = data.draw(
        menus.calls(name).filter(lambda call: len(call[1]) > 0)
    )
    kind, drawn = menus.TYPES[column.rpartition("_")[0]]
    values = data.draw(with_nulls(st.lists(drawn, max_size=20)))
    length, slide = data.draw(range_and_slide(12))
    partial = data.draw(st.booleans())

    window = wr.rows(length, every=slide, partial=partial)
    array = pa.array(values, kind)
    options = rest[0] if rest else {}
    asked = getattr(wr, name)(**options) if options else name
    actual = in_both_lanes(lambda: listed(wr.slide(array, window, asked)))

    others = values if name in ("arg_min", "arg_max") else None
    expected = oracles.slide(
        values, length, slide, name, partial=partial, others=others, **options
    )
    assert not oracles.differences(actual, expected, TOLERANCE)


@pytest.mark.parametrize("name", TWO_COLUMNS)
@part(0.5)
@given(data=st.data())
def test_two_arrays_side_by_side_equal_the_oracle(name, data):
    weighs = name == "weighted_median"
    other = st.sampled_from([0.0, 0.5, 1.0, 2.0]) if weighs else special_floats
    pairs = data.draw(st.lists(st.tuples(special_floats, other), max_size=16))
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    length, slide = data.draw(range_and_slide(12))
    arrays = {"x": pa.array(xs, pa.float64()), "y": pa.array(ys, pa.float64())}

    call, window = getattr(wr, name)("x", "y"), wr.rows(length, every=slide)
    actual = in_both_lanes(lambda: wr.slide(arrays, window, call).tolist())

    expected = oracles.slide(xs, length, slide, name, others=ys)
    # a mapping gives numpy, where null and NaN look alike
    expected = [math.nan if value is None else value for value in expected]
    assert not oracles.differences(actual, expected, TOLERANCE)


@pytest.mark.parametrize("algorithm", [one.name for one in ALGORITHMS])
@part(1.0)
@given(data=st.data())
def test_every_algorithm_that_is_named_equals_the_oracle(algorithm, data):
    needs = next(one.needs for one in ALGORITHMS if one.name == algorithm)
    able = [
        n for n in ("sum", "max", "last", "bit_xor") if needs in getattr(wr, n).laws
    ]
    name = data.draw(st.sampled_from(able))
    values = data.draw(shaped())
    length, slide = data.draw(range_and_slide())

    with interpreting():
        window = wr.rows(length, every=slide)
        array = pa.array(values, pa.int64())
        actual = wr.slide(array, window, name, algorithm=algorithm).to_pylist()

    expected = oracles.slide(values, length, slide, name)
    assert actual == expected


@part(1.0)
@given(data=st.data())
def test_several_aggregates_come_as_a_dict_of_arrays(data):
    values = data.draw(shaped())
    length, slide = data.draw(range_and_slide())
    names = ["sum", "max", "count", "mean"]

    with interpreting():
        window = wr.rows(length, every=slide)
        arrays = wr.slide(np.array(values, np.int64), window, names)
    actual = {name: array.tolist() for name, array in arrays.items()}

    expected = {name: oracles.slide(values, length, slide, name) for name in names}
    assert list(actual) == names
    assert oracles.alike(actual, expected, TOLERANCE)


@part(1.0)
@given(data=st.data())
def test_time_windows_of_an_array_equal_the_oracle(data):
    values = data.draw(shaped())
    steps = [data.draw(st.sampled_from([0, 1, 1, 3, 50])) for _ in values]
    at = [sum(steps[: i + 1]) - 60 for i in range(len(values))]
    length, slide = data.draw(range_and_slide())
    window = wr.sliding(length, every=slide)

    array, instants = pa.array(values, pa.int64()), np.array(at, np.int64)
    actual = in_both_lanes(
        lambda: wr.slide(array, window, "sum", at=instants).to_pylist()
    )

    rows = [{"at": t, "v": v} for t, v in zip(at, values, strict=True)]
    spec, calls = oracles.Time(length, slide), {"r": ("sum", ("v",))}
    expected = [row["r"] for row in oracles.aggregate(rows, [], [spec], calls)]
    assert actual == expected


@pytest.mark.parametrize("width", [1, 7, 100, 999, 1000])
@pytest.mark.usefixtures("compiled_lane")
def test_compiled_answers_equal_the_oracle(width):
    values = [float((at * 7919) % 101 - 50) for at in range(1000)]
    values[500], values[777] = math.nan, -math.inf

    actual = wr.slide(np.array(values), wr.rows(width), "max").tolist()

    expected = oracles.slide(values, width, 1, "max")
    assert not oracles.differences(actual, expected)
