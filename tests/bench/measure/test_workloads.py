"""Workloads are frozen, and answers that differ have no number."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from windrow_bench.bars import spanning
from windrow_bench.measure import table_side, ticks
from windrow_bench.measure import values as frozen
from windrow_bench.measure.answers import WrongAnswer, check_windows
from windrow_bench.measure.spanning import events
from windrow_bench.measure.spark import workers
from windrow_bench.measure.spark.case import Case
from windrow_bench.measure.spark.stream_load import DELAY, StreamLoad
from windrow_bench.measure.spark.sums import check_sums

SUMS = {"rows": 3, "total": 1.5, "total by place": 4.5}
LOAD = StreamLoad(rows=1_200, files=8, keys=4, seconds=120)


@pytest.mark.parametrize("column", ["key", "total"])
def test_a_table_that_differs_in_one_cell_is_refused(column):
    expected = pa.table({"key": [1, 2], "total": [0.5, 1.5]})
    changed = [value + 1 for value in expected[column].to_pylist()]
    actual = expected.set_column(
        expected.column_names.index(column), column, pa.array(changed)
    )

    with pytest.raises(WrongAnswer, match=column):
        table_side.check_same("somebody", actual, expected, "nobody")


def test_a_table_that_lacks_a_row_is_refused():
    expected = pa.table({"key": [1, 2], "total": [0.5, 1.5]})

    with pytest.raises(WrongAnswer, match="1 rows, not 2"):
        table_side.check_same("somebody", expected.slice(1), expected, "nobody")


def test_windows_around_chunk_boundaries_are_looked_at():
    values = np.arange(4_000.0)
    actual = values[99:].copy()
    actual[100] += 1  # the first window of the second chunk

    with pytest.raises(WrongAnswer, match="window 100"):
        check_windows("somebody", actual, values, 100, "max")


def test_a_workload_that_is_not_the_frozen_one_is_refused(monkeypatch):
    monkeypatch.setattr(frozen, "SEED", 1)
    frozen.values.cache_clear()

    with pytest.raises(AssertionError, match="not the frozen one"):
        frozen.values(100)


def test_ticks_are_the_same_each_time_and_more_of_them_only_go_on_for_longer():
    fewer, more = ticks.ticks(2_000, 8), ticks.ticks(20_000, 8)

    assert more.slice(0, 2_000).equals(fewer)
    assert ticks.ticks(20_000, 8).equals(more)


def test_no_two_ticks_are_at_the_same_time():
    at = ticks.ticks(20_000, 8)["at"].to_numpy()

    assert (np.diff(at) > np.timedelta64(0)).all()
    assert at[-1] - at[0] <= np.timedelta64(600, "s")


def test_ticks_come_in_bursts_and_after_gaps():
    at = ticks.ticks(20_000, 8)["at"].cast("int64").to_numpy()
    steps = np.diff(at)

    seconds = np.bincount((at - at[0]) // 1_000_000)
    assert (steps > ticks.GAP).sum() > 1
    assert (seconds == 0).sum() >= 19  # a gap has whole seconds without a row
    assert seconds.max() > 3 * 100  # a burst


def test_instants_alone_are_those_of_ticks_however_many():
    at = ticks.ticks(20_000, 8)["at"].cast("int64").to_numpy() - ticks.NEW_YEAR

    assert (ticks.instants(20_000) == at).all()
    assert (ticks.instants(700) == at[:700]).all()


def test_seconds_that_hold_a_row_have_gaps_of_twenty():
    steps = np.diff(ticks.seconds(50_000))

    assert set(steps.tolist()) == {1, 21}
    assert (steps > 1).mean() == pytest.approx(1 / 50, rel=0.1)
    assert (np.diff(ticks.seconds(700)) == steps[:699]).all()


@pytest.mark.parametrize("setting", spanning.SETTINGS, ids=lambda one: one.name)
def test_events_of_the_bar_end_with_gaps_and_bursts(setting):
    given, _ = setting.source(20_000, setting.mu)
    even, _ = events(20_000, setting.mu)

    ends = np.diff(given.lasts)
    assert (given.lasts - given.starts == even.lasts - even.starts).all()
    assert ends.max() > 1_000
    assert (ends == 0).mean() > 0.1  # in a burst ten end at an instant


def test_ticks_that_are_not_the_frozen_ones_are_refused(monkeypatch):
    monkeypatch.setattr(ticks, "SEED", 1)

    with pytest.raises(AssertionError, match="not the frozen one"):
        ticks.ticks(100, 8)


def test_a_file_of_ticks_is_written_once(tmp_path):
    path = ticks.ticks_file(tmp_path, 500, 3)
    first = path.stat().st_mtime_ns

    again = ticks.ticks_file(tmp_path, 500, 3)

    assert (again, again.stat().st_mtime_ns) == (path, first)
    assert parquet.read_table(path).equals(ticks.ticks(500, 3))


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"rows": 4}, "sum of rows is 4, not 3"),
        ({"total": 1.500001}, r"sum of total is 1\.500001, not 1\.5"),
        ({"total": float("nan")}, "sum of total is nan"),
        ({"total by place": None}, "sum of total by place is None"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_sums_that_differ_are_refused(changed, complaint):
    with pytest.raises(WrongAnswer, match=complaint):
        check_sums("somebody", SUMS | changed, SUMS)


def test_sums_that_lack_one_are_refused():
    with pytest.raises(WrongAnswer, match="by place"):
        check_sums("somebody", {"rows": 3, "total": 1.5}, SUMS)


def test_sums_may_differ_in_the_last_digits():
    check_sums("somebody", SUMS | {"total": 1.5 * (1 + 1e-12)}, SUMS)


def test_a_case_without_an_expected_answer_holds_everybody_to_the_first():
    case = Case("a case", dict)
    case.agree("the first", SUMS)

    with pytest.raises(WrongAnswer, match="the second: the sum of rows is 4, not 3"):
        case.agree("the second", SUMS | {"rows": 4})


def test_only_forked_workers_below_our_own_process_are_watched(tmp_path):
    #   1 ours                      9 somebody else's
    #   +- 2 java                   +- 10 daemon
    #      +- 3 daemon                 +- 11 worker
    #         +- 4, 5 workers
    tree = {1: 0, 2: 1, 3: 2, 4: 3, 5: 3, 9: 0, 10: 9, 11: 10}
    daemons = {3, 4, 5, 10, 11}
    for process, parent in tree.items():
        folder = tmp_path / str(process)
        folder.mkdir()
        status = f"Name:\tx\nPPid:\t{parent}\nVmHWM:\t{process * 100} kB\n"
        (folder / "status").write_text(status)
        command = b"python\0-m\0pyspark.daemon" if process in daemons else b"other"
        (folder / "cmdline").write_bytes(command)
    (tmp_path / "uptime").write_text("not a process")
    (tmp_path / "12").mkdir()  # one that has just ended

    actual = workers.peaks(1, tmp_path)

    assert actual == {4: 400 * 1024, 5: 500 * 1024}


def test_a_load_has_each_key_once_in_a_round():
    _, keys, _ = LOAD.columns()

    rounds = np.sort(keys.reshape(-1, LOAD.keys), axis=1)

    assert (rounds == np.arange(LOAD.keys)).all()


def test_a_load_is_out_of_order_but_never_late():
    at, _, _ = LOAD.columns()
    latest = np.maximum.accumulate(at)

    behind = latest - at

    assert behind.max() > 0
    assert behind.max() < DELAY * 1_000_000


def test_a_load_s_files_are_as_old_as_their_rows(tmp_path):
    folder = LOAD.write(tmp_path)

    oldest_first = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    actual = pa.concat_tables([parquet.read_table(path) for path in oldest_first])

    at, keys, x = LOAD.columns()
    assert len(oldest_first) == LOAD.files
    assert (actual["at"].to_numpy().astype(np.int64) == at).all()
    assert (actual["key"].to_numpy() == keys).all()
    assert (actual["x"].to_numpy() == x).all()


def test_late_rows_of_a_load_are_behind_the_watermark_and_as_many_as_it_says():
    at, _, _ = StreamLoad(20_000, 8, 4, 2_000, late=0.05).columns()

    behind = np.maximum.accumulate(at) - at

    late = (behind > DELAY * 1_000_000).mean()
    assert 0.045 < late < 0.055
