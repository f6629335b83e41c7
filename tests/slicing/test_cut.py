"""Rows are cut where a slice ends, in bursts, in gaps, and with several combs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.loops import Lane, interpreting, pinned
from windrow.slicing.cut import LEAP, Cuts
from windrow.slicing.slicers import Comb

COMBS = {"one": (Comb(7, 2),), "two": (Comb(6, 0), Comb(4, 1))}
# bursts around the length of a leap, and short and long gaps between them
BURST = st.tuples(st.integers(1, 3 * LEAP), st.sampled_from([0, 1, 5, 7, 90]))
RUN = st.lists(BURST, min_size=1, max_size=6)  # a key has a row


def by_definition(combs, runs):
    """The first row of each slice, and the first slice of each run."""
    edges, firsts, row = [], [], 0
    for times in runs:
        firsts.append(len(edges))
        before = None
        for time in times:
            here = max(time - (time - c.phase) % c.period for c in combs)
            if here != before:
                edges.append(row)
            before, row = here, row + 1
    return [*edges, row], [*firsts, len(edges)]


@pytest.mark.parametrize("combs", COMBS.values(), ids=list(COMBS))
@given(drawn=st.lists(RUN, max_size=3))
def test_rows_are_cut_where_the_slice_changes(combs, drawn):
    runs = [np.cumsum([g for n, gap in some for g in [gap, *[0] * (n - 1)]]).tolist()
            for some in drawn]  # fmt: skip
    times = np.array([time for run in runs for time in run], np.int64)
    lasts = np.cumsum([len(run) for run in runs], dtype=np.int64)
    firsts = lasts - np.array([len(run) for run in runs], np.int64)
    cuts, (edges, starts) = Cuts(combs), by_definition(combs, runs)

    for lane in (interpreting(), pinned(Lane.COLUMNS)):
        with lane:
            found = cuts.cut(times, firsts, lasts)
            none = cuts.cut(times, firsts, lasts, max(len(edges) - 2, 0))

        assert [part.tolist() for part in found] == [edges, starts]
        assert (none is None) is (len(edges) > 1)  # one slice less than there are


@pytest.mark.parametrize(("slide", "factor"), [(1, 1), (60, 59), (1_000_000, 257)])
def test_numbers_that_spark_groups_by_are_spread(slide, factor):
    cuts = Cuts((Comb(slide, 0),))

    assert cuts.number_sql("t").endswith(f"* {factor}L)")
    assert f"n div {factor}L" in cuts.begin_sql("n")
