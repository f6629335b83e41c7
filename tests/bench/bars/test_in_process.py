"""The bars in process measure what they say, on few rows, and refuse wrong answers."""

import importlib.util

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow.loops import interpreting
from windrow_bench.bars import (
    EXPERIMENTS,
    features,
    first_calls,
    kernels,
    medians,
    million_keys,
    operators,
    own_aggregate,
    peers,
    sharing,
    slick_deque,
    spanning,
    stream_kinds,
    tables,
    time_windows,
)
from windrow_bench.bars._bar import HERE
from windrow_bench.experiment import FULL, QUICK, RowSet, Size
from windrow_bench.measure import bounds, keyed, table_side
from windrow_bench.measure import kernels as bench_kernels
from windrow_bench.measure import million_keys as bench_million
from windrow_bench.measure import peers as bench_peers
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.peers import PEERS
from windrow_bench.measure.spanning import SpanSetting
from windrow_bench.measure.table_queries import FORMS, QUESTIONS, own_form

TINY = Size("quick", 0.05, 1)
BOTTLENECK, *_ = PEERS


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    """Few rows, and nothing compiled: what is tested is how we measure."""
    for module, name, value in (
        (kernels, "QUICK_ROWS", 600),
        (kernels, "QUICK_WIDTHS", (16, 100)),
        (kernels, "QUICK_LONG", (300,)),
        (peers, "QUICK_ROWS", 600),
        (peers, "QUICK_WIDTHS", (16,)),
        (peers, "PEERS", (BOTTLENECK,)),
        (own_aggregate, "QUICK_ROWS", 400),
        (own_aggregate, "QUICK_WIDTHS", (16,)),
        (million_keys, "QUICK_KEYS", 200),
        (million_keys, "ask", bench_million.answer),
        (operators, "QUICK_ROWS", 2_200),
        (operators, "WIDTHS", (64, 100)),
        (operators, "QUICK_EVENTS", 300),
        (operators, "QUICK_SINGLE", (16,)),
        (operators, "TEN_ROWS", ((400, 200), (400, 200))),
        (sharing, "ROWS", (600, 600)),
        (sharing, "LONGEST", 50),
        (sharing, "MANY_ROWS", (400, 400)),
        (time_windows, "ROWS", (5_000, 5_000)),
        (time_windows, "MANY_KEYS", 20),
        (time_windows, "THREAD_ROWS", (2_000, 2_000)),
        (time_windows, "LIST_ROWS", (60, 60)),
        (time_windows, "LISTS", (2,)),
        (slick_deque, "RANGES", (8, 8)),
        (slick_deque, "SLIDES", (64, 64)),
        (slick_deque, "ROWS", (300, 300)),
        (slick_deque, "WIDTHS", (16,)),
        (slick_deque, "COUNTED_ROWS", (600, 600)),
        (slick_deque, "COUNTED_WIDTH", 32),
        (medians, "ROWS", (600, 600)),
        (medians, "WIDTHS", (11, 101)),
        (medians, "FRAME_ROWS", (2_000, 2_000)),
        (features, "EVENTS", 8_000),
        (features, "LABELS", 800),
        (spanning, "ROWS", (300, 300)),
        (spanning, "SETTINGS", (SpanSetting(5, 20, 5),)),
        (stream_kinds, "QUICK_LENGTHS", (16, 32)),
        (stream_kinds, "QUICK_KEPT", 32),
        (stream_kinds, "QUICK_LOADS", (20,)),
        (stream_kinds, "STEPS", 4),
        (stream_kinds, "TURNS", 1),
        (stream_kinds, "LOADS", {"sparse": (30, 200)}),
    ):
        monkeypatch.setattr(module, name, value)
    for name in ("_sort", "_cut", "_frames"):
        monkeypatch.setattr(bounds, name, getattr(bounds, name).py_func)
    with interpreting():
        yield


CARDS = [
    *kernels.EXPERIMENTS,
    peers.PEERS_BAR,
    pytest.param(own_aggregate.OWN_AGGREGATE, marks=pytest.mark.deep),
    million_keys.MILLION_KEYS,
    pytest.param(operators.OPERATORS, marks=pytest.mark.deep),
    pytest.param(sharing.SHARING, marks=pytest.mark.deep),
    time_windows.TIME_WINDOWS,
    slick_deque.SLICK_DEQUE,
    medians.MEDIANS,
    features.FEATURES,
    spanning.SPANNING,
    pytest.param(stream_kinds.STREAM_KINDS, marks=pytest.mark.deep),
]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_a_bar_has_a_number_for_every_panel(card):
    trials = card.trials(TINY)
    firsts = list({trial.panel: trial for trial in trials}.values())  # one a panel

    rows = [row for trial in firsts for row in trial.run(0.01)]

    assert {row.panel for row in rows} == {panel.name for panel in card.panels}
    assert all(np.isfinite(row.value) for row in rows)


@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_trials_have_the_panels_of_the_card_and_names_of_their_own(card):
    for size in (QUICK, FULL):
        trials = card.trials(size)

        assert {trial.panel for trial in trials} <= {one.name for one in card.panels}
        assert len({trial.key for trial in trials}) == len(trials)
    assert card.claims


def test_every_library_that_takes_part_is_needed():
    for card in EXPERIMENTS:
        assert all(importlib.util.find_spec(name) for name in card.needs)
        assert ("pyspark" in card.needs) is (card.paper != HERE)


@pytest.mark.parametrize("card", [kernels.BESIDE_PASS, own_aggregate.OWN_AGGREGATE])
def test_a_kernel_that_is_off_by_one_has_no_number(card, monkeypatch):
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

    with pytest.raises(WrongAnswer, match="window 0"):
        card.trials(TINY)[0].run(0.01)


def test_a_window_by_time_that_is_missing_has_no_number():
    *_, by_time = time_windows._enter(time_windows.BURSTS, 5_000)
    answer = by_time.call()

    by_time.check(answer)
    with pytest.raises(WrongAnswer, match="windows, not"):
        by_time.check(answer.slice(1))


def test_a_key_that_is_missing_among_many_has_no_number():
    arrays, now = time_windows._many_keys(3_000)

    arrays.check(arrays.call())
    answer = now.call()
    now.check(answer)
    with pytest.raises(WrongAnswer, match="other windows"):
        now.check(answer.filter(pa.compute.not_equal(answer["key"], 7)))
    with pytest.raises(WrongAnswer, match="other means"):
        now.check(answer.set_column(2, "r", pa.array(answer["r"].to_numpy() + 1e-3)))


def test_arrays_of_bounds_give_the_windows_of_slices_with_several_rows():
    at = np.cumsum(np.random.default_rng(2).integers(1, 40, 300)) * 100_000
    key, x = np.arange(300) % 3, np.arange(300.0)
    table = pa.table({"at": pa.array(at, pa.timestamp("us")), "key": key, "x": x})
    window = wr.sliding("50 seconds", every="10 seconds", on="at")

    found = bounds.aggregate("max", key, at, x, 50_000_000, 10_000_000)

    assert found.equals(wr.aggregate(table, window, by="key", r=wr.max("x")))


def test_a_tick_that_leaves_a_key_out_has_no_time(monkeypatch):
    monkeypatch.setattr(wr.Operator, "trigger", lambda operator, at: [])

    with pytest.raises(WrongAnswer, match="tick 1: 0 of 50 keys are right"):
        bench_million.answer(50)


def test_instants_have_gaps_and_bursts_and_a_row_a_second_on_average():
    at = time_windows.instants(200_000, time_windows.BURSTS)

    gaps = np.diff(at)
    assert (gaps > 0).all()
    assert np.median(gaps) < 10_000  # microseconds
    assert (gaps > 60_000_000).sum() > 500
    assert 0.8 < (at[-1] - at[0]) / 200_000 / 1_000_000 < 1.2


@pytest.mark.deep  # many processes that start, and compile
def test_first_calls_have_a_time_for_each_call_and_question():
    rows = [row for t in first_calls.FIRST_CALLS.trials(TINY) for row in t.run(1.0)]

    assert {row.panel for row in rows} == {"import", "first calls", "whole process"}


def test_first_calls_refuse_a_wrong_answer():
    with pytest.raises(WrongAnswer, match=r"is 9999\.0, not 14\.0"):
        first_calls.check_last("slide", 14.0)
    with pytest.raises(WrongAnswer, match="a question"):
        first_calls.check_same("a question", {"windrow": "3 1.0", "polars": "3 1.1"})


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_peers_have_what_they_say(peer):
    if peer.name == "numbagg":
        pytest.skip("compiles for seconds: a run of the bar has it")
    values = np.random.default_rng(1).random(300)

    for aggregate in peer.aggregates:
        contender = bench_peers.peer_contender(peer, values, 20, aggregate)
        contender.check(contender.call())


@pytest.mark.parametrize("question", QUESTIONS)
def test_duckdb_and_polars_answer_alike(question):
    given = keyed.events(3_000)

    actual, expected = (
        FORMS[question](name, QUESTIONS[question][name](own_form(given, name)))
        for name in ("duckdb", "polars")
    )

    table_side.check_same("duckdb", actual, expected, "polars")


def told(library, question, source, target, *, rounds):
    """A library that answers at once, and holds twice the input."""
    given = keyed.read(source)
    answer = [1, 3] if (library, question) == ("duckdb", "over") else [1, 2]
    keyed.write(pa.table({"key": answer}), target)
    times = [3.0, 1.0, 2.0]
    return {"times": times, "before": 10, "peak": 10 + 2 * given.nbytes}


def test_tables_give_time_and_memory_of_every_library(monkeypatch):
    monkeypatch.setattr(tables, "ask", told)
    monkeypatch.setattr(tables, "SMALL", 500)

    (trial,) = tables.WINDOWS.trials(TINY)
    rows = RowSet(trial.run(1.0))

    assert rows.series("time") == ["windrow", "polars", "pandas", "duckdb"]
    time = rows.row("time", 500, "windrow")
    assert (time.value, time.low, time.high, time.repeats) == (2.0, 1.0, 3.0, 3)
    assert rows.value("memory", 500, "duckdb") == 2.0


def test_a_library_that_differs_from_polars_has_no_time(monkeypatch):
    monkeypatch.setattr(tables, "ask", told)
    monkeypatch.setattr(tables, "SMALL", 500)

    (trial,) = tables.OVER.trials(TINY)
    with pytest.raises(WrongAnswer, match="duckdb: column key differs from polars"):
        trial.run(1.0)


def test_a_process_that_ends_badly_says_whose_it_was(tmp_path):
    with pytest.raises(WrongAnswer, match="nobody: its process ended with 1"):
        table_side.ask("nobody", "over", tmp_path / "in", tmp_path / "out")
