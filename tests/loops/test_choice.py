"""How the kernels of a task run: fixed for a query, and for as long as a stream lasts.

alike       both lanes give the same bits: as it pays
rounding    they do not: compiled if the driver has the machine code, else columns
"""

import numpy as np
import pytest

from rented_loop import Machine, laned
from windrow.aggregates import find
from windrow.algorithms import BY_NAME, slide_arrays
from windrow.kernels import Request, product_of
from windrow.loops import Lane, TaskLane, Way, forced_lane, keep_way, lanes, recording
from windrow.loops.choice import running, stop_record


@pytest.fixture(autouse=True)
def _automatic(monkeypatch):
    monkeypatch.delenv("WINDROW_COMPILE", raising=False)


def _task(loop, way, code=()):
    return TaskLane(way, kernels=frozenset([loop.key((1,))]), code=dict.fromkeys(code))


@pytest.mark.parametrize(
    ("way", "code", "is_loaded", "lane"),
    [
        (Way.SHIPPED, ["k.run-1.code"], True, "compiled"),
        (Way.SHIPPED, ["k.run-1.code"], False, "columns"),  # of another processor
        (Way.SHIPPED, [], False, "compiled"),  # as the stream was begun
        (Way.COLUMNS, ["k.run-1.code"], True, "columns"),
    ],
)
def test_a_kernel_that_rounds_runs_as_the_query_was_built(way, code, is_loaded, lane):
    loop = laned(Machine(), loads=lambda _: is_loaded, alike=False)

    with running(_task(loop, way, code)):
        assert loop(1) == lane


def test_a_kernel_that_rounds_and_was_not_foreseen_runs_over_columns():
    loop = laned(Machine(), loads=lambda _: True, alike=False)

    with running(_task(loop, Way.SHIPPED)):
        assert loop(1.0) == "columns"


def test_only_kernels_that_are_alike_are_bought_in_a_task(monkeypatch):
    monkeypatch.setattr(lanes, "PRICE", 0.0)
    answers = []
    for alike in (True, False):
        loop = laned(Machine(), alike=alike)
        with running(TaskLane()):
            first = loop(1)
            for purchase in loop.purchases.values():
                purchase.wait()
            answers.append((first, loop(1)))

    assert answers == [("columns", "compiled"), ("columns", "columns")]


def test_machine_code_that_comes_later_is_found():
    known = set()
    loop = laned(Machine(), loads=lambda _: "k.run-2.code" in known)
    with running(TaskLane()):
        assert loop(1) == "columns"

    known.add("k.run-2.code")

    with running(TaskLane(code={"k.run-2.code": b""})):
        assert loop(1) == "compiled"


def test_what_the_driver_forces_outranks_the_environment(monkeypatch):
    monkeypatch.setenv("WINDROW_COMPILE", "always")

    with running(TaskLane(forced=Lane.COLUMNS)):
        assert forced_lane() is Lane.COLUMNS
    assert forced_lane() is Lane.COMPILED


@pytest.mark.parametrize(
    ("stored", "first", "expected"),
    [
        (None, True, "columns"),  # a new bucket: as the query says
        (None, False, "compiled"),  # of a version that compiled everything
        ("columns", False, "columns"),
        ("shipped", False, "shipped"),
    ],
)
def test_a_stream_goes_on_as_it_began(stored, first, expected):
    loop = laned(Machine(), alike=False)
    task = TaskLane(Way.COLUMNS, kernels=frozenset([loop.key((1,))]))

    with running(task):
        assert keep_way(stored, is_new=first) == expected
        lane = loop(1)

    assert lane == ("columns" if expected == "columns" else "compiled")
    assert forced_lane() is None


def test_a_forced_stream_stores_what_it_began_with():
    with running(TaskLane(forced=Lane.COMPILED)):
        assert keep_way(None, is_new=True) == "compiled"
        assert keep_way("columns", is_new=False) == "columns"
        assert forced_lane() is Lane.COMPILED


def test_a_record_has_every_kernel_and_compiles_none():
    machine = Machine()
    loop = laned(machine)

    with recording() as record:
        loop(np.arange(3))
        loop(np.arange(3))
        loop(1)
        stop_record()
        loop(1.0)

    assert [args for _, args, _ in record.values()][1:] == [(1,)]
    assert len(record) == 2
    assert (machine.calls, machine.overloads, loop.purchases) == (0, {}, {})


@pytest.mark.parametrize(
    ("name", "kind", "lattice", "arithmetic"),
    [
        ("sum", "int", True, True),
        ("sum", "float", False, True),
        ("max", "float", True, True),
        ("range", "float", True, True),
        ("arg_max", "float", True, True),
        ("mean", "int", True, True),
        ("variance", "int", False, True),
        ("geometric_mean", "float", False, True),
        ("moment_sketch", "float", False, False),
    ],
)
def test_products_tell_whether_association_matters(name, kind, lattice, arithmetic):
    product = product_of([Request(find(name), kind, (0, 1)[: len(find(name).takes)])])

    assert product.is_lattice == lattice
    assert product.is_arithmetic == arithmetic


def test_columns_that_may_be_written_and_those_that_may_not_are_one_kernel():
    product = product_of([Request(find("variance"), "float", (0,))])
    values, ends = np.arange(8.0), np.arange(1, 9)
    read_only = values.view()
    read_only.flags.writeable = False

    with recording() as record:
        for column in (values, read_only):
            bounds = ends - 1, ends
            slide_arrays(BY_NAME["sba"], product, (column,), *bounds, lane=None)

    assert len(record) == 1
