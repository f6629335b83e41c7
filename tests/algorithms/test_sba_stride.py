"""The fast path of SBA: chunks, blocks, lanes, at every length where one ends.

Compiled, against whole columns; `last` and `arg_max` do not commute, so a middle,
suffix or prefix out of order shows.
"""

import numpy as np
import pytest

from windrow.aggregates import find as aggregate
from windrow.algorithms import Shape, find, slide_regular
from windrow.algorithms._kernel import kernel_assembly
from windrow.algorithms.sba import BLOCK, FEW_FIELDS, LEAST, LONG
from windrow.kernels import Request, product_of
from windrow.loops import Lane

NARROW = ("last",)
FEW = ("last", "arg_max", "sum")
MANY = ("last", "arg_max", "sum", "min_count", "first")
WIDTHS = [1, 2, 3, 16, 17, LONG - 1, LONG, LEAST, LEAST + 1, BLOCK - 1, BLOCK]
LONGER = [BLOCK + 1, BLOCK + 2, BLOCK + 3, 3 * LEAST, 3 * LEAST + 1, 4 * LEAST - 1]
LONGER += [2 * BLOCK, 3000]


def product(names):
    requests = [
        Request(one, "int", (0,) if "value" in one.takes else ())
        for one in map(aggregate, names)
    ]
    return product_of(requests)


@pytest.mark.parametrize(
    ("names", "lead"),
    [
        (NARROW, False),
        (MANY, True),
        *(
            pytest.param(*case, marks=pytest.mark.deep)
            for case in [(NARROW, True), (MANY, False), (FEW, False), (FEW, True)]
        ),
    ],
)
def test_the_fast_path_equals_whole_columns(names, lead):
    generator = np.random.default_rng(7)
    asked = product(names)
    assert (len(asked.dtypes) > FEW_FIELDS) == (names is MANY)
    for width in WIDTHS + LONGER:
        rows = 7 * width + 40
        values = generator.integers(-9, 9, rows)
        cuts = np.sort(generator.integers(1, rows, 2))
        firsts, lasts = np.array([0, *cuts]), np.array([*cuts, rows])

        work = find("sba"), asked, (values,), firsts, lasts, width
        actual, expected = (
            slide_regular(*work, lead=lead, lane=lane)
            for lane in (Lane.COMPILED, Lane.COLUMNS)
        )

        for mine, theirs in zip(actual, expected, strict=True):
            np.testing.assert_array_equal(mine, theirs, err_msg=f"width {width}")


@pytest.mark.parametrize("name", ["sba", "pba"])
@pytest.mark.parametrize(
    ("leaf", "count"), [("rows", 1), ("slices", 3)], ids=["rows", "slices"]
)
def test_the_source_is_fetched_ahead_of_a_scan(name, leaf, count):
    asked = product(("sum", "arg_max"))  # one column; the fields total, max, position

    text = kernel_assembly(find(name), asked, Shape(leaf, "regular", fast=True)).text()

    source = text.render()
    assert source.count("approach(source, ") == 3  # what it is, and two calls
    assert source.count("prefetch_read(source[") == count
