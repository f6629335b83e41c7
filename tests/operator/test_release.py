"""What nobody holds any more is gone, without a garbage collector."""

import gc
import weakref
from contextlib import contextmanager

import numpy as np
import pytest

import windrow as wr

TICKS, KEYS = np.arange(3_000), np.arange(3_000) % 3
FLOATS = {"types": {"value": "float64"}, "nulls": False}


@contextmanager
def no_collector():
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def fed(window, **options):
    operator = wr.Operator(window, wr.max(), **FLOATS, **options)
    operator.feed(np.arange(100_000.0))
    return operator


def asked(operator, value=1.0, **more):
    operator.insert(value, **more)
    operator.query(more.get("key"))
    return operator


def with_keys():
    operator = wr.Operator(wr.sliding(60, every=10), wr.max())
    operator.feed(np.arange(3_000.0), at=TICKS, key=KEYS)
    return asked(operator, at=3_000, key=1)


def with_late_events():
    operator = wr.Operator(wr.sliding(60, every=10), wr.max(), lateness=20)
    for at in (100, 90, 170):
        operator.insert(1.0, at=at)
    operator.trigger()
    return operator


MAKES = {
    "without events": lambda: wr.Operator(wr.rows(9), wr.max()),
    "one by one": lambda: asked(wr.Operator(wr.rows(9), wr.max())),
    "batches": lambda: fed(wr.rows(9)),
    "batches, then one": lambda: asked(fed(wr.rows(9))),
    "arrays": lambda: fed(wr.rows(9), algorithm="pba"),
    "arrays, then one": lambda: asked(fed(wr.rows(9), algorithm="pba")),
    "a list": lambda: fed([wr.rows(100), wr.rows(200)]),
    "a list, then one": lambda: asked(fed([wr.rows(100), wr.rows(200)])),
    "payloads": lambda: asked(
        wr.Operator(wr.rows(9), wr.arg_max("a", "b")), {"a": 1, "b": "x"}
    ),
    "keys": with_keys,
    "late events": with_late_events,
}


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_an_operator_that_nobody_holds_is_gone_with_its_windows(make):
    make()  # what is kept for all operators of a kind is made here

    with no_collector():
        operator = make()
        held = [*operator._windows.values(), operator._shared, operator]
        known = [weakref.ref(each) for each in held if each is not None]
        del operator, held

        assert [each() for each in known] == [None] * len(known)


@pytest.mark.parametrize("make", [MAKES["arrays"], MAKES["a list"]])
def test_a_method_that_is_held_serves_when_the_operator_is_gone(make):
    operator = make()
    insert, query = operator.insert, operator.query
    before = operator.query()
    del operator
    gc.collect()

    insert(1e9)
    after = query()

    assert before != after
    assert after in (1e9, {"0": 1e9, "1": 1e9})


def test_a_method_from_before_the_first_event_takes_the_short_way_later():
    operator = wr.Operator(wr.rows(3), wr.sum(), nulls=False)
    insert, query, feed = operator.insert, operator.query, operator.feed

    insert(1)
    insert(2)
    results = feed(np.arange(10, 14))

    assert [each.value for each in results] == [13, 23, 33, 36]
    assert query() == 36
    assert len(operator) == 3
