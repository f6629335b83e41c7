"""Rent or buy: columns at once, machine code once it has been paid for."""

import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import windrow as wr
from rented_loop import Machine, laned
from windrow.loops import Lane, forced_lane, lanes, pinned


def _call_and_wait(loop):
    loop(1)
    for purchase in loop.purchases.values():
        purchase.wait()


@pytest.fixture(autouse=True)
def _automatic(monkeypatch):
    monkeypatch.delenv("WINDROW_COMPILE", raising=False)


def test_an_account_does_not_keep_the_arrays_of_a_call():
    loop = laned(Machine())
    values = np.zeros(1000)
    kept = weakref.ref(values)

    loop(values)
    del values

    assert kept() is None


def test_the_first_call_is_over_columns():
    loop = laned(Machine())

    assert loop(1, 2.0) == "columns"


def test_a_loop_is_compiled_once_it_has_cost_as_much_as_compiling(monkeypatch):
    monkeypatch.setattr(lanes, "PRICE", 0.0)
    loop = laned(Machine())
    first = loop(1)
    (purchase,) = loop.purchases.values()
    purchase.wait()

    assert (first, loop(1)) == ("columns", "compiled")


def test_arguments_of_other_types_have_an_account_of_their_own(monkeypatch):
    monkeypatch.setattr(lanes, "PRICE", 0.0)
    loop = laned(Machine())
    loop(np.zeros(1))
    for purchase in loop.purchases.values():
        purchase.wait()

    assert loop(np.zeros(1)) == "compiled"
    assert loop(np.zeros(1, np.int32)) == "columns"


def test_machine_code_in_the_cache_is_used_at_once():
    assert laned(Machine(), loads=lambda _: True)(1) == "compiled"
    assert laned(Machine(), loads=lambda _: False)(1) == "columns"


def test_a_loop_that_cannot_be_compiled_stays_over_columns(monkeypatch):
    monkeypatch.setattr(lanes, "PRICE", 0.0)
    machine = Machine()
    machine.compile = lambda types: 1 / 0
    loop = laned(machine)
    with pytest.warns(RuntimeWarning, match="could not be compiled"):
        _call_and_wait(loop)

    assert loop(1) == "columns"


@pytest.mark.parametrize(
    ("word", "lane"),
    [("always", Lane.COMPILED), ("never", Lane.COLUMNS), ("auto", None)],
)
def test_the_environment_forces_a_lane(monkeypatch, word, lane):
    monkeypatch.setenv("WINDROW_COMPILE", word)

    assert forced_lane() is lane


def test_a_word_that_is_none_of_the_three_is_refused(monkeypatch):
    monkeypatch.setenv("WINDROW_COMPILE", "perhaps")

    with pytest.raises(wr.BadInput, match="use one of auto, always, never"):
        wr.slide(np.arange(3.0), wr.rows(2), "max")


def test_a_pinned_lane_outranks_the_environment_and_ends_with_its_block(monkeypatch):
    monkeypatch.setenv("WINDROW_COMPILE", "always")

    with pinned(Lane.COLUMNS):
        assert forced_lane() is Lane.COLUMNS
    assert forced_lane() is Lane.COMPILED


FIRST_CALLS = """
import sys
import numpy as np, pyarrow as pa
import windrow as wr
x = np.arange(100.0)
table = pa.table({"t": np.arange(100), "k": np.arange(100) % 3, "x": x})
wr.slide(x, wr.rows(7), ["sum", "max", "variance"])
wr.aggregate(table, wr.sliding(10, every=5, on="t"), by="k", a=wr.mean("x"))
wr.aggregate(table, wr.rows(4, every=2, on="t"), by="k", a=wr.first("x"))
wr.over(table, on="t", by="k", a=wr.sum("x", last="9"), b=wr.max("x", last=5))
print("numba" in sys.modules)
"""


def test_first_calls_need_no_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path))

    done = subprocess.run(
        [sys.executable, "-c", FIRST_CALLS], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["False"]


@pytest.mark.parametrize(
    "way",
    ["over", "spans", "operator"]
    + [
        pytest.param(way, marks=pytest.mark.deep)  # the same functions beneath them
        for way in ("slide", "as_of", "time", "tumbling", "others", "tiles")
    ],
)
def test_the_first_call_of_no_aggregate_waits_for_a_compiler(
    way, tmp_path, monkeypatch
):
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path))

    script = Path(__file__).with_name("first_calls.py")
    done = subprocess.run(
        [sys.executable, script, way], capture_output=True, text=True, check=False
    )

    assert (done.stderr, done.returncode) == ("", 0)
