"""Which keys of `wr.as_of` are cut into chunks of time, and what is said of it."""

from __future__ import annotations

import pyarrow as pa
import pytest

import windrow as wr
from windrow.plan import plan_as_of
from windrow.plan.as_of_chunks import HOT, choose_chunks

EVENTS = pa.schema([("key", pa.int64()), ("ts", pa.int64()), ("x", pa.int64())])


def _chosen(hot, by="key", **calls):
    plan = plan_as_of(EVENTS, EVENTS, ("ts", "ts"), by, calls)
    return choose_chunks(plan, hot)


@pytest.mark.parametrize("hot", [0, -3, "many", 1.5, None])
def test_what_is_no_number_of_events_is_refused(hot):
    with pytest.raises(wr.BadInput, match="number of events"):
        _chosen(hot, n=wr.count(last="5"))


@pytest.mark.parametrize(
    ("hot", "by", "most"), [(True, "key", HOT), (False, None, HOT), (1, "key", 1)]
)
def test_keys_are_cut_from_so_many_events_on(hot, by, most):
    chunks, reason = _chosen(hot, by, n=wr.count(last="5"), two=wr.sum("x", last=2))

    assert chunks.most == most
    assert f"more than {most:,} events" in reason


@pytest.mark.parametrize(
    ("calls", "why"),
    [
        ({"n": wr.count(last=2, next=3)}, "may be in any chunk"),
        ({"all": wr.collect("x")}, "needs every event before"),
    ],
)
def test_frames_that_cannot_be_cut_leave_keys_whole(calls, why):
    chunks, reason = _chosen(True, **calls)

    assert chunks is None
    assert why in reason


def test_chunks_are_longer_than_frames_whose_events_are_copied():
    copied, _ = _chosen(1, all=wr.collect("x", last="100"))
    merged, _ = _chosen(1, n=wr.count(last="100"))

    assert [copied.shortest, merged.shortest] == [400, 1]
