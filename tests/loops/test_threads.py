"""Work on several threads: order, errors, and what threads are told by their caller."""

from __future__ import annotations

import importlib
import threading

import numpy as np
import pytest

from windrow.loops import (
    Lane,
    TaskLane,
    compiled,
    forced_lane,
    in_threads,
    over_rows,
    pinned,
    running,
    spare_threads,
    steadily,
)

choice = importlib.import_module("windrow.loops.choice")
lanes = importlib.import_module("windrow.loops.lanes")
threads = importlib.import_module("windrow.loops.threads")


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_results_come_in_the_order_of_the_pieces(count):
    last_is_done = threading.Event()

    def work(piece):
        if piece == 0 and count > 1:  # the first piece is done after all others
            assert last_is_done.wait(20)
        if piece == 19:
            last_is_done.set()
        return piece * piece

    assert in_threads(work, 20, count) == [piece * piece for piece in range(20)]


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_the_error_of_the_first_piece_that_fails_is_raised(count):
    caller, caller_works, failed = threading.current_thread(), threading.Event(), []

    def work(piece):
        if threading.current_thread() is caller:  # it fails last, of an early piece
            caller_works.set()
            for other in threading.enumerate():
                if other.name == "windrow":
                    other.join(20)
        elif not caller_works.is_set():
            assert caller_works.wait(20)
            return
        failed.append(piece)
        raise ValueError(piece)

    with pytest.raises(ValueError, match=r"^\d+$") as error:
        in_threads(work, 20, count)

    assert len(failed) >= min(count, 2)
    assert error.value.args == (min(failed),)


def test_pieces_cover_all_rows_once(monkeypatch):
    monkeypatch.setattr(threads, "PIECE", 3)

    for rows in (0, 1, 5, 100):
        for count in (1, 2, 7):
            pieces = over_rows(lambda rows: rows, rows, count)
            seen = [row for piece in pieces for row in range(piece.start, piece.stop)]
            assert seen == list(range(rows))


def test_threads_run_kernels_as_their_caller_does():
    barrier = threading.Barrier(2, timeout=20)

    def lane(_):
        barrier.wait()  # a thread each
        return forced_lane(), choice.task_lane(), threading.get_ident()

    task = TaskLane(forced=Lane.COMPILED)
    with running(task):
        told = in_threads(lane, 2, 2)
    with pinned(Lane.COLUMNS):
        columns = in_threads(lane, 2, 2)

    assert len({ident for *_, ident in told}) == 2
    assert all(lane is Lane.COMPILED and own is task for lane, own, _ in told)
    assert {lane for lane, *_ in columns} == {Lane.COLUMNS}
    assert choice.task_lane() is None


def test_work_on_several_threads_has_no_spare_ones(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 4)

    assert spare_threads() == 4
    assert in_threads(lambda _: spare_threads(), 3, 2) == [1, 1, 1]
    with running(TaskLane()):
        assert spare_threads() == 1


def _length(values):
    return len(values)


@pytest.mark.usefixtures("auto_lane")
def test_a_kernel_keeps_its_lane_in_a_steady_block():
    loop = compiled()(_length)._laned
    account = loop.purchase((np.zeros(3),))
    account._is_bought, account._deliveries = False, choice.deliveries

    with steadily():
        before = loop.lane((np.zeros(3),))
        account._is_bought = True  # by a thread in the background
        within = in_threads(lambda _: loop.lane((np.zeros(3),)), 4, 2)
    after = loop.lane((np.zeros(3),))

    assert before is Lane.COLUMNS
    assert set(within) == {Lane.COLUMNS}
    assert after is Lane.COMPILED


class _WatchedLock:
    """A lock that tells when somebody waits for it."""

    def __init__(self):
        self.wanted, self._lock = threading.Event(), threading.RLock()

    def __enter__(self):
        if not self._lock.acquire(blocking=False):
            self.wanted.set()
            self._lock.acquire()

    def __exit__(self, *_):
        self._lock.release()


def test_an_account_that_many_threads_charge_buys_once():
    made, loaded = [], []

    def load():
        assert account._lock.wanted.wait(20)  # another thread asks meanwhile
        loaded.append(1)
        return False

    account = lanes.Purchase(load, lambda: made.append(1))
    account._lock = _WatchedLock()
    in_threads(lambda _: account.is_bought, 16, 8)
    in_threads(lambda _: account.charge(lanes.PRICE), 16, 8)
    account.wait()

    assert loaded == [1]
    assert made == [1]
    assert account.is_bought
