"""What nobody holds any more is gone, without a garbage collector.

Memory follows a window down as well as up: after a burst it is as if there was none.
"""

import gc
import weakref
from array import array
from contextlib import contextmanager

import numpy as np
import pytest

import windrow as wr
from windrow.algorithms import CATALOGUE
from windrow.loops import interpreting
from windrow.operator.runtime import WindowProgram
from windrow.operator.span_program import SpanProgram
from windrow.spans.online import SpanKernel

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
    operator.feed(np.arange(40_000.0))  # more than go as steps
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


# --- memory follows the window down ----------------------------------------------

BURST, LEFT, FLOOR = 3_000, 60, 1 << 15
ROLLING = wr.window(evict="10 s", trigger=None)
SLIDING = wr.sliding("10 s", every="2 s")
KINDS = {
    "a window": (ROLLING, None),
    "windows": ([SLIDING, wr.sliding("4 s", every="1 s")], None),
    "rolling windows": ([ROLLING, wr.window(evict="4 s", trigger=None)], None),
    "late": (ROLLING, "2 s"),
    "late and sliding": (SLIDING, "2 s"),
}
SHARED = (WindowProgram, SpanProgram, SpanKernel)  # by all operators of a kind
CASES = [
    (algorithm.name, kind, keys)
    for algorithm in CATALOGUE
    if algorithm.steps is not None
    for kind in KINDS
    for keys in (0, 4)
    if algorithm.steps.many or "windows" not in kind
    if not algorithm.steps.fifo or "late" not in kind
]


def kept_bytes(operator):
    """Bytes of all arrays that an operator reaches, and 64 for each other thing."""
    seen, found, stack, others = set(), {}, [vars(operator)], 0
    while stack:
        each = stack.pop()
        if id(each) in seen or isinstance(each, SHARED):
            continue
        seen.add(id(each))
        if isinstance(each, np.ndarray):
            while isinstance(each.base, np.ndarray):
                each = each.base
            found[id(each)] = each.nbytes
        elif isinstance(each, array):
            found[id(each)] = len(each) * each.itemsize
        elif isinstance(each, dict | list | tuple):
            others += len(each)
            stack += each.values() if isinstance(each, dict) else each
        elif type(each).__module__.startswith("windrow."):
            stack += [vars(each)] if hasattr(each, "__dict__") else []
    return sum(found.values()) + 64 * others


def let_in(operator, count, second, keys, *, one_by_one=False):
    """Events at one instant, of some keys in turn."""
    if not one_by_one:
        names = {"key": np.arange(count) % keys} if keys else {}
        operator.feed(np.arange(count), at=np.full(count, second), **names)
    else:
        for i in range(count):
            name = {"key": i % keys} if keys else {}
            operator.insert(i, at=second, **name)
            operator.query(**name)


def after(burst, make, keys, how):
    """An operator with few events left, and the bytes that it kept at most."""
    operator = make()
    if burst:
        let_in(operator, burst, 0, keys)
    most = kept_bytes(operator)
    if how == "trigger":
        let_in(operator, LEFT, 7, keys)
        operator.trigger(at=14)
    else:
        let_in(operator, LEFT, 50, keys, one_by_one=how == "insert and query")
    return operator, most


@pytest.mark.parametrize("how", ["feed", "insert and query", "trigger"])
@pytest.mark.parametrize(("algorithm", "kind", "keys"), CASES)
def test_after_a_burst_as_much_is_kept_as_without_one(algorithm, kind, keys, how):
    window, lateness = KINDS[kind]
    aggregate = wr.max() if algorithm == "slick_deque" else wr.sum()
    options = {"algorithm": algorithm, "lateness": lateness, "unit": "s"}
    make = lambda: wr.Operator(window, aggregate, **options)  # noqa: E731

    with interpreting():
        calm, _ = after(0, make, keys, how)
        operator, most = after(BURST, make, keys, how)

        assert len(operator) == len(calm)
        assert kept_bytes(operator) <= 4 * kept_bytes(calm) + FLOOR * bool(keys)
        assert kept_bytes(operator) < most // 2
        name = {"key": 1} if keys else {}
        assert operator.query(**name) == calm.query(**name)


LISTED = [each.name for each in CATALOGUE if each.steps and each.steps.many]


@pytest.mark.parametrize("algorithm", LISTED)
def test_what_only_a_removed_window_needed_is_given_back(algorithm):
    """Numbers go the shortest way there is."""
    aggregate = wr.max() if algorithm == "slick_deque" else wr.sum()
    long, short = wr.rows(BURST, name="long"), wr.rows(LEFT, name="short")
    with interpreting():
        operator = wr.Operator([long, short], aggregate, algorithm=algorithm)
        operator.feed(list(range(BURST, 0, -1)))
        most = kept_bytes(operator)

        operator.remove("long")
        operator.insert(0)

        last = range(LEFT - 1, -1, -1)
        one = max if algorithm == "slick_deque" else sum
        assert operator.query() == {"short": one(last)}
        assert kept_bytes(operator) < most // 4
        operator.insert(-1)
        assert operator.query() == {"short": one([*last[1:], -1])}


@pytest.mark.parametrize("keys", [0, 4])
def test_payloads_leave_when_time_goes_on(keys):
    with interpreting():
        operator = wr.Operator(ROLLING, wr.collect("x"), unit="s")
        name = {"key": np.arange(BURST) % keys} if keys else {}
        operator.feed({"x": np.arange(BURST)}, at=np.full(BURST, 0), **name)
        most = kept_bytes(operator)

        operator.trigger(at=50)

        assert len(operator) == 0
        assert kept_bytes(operator) < most // 4


@pytest.mark.parametrize("algorithm", ["se_slicing", "se_ml_slicing"])
@pytest.mark.parametrize("key", [None, "k"])
def test_slices_are_given_back_when_no_window_is_open(algorithm, key, monkeypatch):
    """Their ring is as long as a window and the longest event: bursts add nothing."""
    span = wr.sliding(15, every=5, span=("start", "end"))
    empty, sevens = np.empty, lambda array: np.full_like(array, 7)
    monkeypatch.setattr(np, "empty", lambda *how, **more: sevens(empty(*how, **more)))

    def life(asks):
        operator, found = wr.Operator(span, wr.sum("x"), algorithm=algorithm), []
        for begin in (0, 5_000, 10_000):
            starts = np.arange(LEFT) + begin
            values = {"x": np.arange(LEFT), "start": starts, "end": starts + 2_000}
            found += operator.feed(values, key=key and np.full(LEFT, key))
            most = kept_bytes(operator)
            found += operator.trigger(at=begin + 5_000)
            assert kept_bytes(operator) < most // 4
            if asks:
                assert operator.query(key) is None
                operator = wr.Operator.load(operator.save())
                assert operator.query(key) is None
        return found

    with interpreting():
        never_asked = life(asks=False)

        assert len(never_asked) > 1_200
        assert life(asks=True) == never_asked


@pytest.mark.parametrize("aggregate", [wr.max(), wr.range()], ids=["max", "range"])
@pytest.mark.parametrize("is_list", [False, True], ids=["window", "windows"])
@pytest.mark.parametrize("key", [None, "k"])
@pytest.mark.parametrize("how", ["array", "list", "insert and query"])
def test_slick_deque_has_places_for_nodes_and_not_for_events(
    aggregate, is_list, key, how
):
    """Falling values are a node each for a maximum; in turn, they are three."""
    size, options = 20_000, {"algorithm": "slick_deque", "nulls": False}
    window = [wr.rows(size), wr.rows(9)] if is_list else wr.rows(size)
    operator = wr.Operator(window, aggregate, **options)
    own = max if aggregate.aggregate.name == "max" else np.ptp
    held = []

    def let_in(values):
        held.extend(values)
        if how == "insert and query":
            for value in values:
                operator.insert(value, key=key)
                operator.query(key)
        else:
            batch = values if how == "list" else np.array(values)
            names = None if key is None else np.full(len(values), key)
            operator.feed(batch, key=names)
        found = operator.query(key)
        both = {"0": own(held[-size:]), "1": own(held[-9:])}
        assert found == (both if is_list else both["0"])
        return kept_bytes(operator)

    with interpreting():
        let_in([5, 9, 7] * 100)
        most = let_in(list(range(2_000, 0, -1)))
        few = let_in([3_000, *[2_998, 2_999, 0] * 300])

        parts = 1 if own is max else 2
        by_events = 32_768 * 16 * parts
        assert 2_000 * 16 < most < by_events
        if how != "array" or key or is_list:  # an array has room for a piece of it
            assert most < by_events // 4
            assert few < most // 2
