"""Benchmarks run, on few values, and a wrong answer has no number."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from benchmarks import (
    _spark_answers,
    _spark_scaling,
    _spark_workers,
    _stream_answers,
    _stream_progress,
    _stream_turns,
    _stream_windows,
    algorithms,
    arrow_tables,
    first_calls,
    kernels,
    own_aggregate,
    pba,
    peers,
    run,
    stream,
    tables,
    workloads,
)
from benchmarks._report import Bar
from benchmarks._settings import QUICK
from benchmarks._spark_turns import OURS, SPARK, Case
from pyarrow import parquet
from pyspark.sql.functions import expr

import windrow as wr
from windrow.loops import interpreting
from windrow_bench.measure import kernels as bench_kernels
from windrow_bench.measure import keyed, table_side
from windrow_bench.measure import peers as bench_peers
from windrow_bench.measure import ticks as frozen_ticks
from windrow_bench.measure import values as frozen
from windrow_bench.measure.answers import WrongAnswer, check_windows
from windrow_bench.measure.race import Contender, race
from windrow_bench.measure.session import read
from windrow_bench.measure.spark import queries
from windrow_bench.measure.spark.stream_load import DELAY, StreamLoad
from windrow_bench.measure.spark.sums import check_sums

TINY = dataclasses.replace(
    QUICK,
    n=900,
    windows=(16, 100),
    long_windows=(300,),
    rounds=1,
    patience=0.05,
    table_rows=500,
)


def silent(line):
    """An experiment's progress, unheard."""


@pytest.fixture(autouse=True)
def _interpreted():
    """What is tested is how we measure: kernels need no compiling for that."""
    with interpreting():
        yield


@pytest.fixture
def off_by_one(monkeypatch):
    """Let kernels, and `wr.slide` as the benchmarks see it, answer one too much."""
    right, slide = bench_kernels.compile_kernel, bench_peers.wr.slide

    def wrong_kernel(*given):
        module = right(*given)

        class Wrong:
            @staticmethod
            def run(*arguments):
                module.run(*arguments)
                arguments[-1][0][:] += 1

        return Wrong()

    monkeypatch.setattr(bench_kernels, "compile_kernel", wrong_kernel)
    monkeypatch.setattr(bench_peers.wr, "slide", lambda *given: slide(*given) + 1)


in_process = pytest.mark.parametrize(
    "experiment",
    [
        kernels,
        pytest.param(peers, marks=pytest.mark.deep),
        own_aggregate,
        pba,
        algorithms,
    ],
    ids=lambda e: e.NAME,
)


@in_process
def test_an_experiment_gives_a_number_for_every_contender_and_window(experiment):
    result = experiment.run(TINY, silent)

    rows = [row for table in result.tables for row in table.rows]
    numbers = [value for row in rows for value in row if not isinstance(value, str)]
    assert numbers
    assert all(np.isfinite(value) and value > 0 for value in numbers)
    assert all(len(row) == len(t.header) for t in result.tables for row in t.rows)


@in_process
def test_an_experiment_refuses_a_kernel_that_is_off_by_one(experiment, off_by_one):
    with pytest.raises(WrongAnswer, match="window 0"):
        experiment.run(TINY, silent)


def in_this_process(library, question, source, target, *, environment):
    return table_side.answer(library, question, source, target)


@pytest.mark.deep  # half a minute: six libraries
def test_libraries_agree_on_a_table(monkeypatch, tmp_path):
    monkeypatch.setattr(workloads, "CACHE", tmp_path)
    monkeypatch.setattr(arrow_tables, "ask", in_this_process)

    result = arrow_tables.run(TINY, silent)

    actual = [[row[0] for row in table.rows] for table in result.tables]
    assert actual == [["windrow", "polars", "pandas", "duckdb"]] * 2


def test_a_question_is_asked_in_a_process_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setattr(workloads, "CACHE", tmp_path)
    source, target = workloads.events_file(2_000), tmp_path / "answer.arrow"

    actual = table_side.ask("polars", "over", source, target)

    assert actual["seconds"] > 0
    assert 0 < actual["before"] <= actual["peak"]
    assert len(keyed.read(target)) == 2_000


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


@pytest.mark.deep  # many processes that start, and compile
def test_first_calls_have_a_time_for_each_call_and_question():
    tables = first_calls.run(TINY, silent).tables

    assert [len(table.rows) for table in tables] == [6, 2]


def test_first_calls_refuse_a_wrong_answer():
    with pytest.raises(WrongAnswer, match=r"is 9999\.0, not 14\.0"):
        first_calls.check_last("slide", 14.0)


def test_windows_around_chunk_boundaries_are_looked_at():
    values = np.arange(4_000.0)
    actual = values[99:].copy()
    actual[100] += 1  # the first window of the second chunk

    with pytest.raises(WrongAnswer, match="window 100"):
        check_windows("somebody", actual, values, 100, "max")


def test_contenders_take_turns_after_a_warm_up():
    turns = []
    contenders = [
        Contender(name, lambda name=name: turns.append(name), silent) for name in "ab"
    ]

    race(contenders, rounds=2)

    assert "".join(turns) == "ab" + "abab"


def test_a_bar_says_whether_it_is_kept():
    actual = [Bar("x", 1.0, 2.0).passed, Bar("x", 1.0, 2.0, at_least=False).passed]

    assert actual == [False, True]


def test_a_workload_that_is_not_the_frozen_one_is_refused(monkeypatch):
    monkeypatch.setattr(frozen, "SEED", 1)
    workloads.values.cache_clear()

    with pytest.raises(AssertionError, match="not the frozen one"):
        workloads.values(100)


def test_a_quick_run_writes_nothing(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(run, "QUICK", TINY)
    for name in ("RESULTS_JSON", "RESULTS_MD", "README"):
        monkeypatch.setattr(tables, name, tmp_path / name)

    actual = run.main(["--quick", "--only", "pba"])

    assert actual == 0
    assert list(tmp_path.iterdir()) == []
    assert "not a measurement" in capsys.readouterr().out


def test_a_wrong_answer_is_reported_and_not_written(monkeypatch, tmp_path, off_by_one):
    monkeypatch.setattr(run, "FULL", TINY)
    for name in ("RESULTS_JSON", "RESULTS_MD", "README"):
        monkeypatch.setattr(tables, name, tmp_path / name)

    actual = run.main(["--only", "pba"])

    assert actual == 1
    assert list(tmp_path.iterdir()) == []


def test_a_run_writes_results_and_only_between_the_readme_s_comments(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(run, "FULL", dataclasses.replace(TINY, quick=False))
    for name in ("RESULTS_JSON", "RESULTS_MD", "README"):
        monkeypatch.setattr(tables, name, tmp_path / name)
    tables.README.write_text(
        "before\n<!-- benchmarks: begin -->\nold\n<!-- benchmarks: end -->\nafter\n"
    )

    run.main(["--only", "peers"])

    readme = tables.README.read_text()
    assert readme.startswith("before\n<!-- benchmarks: begin -->\n")
    assert readme.endswith("<!-- benchmarks: end -->\nafter\n")
    assert "| **windrow** |" in readme
    assert "old" not in readme
    assert "## Other libraries" in tables.RESULTS_MD.read_text()
    assert list(json.loads(tables.RESULTS_JSON.read_text())["experiments"]) == ["peers"]


def test_the_command_lists_its_options():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.run", "--help"],
        cwd=Path(run.__file__).resolve().parents[1],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "--only" in done.stdout
    assert "--quick" in done.stdout


def test_what_needs_spark_is_measured_when_it_is_asked_for_and_only_then(monkeypatch):
    measured = []

    def note(name, settings, command):
        measured.append(name)
        raise WrongAnswer(name)

    monkeypatch.setattr(run, "measure", note)

    run.main(["--quick"])
    run.main(["--quick", "--only", "spark"])
    run.main(["--quick", "--only", "stream"])

    others = [one.NAME for one in run.EXPERIMENTS if one.NAME not in run.APART]
    assert measured == [*others, "spark", "stream"]
    on_spark = {"features-spark", "medians-spark", "sketches-spark", "spanning-spark"}
    assert on_spark | {"spark", "spark-many", "stream"} == run.APART


def test_ticks_are_the_same_each_time_and_more_of_them_only_go_on_for_longer():
    fewer, more = workloads.ticks(2_000, 8), workloads.ticks(20_000, 8)

    assert more.slice(0, 2_000).equals(fewer)
    assert workloads.ticks(20_000, 8).equals(more)


def test_no_two_ticks_are_at_the_same_time():
    at = workloads.ticks(20_000, 8)["at"].to_numpy()

    assert (np.diff(at) > np.timedelta64(0)).all()
    assert at[-1] - at[0] <= np.timedelta64(200, "s")


def test_ticks_that_are_not_the_frozen_ones_are_refused(monkeypatch):
    monkeypatch.setattr(frozen_ticks, "SEED", 1)

    with pytest.raises(AssertionError, match="not the frozen one"):
        workloads.ticks(100, 8)


def test_a_file_of_ticks_is_written_once(tmp_path):
    path = workloads.ticks_file(tmp_path, 500, 3)
    first = path.stat().st_mtime_ns

    again = workloads.ticks_file(tmp_path, 500, 3)

    assert (again, again.stat().st_mtime_ns) == (path, first)
    assert parquet.read_table(path).equals(workloads.ticks(500, 3))


@pytest.mark.parametrize(
    ("range_", "slide"), [(1, 1), (7, 1), (300, 1), (6, 6), (8, 3)]
)
def test_numpy_expects_of_windows_what_windrow_answers(range_, slide):
    events = workloads.ticks(900, 4)  # nine seconds: some windows hold them all
    window = wr.sliding(f"{range_} s", every=f"{slide} s", on="at")
    found = wr.aggregate(
        events,
        window,
        by="key",
        total=wr.sum("x"),
        highest=wr.max("x"),
        n=wr.count("x"),
    )
    edges = found["window"].combine_chunks().flatten()
    start, end = (edge.to_numpy().astype(np.int64) // 1_000_000 for edge in edges)
    place = (start + 31 * found["key"].to_numpy()) % 997

    actual = _spark_answers.by_numpy(events, range_, slide)

    expected = {"rows": len(found), "seconds": (end - start).sum()}
    for name in ("total", "highest", "n"):
        values = found[name].to_numpy()
        expected |= {name: values.sum(), f"{name} by place": (values * place).sum()}
    check_sums("numpy", actual, expected)


SUMS = {"rows": 3, "total": 1.5, "total by place": 4.5}


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
    case = Case("a case", dict, silent)
    case.agree("the first", SUMS)

    with pytest.raises(WrongAnswer, match="the second: the sum of rows is 4, not 3"):
        case.agree("the second", SUMS | {"rows": 4})


def test_spark_s_own_windows_come_to_what_numpy_expects(spark, tmp_path):
    frame = read(spark, workloads.ticks_file(tmp_path, 900, 4))

    actual = _spark_answers.of_windows(queries.spark_windows(frame, 7, 1))

    expected = _spark_answers.by_numpy(workloads.ticks(900, 4), 7)
    check_sums("Spark", actual, expected)


@pytest.mark.parametrize(
    ("column", "changed"),
    [
        ("n", "if(key = 2 and window.start = '2026-01-01 00:00:01', n + 1, n)"),
        ("key", "case key when 1 then 2 when 2 then 1 else key end"),
        ("window", "struct(window.start, window.end + interval 1 second as end)"),
    ],
    ids=["one cell", "two keys in each other's place", "windows too long"],
)
def test_windows_on_spark_that_differ_are_refused(spark, tmp_path, column, changed):
    frame = read(spark, workloads.ticks_file(tmp_path, 300, 4))
    wrong = queries.spark_windows(frame, 2, 1).withColumn(column, expr(changed))
    expected = _spark_answers.by_numpy(workloads.ticks(300, 4), 2)
    case = Case("a case", _spark_answers.of_windows, silent, expected)

    with pytest.raises(WrongAnswer, match="somebody: the sum of"):
        race([case.contender("somebody", lambda: wrong)], rounds=1)


def test_the_floor_has_all_rows_and_the_columns_of_the_question(spark, tmp_path):
    frame = read(spark, workloads.ticks_file(tmp_path, 300, 4))
    question = (frame, ("sum", "count"), (10, 20))

    actual = queries.floor(*question)

    expected = queries.spark_over(*question)
    assert [(one.name, one.dataType) for one in actual.schema] == [
        (one.name, one.dataType) for one in expected.schema
    ]
    assert sorted(actual.select("at", "key", "x").collect()) == sorted(frame.collect())


def test_a_rehearsal_takes_the_place_of_the_warm_up_and_is_what_is_checked():
    turns, checked = [], []
    contender = Contender(
        "a",
        lambda: turns.append("call"),
        checked.append,
        rehearse=lambda: turns.append("rehearse") or "an answer",
    )

    race([contender], rounds=2)

    assert turns == ["rehearse", "call", "call"]
    assert checked == ["an answer"]


@pytest.mark.parametrize(
    ("measured", "expected"), [([4, 2, 3], 1.5), ([3, 2, 1], 2 / 3), ([1, 2, 2], 2)]
)
def test_growth_is_the_most_that_a_later_one_is_of_an_earlier_one(measured, expected):
    actual = _spark_scaling.rise(measured)

    assert actual == expected


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

    actual = _spark_workers.peaks(1, tmp_path)

    assert actual == {4: 400 * 1024, 5: 500 * 1024}


# --- streams --------------------------------------------------------------------

LOAD = StreamLoad(rows=1_200, files=8, keys=4, seconds=120)


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


@pytest.mark.parametrize(
    ("range_", "slide"), [(1, 1), (7, 1), (60, 1), (300, 1), (60, 10), (10, 10)]
)
def test_numpy_expects_of_a_stream_the_windows_that_the_watermark_passed(range_, slide):
    at, keys, x = LOAD.columns()
    found = wr.aggregate(
        pa.table({"at": pa.array(at, pa.timestamp("us")), "key": keys, "x": x}),
        wr.sliding(f"{range_} s", every=f"{slide} s", on="at"),
        by="key",
        total=wr.sum("x"),
        highest=wr.max("x"),
        n=wr.count("x"),
    )
    edges = found["window"].combine_chunks().flatten()
    start, end = (edge.to_numpy().astype(np.int64) for edge in edges)
    passed = end <= LOAD.watermark
    place = (start // 1_000_000 + 31 * found["key"].to_numpy())[passed] % 997

    actual = _stream_answers.by_numpy(LOAD, range_, slide)

    expected = {"rows": passed.sum(), "seconds": passed.sum() * range_}
    for name in ("total", "highest", "n"):
        values = found[name].to_numpy()[passed]
        expected |= {name: values.sum(), f"{name} by place": (values * place).sum()}
    assert 0 < expected["rows"] < len(found)
    assert actual == expected


@pytest.mark.parametrize(
    ("actual", "complaint"),
    [
        ({"rows": 3}, "no sum of hash"),
        ({"rows": 4, "hash": "17"}, "rows comes to 4, not 3"),
        ({"rows": 3, "hash": "18"}, "hash comes to 18, not 17"),
    ],
)
def test_sinks_that_differ_are_refused(actual, complaint):
    with pytest.raises(WrongAnswer, match=complaint):
        _stream_answers.check_same("somebody", actual, {"rows": 3, "hash": "17"})


def progress(seconds, state, rows=10):
    """One micro-batch as Spark reports it; half of the state is in files."""
    operator = {
        "memoryUsedBytes": state // 2,
        "customMetrics": {"rocksdbSstFileSize": state - state // 2},
    }
    return {
        "numInputRows": rows,
        "durationMs": {"triggerExecution": seconds * 1e3},
        "stateOperators": [operator],
    }


def test_a_long_run_is_judged_once_its_state_is_full_and_by_batches_with_rows():
    reported = [progress(90.0, 1) for _ in range(3)]
    reported += [progress(1.0, 10 * i) for i in range(3, 20)]
    reported += [progress(2.0, 400) for _ in range(60)]
    reported += [progress(3.0, 600) for _ in range(19)]
    reported += [progress(7.0, 600), progress(50.0, 0, rows=0)]

    live = {"99": 60, "20": 40, "39": 42, "90": 62, "80": 61, "30": 41}
    actual = _stream_progress.Course.of(_stream_progress.batches(reported), live)

    assert sorted(map(int, live)) == _stream_progress.places(100)
    assert actual == _stream_progress.Course(
        median=2.0,
        early=2.0,
        late=3.0,
        longest=7.0,
        early_state=41,
        late_state=61,
        rocksdb=600,
    )


def test_a_side_that_does_not_come_to_its_end_says_why(tmp_path):
    source = tmp_path / "no such folder"

    with pytest.raises(WrongAnswer, match="nobody: its process ended with 1"):
        _stream_turns.ask("nobody", (60, 1), source, 2, silent)


@pytest.mark.parametrize(
    "changed",
    ["if(key = 2 and window.start = '2026-01-01 00:00:01', n + 1, n)", "n + key - 1.5"],
    ids=["one cell", "all cells, with the same sum"],
)
def test_sinks_that_differ_in_one_column_differ_in_its_hash_alone(
    spark, tmp_path, changed
):
    frame = read(spark, LOAD.write(tmp_path))
    right = queries.spark_windows(frame, 2, 1)
    wrong = right.withColumn("n", expr(f"cast({changed} as long)"))

    actual = _stream_answers.of_sink(wrong)

    expected = _stream_answers.of_sink(right)
    hashes = [name for name in expected if name.startswith(_stream_answers.HASHED)]
    differ = [name for name in hashes if actual[name] != expected[name]]
    assert differ == ["hash of n"]


@pytest.mark.deep
def test_both_sides_answer_alike_on_a_stream(monkeypatch):
    case = _stream_windows.Asked(8, 60, 1, 19_000, bar=1.5)
    monkeypatch.setattr(_stream_windows, "CASES", (case,))
    settings = dataclasses.replace(TINY, stream_rows=20_000, stream_batches=5)

    result = stream.run(settings, silent)

    speed, state, flat = result.tables
    assert [row[:2] for row in speed.rows] == [["8", "60 s / 1 s"]]
    assert [row[2] for row in state.rows] == [OURS, SPARK]
    assert [row[0] for row in flat.rows] == ["60 s / 1 s", "3,600 s / 1 s"]
    assert all(len(row) == len(t.header) for t in result.tables for row in t.rows)
    assert len(result.bars) == 1 + 7
