"""Numpy's arrays and Arrow's show each other their memory, without pandas between."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from windrow.loops import as_arrow, as_numpy

COLUMNS = {
    "numbers": np.array([3, -1, 2**62]),
    "floats": np.array([0.5, -0.0, -np.inf]),
    "small": np.array([1, 2, 3], np.uint8),
    "strided": np.arange(9)[::3],
    "truths": np.array([True, False, True] * 7),
    "instants": np.array([0, 5, -7], "datetime64[us]"),
    "none": np.empty(0),
    "no truths": np.empty(0, bool),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_arrow_sees_what_numpy_has(name):
    values = COLUMNS[name]
    mask = np.arange(len(values)) % 2 == 1

    assert as_arrow(values).equals(pa.array(values))
    assert as_arrow(values, mask).equals(pa.array(values, mask=mask))


@pytest.mark.parametrize("name", [name for name in COLUMNS if name != "instants"])
@pytest.mark.parametrize("start", [0, 1])
def test_numpy_sees_what_arrow_has(name, start):
    array = pa.array(COLUMNS[name]).slice(start)

    actual = as_numpy(array)

    assert actual.dtype == COLUMNS[name].dtype
    np.testing.assert_array_equal(actual, COLUMNS[name][start:])


def test_first_calls_do_not_import_pandas():
    code = """if True:
        import sys
        import numpy as np, pyarrow as pa, pyarrow.compute as pc
        import windrow as wr
        numbers = [pa.py_buffer(np.arange(50)), pa.py_buffer(np.arange(50) % 3)]
        at, key = (pa.Array.from_buffers(pa.int64(), 50, [None, b]) for b in numbers)
        table = pa.Table.from_arrays([at, key], names=["at", "key"])
        window = wr.sliding(6, every=2, on="at")
        wr.aggregate(table, window, by="key", n=wr.count(), m=wr.mean("at"))
        wr.over(table, on="at", by="key", m=wr.max("at", last="5"))
        wr.slide(np.arange(9.0), wr.rows(3), "sum")
        assert "pandas" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True)
