"""A user's functions are given whole columns where they give the same answers there."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow.kernels.trial import schema_on_arrays


def own(lift, combine=lambda a, b: a + b, lower=lambda p: p, **how):
    return wr.Aggregate(name="own", lift=lift, combine=combine, lower=lower, **how)


log_sum_exp = own(
    lambda v: (v, 1.0),
    lambda a, b: (
        np.maximum(a[0], b[0]),
        a[1] * np.exp(a[0] - np.maximum(a[0], b[0]))
        + b[1] * np.exp(b[0] - np.maximum(a[0], b[0])),
    ),
    lambda p: p[0] + np.log(p[1]),
    laws="commutative",
)
ALIKE = {
    "a sum": (own(lambda v: v), ("int64", "int64"), True),
    "halves": (own(lambda v: v / 2), ("float64", "float64"), True),
    "a constant": (own(lambda v: 1), ("int64", "int64"), True),
    "an identity of floats": (
        own(lambda v: v, identity=0.0),
        ("float64", "float64"),
        True,
    ),
    "a truth at the end": (
        own(
            lambda v: (v, 1),
            lambda a, b: (a[0] + b[0], a[1] + b[1]),
            lambda p: p[0] > 2,
        ),
        ("int64", "int64", "bool"),
        False,
    ),
}
NOT_ALIKE = {
    "a branch": own(lambda v: v if v > 0 else -v),
    "math": own(lambda v: v, lower=lambda p: abs(p).bit_length()),
    "all rows at once": own(np.max),
    "the order of rows": own(np.cumsum),
    "sums of truths": own(lambda v: v > 2),
    "another length": own(lambda v: v[:3]),
    "text": own(lambda v: "x"),
    "a failing one": own(lambda v: v.no_such_thing),
}


@pytest.mark.parametrize("name", ALIKE)
def test_functions_that_work_on_arrays_have_the_types_that_they_give(name):
    aggregate, schema, scalar = ALIKE[name]

    assert schema_on_arrays(aggregate, ("int",)) == (schema, scalar)


@pytest.mark.parametrize("name", NOT_ALIKE)
def test_functions_that_differ_on_arrays_are_refused_that_lane(name):
    assert schema_on_arrays(NOT_ALIKE[name], ("int",)) is None


@given(st.lists(st.none() | st.floats(-50, 50), min_size=1, max_size=60))
def test_columns_give_the_answers_of_a_plain_fold(values):
    table = pa.table({"at": range(len(values)), "x": pa.array(values, pa.float64())})

    result = wr.aggregate(table, wr.sliding(5, every=2, on="at"), e=log_sum_exp("x"))

    for window, answer in zip(result["window"], result["e"], strict=True):
        start, end = (max(window[side].as_py(), 0) for side in ("start", "end"))
        rows = [v for v in values[start:end] if v is not None]
        assert answer.is_valid == bool(rows)
        if rows:
            expected = np.log(np.sum(np.exp(rows)))
            assert answer.as_py() == pytest.approx(expected, abs=1e-12)


def test_a_function_that_mixes_rows_later_on_is_seen_in_the_data():
    mixing = own(lambda v: np.where(v > 100, np.sum(v), v) * 1.0)
    values = np.arange(200.0)

    assert schema_on_arrays(mixing, ("float",)) is not None
    assert wr.slide(values, wr.rows(3), mixing)[-1] == 197 + 198 + 199


def test_a_function_that_fails_on_some_array_runs_one_by_one():
    def lift(value):
        if np.size(value) > 100:
            raise TypeError
        return value * 1.0

    assert wr.slide(np.arange(300.0), wr.rows(2), own(lift))[-1] == 298 + 299


def test_functions_on_arrays_need_no_compiler():
    code = """if True:
        import sys
        import numpy as np
        import windrow as wr
        own = wr.Aggregate(
            name="own", lift=lambda v: 2 * v, combine=lambda a, b: a + b,
            lower=lambda p: p,
        )
        assert wr.slide(np.arange(9), wr.rows(2), own)[-1] == 30
        assert "numba" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True)
