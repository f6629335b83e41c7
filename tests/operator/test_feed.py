"""Long batches: what lies between both ends is slid over as an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow.operator import quick

ALGORITHMS = ["auto", "sba", "pba", "subtract_on_evict", "two_stacks_lite", "daba"]


@pytest.fixture
def slid(monkeypatch):
    """How many values were slid over as arrays, batch by batch."""
    lengths: list[int] = []
    slide = quick.slide_batch

    def spy(program: Any, values: Any, out: Any) -> None:
        lengths.append(len(values))
        slide(program, values, out)

    monkeypatch.setattr(quick, "slide_batch", spy)
    return lengths


def windows(values: list[int], range_: int, fold: Any) -> list[int]:
    return [fold(values[i : i + range_]) for i in range(len(values) - range_ + 1)]


@pytest.mark.parametrize(
    ("algorithm", "nulls"), [("auto", False), *((name, True) for name in ALGORITHMS)]
)
@given(data=st.data(), range_=st.integers(1, 9))
def test_batches_of_any_length_give_the_windows_of_their_values(
    algorithm, nulls, data, range_
):
    operator = wr.Operator(
        wr.rows(range_),
        wr.sum(),
        algorithm=algorithm,
        nulls=nulls,
        types={"value": "int64"},
    )
    seen: list[int] = []
    values: list[int] = []
    for _ in range(4):
        if data.draw(st.booleans()):
            operator.insert(7)
            values.append(7)
            if len(values) >= range_:
                seen.append(sum(values[-range_:]))
        batch = data.draw(st.lists(st.integers(-9, 9), max_size=60))
        seen += [each.value for each in operator.feed(np.array(batch, np.int64))]
        values += batch
        assert len(operator) == min(len(values), range_)

    assert seen == windows(values, range_, sum)
    assert operator.query() == (sum(values[-range_:]) if values else None)


@pytest.mark.parametrize("aggregate", [wr.max(), wr.mean(), wr.range()])
def test_a_batch_of_four_windows_is_slid_over_as_an_array(aggregate, slid):
    operator = wr.Operator(wr.rows(10), aggregate, types={"value": "float64"})
    values = np.arange(200.0) % 17
    operator.insert(3.0)
    operator.query()

    fed = operator.feed(values)
    short = operator.feed(values[:39])

    alone = wr.Operator(wr.rows(10), aggregate, types={"value": "float64"})
    alone.insert(3.0)
    expected = [each.value for each in alone.feed(values.tolist())]
    assert slid == [199]
    assert [each.value for each in fed] == expected
    assert [each.end for each in fed] == list(range(10, 202))
    assert [each.value for each in short] == [
        each.value for each in alone.feed(values[:39].tolist())
    ]
    assert operator.save() == wr.Operator.load(operator.save()).save()


def test_two_threads_slide_over_a_batch_with_pba(compiled_lane, slid):
    operator = wr.Operator(wr.rows(500), wr.max(), algorithm="pba")
    values = np.random.default_rng(1).random(20_000)
    operator.insert(0.5)
    operator.query()

    fed = operator.feed(values)["max"].to_numpy()

    assert slid == [19_999]
    np.testing.assert_array_equal(fed[1:], wr.slide(values, wr.rows(500), "max"))
