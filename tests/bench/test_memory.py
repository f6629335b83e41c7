"""Memory is what a process of its own held, less the process."""

import numpy as np
import pytest

from trying import by_hand, judged, tried
from windrow.loops import interpreting
from windrow_bench._sweep import Sweep
from windrow_bench.experiment import RowSet
from windrow_bench.measure import memory
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.values import values
from windrow_bench.ra import memory as ra_memory
from windrow_bench.slickdeque import memory as slick_memory


@pytest.fixture
def _here(monkeypatch):
    """A job is done in this process, interpreted: it holds much already."""
    monkeypatch.setattr(memory, "_elsewhere", lambda job: [*memory.run(job)])
    monkeypatch.setattr(memory, "LEAST", 8)
    with interpreting():
        yield


def test_a_long_window_takes_its_bytes_in_a_process_of_its_own():
    found = memory.peaks("recompute", "max", values(1 << 18), [1 << 18, 1 << 20])

    short, long = (one.own for one in found)
    assert 0.5 * 8 * 2**20 < long < 4 * 8 * 2**20
    assert short < long
    assert all(one.whole > one.own for one in found)


def test_what_the_first_window_took_comes_off():
    job = memory.MemoryJob("recompute", "max", "", (1, 10, 20))

    actual = memory.in_order(job, [100_000, 100_010, 900_000])

    assert [one.width for one in actual] == [10, 20]
    assert [one.own for one in actual] == [memory.PAGE, 800_000]


@pytest.mark.usefixtures("_here")
def test_a_process_that_answers_wrongly_has_no_number(monkeypatch):
    monkeypatch.setitem(memory.FOLDS, "max", min)

    with pytest.raises(WrongAnswer, match="max of 16 rows"):
        memory.peaks("recompute", "max", values(64), [32])


def test_rows_come_again_and_again_without_a_copy():
    chunk = np.arange(5)

    pieces = [*memory._pieces(chunk, 3, 13, 4)]

    assert [piece.tolist() for piece in pieces] == [
        [3, 4],
        [0, 1, 2, 3],
        [4],
        [0, 1, 2],
    ]


@pytest.mark.usefixtures("_here")
def test_ra_takes_both_schemes_and_long_windows(monkeypatch):
    monkeypatch.setattr(ra_memory, "QUICK", Sweep((2, 16), more=(32, 64)))
    monkeypatch.setattr(ra_memory, "ROWS", 64)

    rows = tried(ra_memory.FIGURE_12)

    assert rows.xs("process", "ISS, Max") == [2, 16]
    assert rows.xs("window", "RA, Max") == [32, 64]
    assert None not in judged(ra_memory.FIGURE_12, rows)


def test_ra_is_judged_by_what_windows_add():
    def rows(process, window):
        return RowSet(
            by_hand("process", {"RA, Max": process})
            + by_hand("window", {"RA, Max": window})
        )

    good = rows({2: 100.0, 4_096: 101.0}, {1_000: 1.0, 4_000: 4.0})
    bad = rows({2: 100.0, 4_096: 150.0}, {1_000: 1.0, 4_000: 16.0})
    assert judged(ra_memory.FIGURE_12, good) == [True, True]
    assert judged(ra_memory.FIGURE_12, bad) == [False, False]


@pytest.mark.usefixtures("_here")
@pytest.mark.deep  # eight processes
def test_slick_deque_takes_part_twice(monkeypatch):
    monkeypatch.setattr(slick_memory, "QUICK", Sweep((16, 64)))
    monkeypatch.setattr(slick_memory, "energies", lambda rows, unique: values(64))

    rows = tried(slick_memory.EXP_4)

    assert rows.series("memory") == [*slick_memory.SERIES]
    assert rows.xs("memory") == [16, 24, 64, 96]
    assert None not in judged(slick_memory.EXP_4, rows)


@pytest.mark.parametrize(
    ("inv", "non_inv", "expected"),
    [(1.0, 0.4, [True, True, True]), (3.0, 0.9, [False, False, False])],
)
def test_slick_deque_is_judged_by_naive(inv, non_inv, expected):
    found = {key: {64: 2.0} for key in slick_memory.SERIES}
    found[slick_memory.NAIVE] = {64: 1.0}
    found |= {slick_memory.INV: {64: inv}, slick_memory.NON_INV: {64: non_inv}}

    rows = RowSet(by_hand("memory", found))

    assert judged(slick_memory.EXP_4, rows) == expected
