"""PBA (KDD 2021): Figures 2 and 3, Theorem 1, and Table 1 by counting combines."""

import importlib
import random

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from counting import counted, objects, slide_rows, slide_windows
from windrow.algorithms import Shape, compile_kernel, find
from windrow.algorithms.pba import best_chunk
from windrow.algorithms.sba import BLOCK, LEAST
from windrow.loops import interpreting
from windrow.plan import Facts, plan_aggregate, resolve

SIZES = [4, 8, 16, 37, 64, 256, 1024]
PBA = find("pba")
_threads = importlib.import_module("windrow.algorithms._two_threads")

# Figure 2: W[10, 2], so slices of 2 values and windows of 5 slices; two chunks of 5
VALUES = [5, 4, 6, 3, 0, 0, 1, 0, 2, 3, 1, 2, 7, 5, 3, 4, 9, 5, 4, 8]
SLICES = [5, 6, 0, 1, 3, 2, 7, 4, 9, 8]

MAX = {"combine": max, "identity": -1}
TEXT = {"combine": lambda a, b: a + b, "identity": ""}


@pytest.fixture
def two_threads(monkeypatch):
    """Two threads whatever the size: kernels here are interpreted, windows small."""
    monkeypatch.setattr(_threads, "pays", lambda *_: True)
    monkeypatch.setattr(_threads, "LEAST_RUN", 1)


def shuffled(n, seed=11):
    values = list(range(n))
    random.Random(seed).shuffle(values)
    return values


# --- Figure 2 ----------------------------------------------------------------------


def test_figure_2_slices_are_the_maxima_of_two_values_each():
    _, product = counted(**MAX)

    actual = slide_rows(find("recompute"), product, VALUES, 2, step=2)

    assert actual == SLICES


@pytest.mark.parametrize("chunk", [0, 1, 2, 3, 4, 5])
def test_figure_2_windows_come_out_as_printed_whatever_the_chunk(chunk):
    _, product = counted(**MAX)

    actual = slide_rows(PBA, product, SLICES, 5, chunk=chunk)

    expected = [6, 6, 7, 7, 9, 9]
    assert actual == expected


@pytest.mark.usefixtures("two_threads")
def test_figure_2_windows_come_out_as_printed_from_two_threads():
    _, product = counted(**MAX)

    actual = slide_rows(PBA, product, SLICES, 5, chunk=5)

    expected = [6, 6, 7, 7, 9, 9]
    assert actual == expected


def test_figure_2_lcs_of_both_chunks():
    _, product = counted(**MAX)
    kernel = compile_kernel(PBA, product, Shape(bounds="regular", fast=True))
    lcs = kernel.make_room(10)

    kernel.fill_chunks((objects(SLICES),), 0, 2, 5, lcs, 0, kernel.make_lanes())

    actual = lcs[0].tolist()
    expected = [6, 6, 3, 3, 3] + [9, 9, 9, 9, 8]
    assert actual == expected


def test_figure_2_csa_goes_up_with_each_window():
    tally, product = counted(**MAX)

    slide_rows(PBA, product, SLICES, 5, chunk=5)

    newer = [pairs[-1][1] for pairs in tally.pairs[1:5]]  # max(lcs[i], csa[i - 1])
    assert newer == [2, 7, 7, 9]


# --- Figure 3 ----------------------------------------------------------------------


@pytest.mark.usefixtures("two_threads")
def test_figure_3_cuts_window_1_into_lcs_three_whole_chunks_and_csa():
    """Chunk 4, W[16, 1]: w1 == lcs0[1] + ca1 + ca2 + ca3 + csa4[0].

    a b c d   e f g h   i j k l   m n o p   q r s t
      |- lcs0[1] ca1 --- ca2 --- ca3 --- csa4[0]
    """
    tally, product = counted(**TEXT)
    stream = list("abcdefghijklmnopqrst")

    actual = slide_rows(PBA, product, stream, 16, chunk=4)

    assert actual == ["".join(stream[i : i + 16]) for i in range(5)]
    assert ("efgh", "ijkl") in tally.pairs[0]  # ca1 + ca2: needed by w0 already
    assert tally.pairs[1] == [
        ("efghijkl", "mnop"),  # + ca3
        ("", "q"),  # csa4[0]
        ("efghijklmnop", "q"),
        ("bcd", "efghijklmnopq"),  # lcs0[1] + the rest
    ]


# --- Theorem 1 ---------------------------------------------------------------------


def test_theorem_1_gives_4_for_the_window_of_figure_2():
    assert best_chunk(10, 2) == 4


@pytest.mark.parametrize("n", SIZES)
def test_theorem_1_gives_half_a_window_for_slide_1(n):
    """Section 4.4: floor((n + 2) / 2) for W[n, 1]."""
    assert best_chunk(n, 1) == (n + 2) // 2


@pytest.mark.parametrize(
    ("range_", "slide", "chunk"),
    [
        (2, 1, 2),  # 2 slices <= 1 + 0 + 1: as long as the window
        (3, 1, 2),  # (1 * 4 + 0 + 1) // 2
        (11, 3, 3),  # 3 slices <= 3 + 2 + 1
        (100, 10, 10),  # 10 slices <= 10 + 0 + 1
        (120, 10, 11),  # 12 slices > 11: (10 * 13 + 0 + 1) // 11
        (1000, 7, 126),  # 142 slices, rest 6: (7 * 143 + 6 + 1) // 8
    ],
)
def test_theorem_1_by_hand(range_, slide, chunk):
    assert best_chunk(range_, slide) == chunk


def test_theorem_1_lets_a_window_cover_one_whole_chunk_and_no_more():
    """k = floor(floor(r / s) / b*) == 1."""
    pairs = [(r, s) for s in range(1, 12) for r in range(s, 200)]

    actual = {(r // s) // best_chunk(r, s) for r, s in pairs}

    assert actual == {1}


def test_theorem_1_chunk_is_full_in_time_for_the_window_that_needs_it():
    """4.3: the lcs of a chunk (b combines) is there when a window first asks for it.

    The slices between the boundary and the stop of the first window past it take
    s + 1 combines each: s values into the slice, and the slice into csa.
    """
    pairs = [(r, s) for s in range(1, 8) for r in range(2 * s, 120) if r % s == 0]

    for r, s in pairs:
        b, n = best_chunk(r, s), r // s
        waits = n - b + 1  # slices of the next chunk in the window that starts at 1
        assert b - 1 <= waits * (s + 1) + s


# --- Table 1 -----------------------------------------------------------------------


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("n", SIZES)
def test_pba_costs_less_than_3_amortised_and_3_at_worst_in_the_main_thread(n):
    """Section 4.4: csa takes 1, merging 2 or 3 sub-aggregations 1 or 2.

    A window of 4 in chunks of 3 never spans three of them: 2 at worst.
    """
    tally, product = counted(**MAX)

    slide_rows(PBA, product, shuffled(5 * n), n)

    costs = tally.per_window[1:]
    assert max(costs) == (3 if n > 4 else 2)
    assert sum(costs) < 3 * len(costs)


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("n", SIZES)
def test_pba_leaves_one_combine_a_slice_to_the_second_thread(n):
    """Table 1 counts the main thread's combines; the other's are extra."""
    tally, product = counted(**MAX)

    slide_rows(PBA, product, shuffled(5 * n), n)

    chunk = best_chunk(n, 1)
    chunks = -(-(4 * n + 1) // chunk)
    assert tally.elsewhere == chunks * chunk


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("n", SIZES)
def test_pba_costs_2_a_slide_in_the_main_thread_over_windows_given_as_arrays(n):
    tally, product = counted(**MAX)
    windows, values = [(i, i + n) for i in range(3 * n)], shuffled(4 * n)

    actual = slide_windows(PBA, product, values, windows)

    assert actual == [max(values[start:stop]) for start, stop in windows]
    assert max(tally.per_window[1:]) == 2
    assert tally.elsewhere > 0


@pytest.mark.parametrize("n", SIZES)
def test_sba_costs_3_a_slide_up_to_its_block(n):
    """5.1: PBA's procedure in one thread; its fast path works chunk by chunk.

    A chunk's window comes with the prefixes before it; the first one's comes extra.
    """
    assert n <= BLOCK
    tally, product = counted(**MAX)

    slide_rows(find("sba"), product, shuffled(5 * n - 1), n)  # four whole chunks

    actual, slides = tally.total, len(tally.per_window)
    assert slides == 4 * n
    assert 3 * (slides - 6) < actual - (n - 2) <= 3 * slides  # a scan's first is free


@pytest.mark.parametrize("n", [BLOCK + 1, 1500, 2 * BLOCK, 5000])
def test_sba_costs_at_most_4_a_slide_beyond_its_block(n):
    """Suffix, prefix, and two around the middle.

    The first window costs its length, and each block one more, for its total.
    """
    tally, product = counted(**MAX)

    slide_rows(find("sba"), product, shuffled(5 * n - 1), n)

    slides, blocks = len(tally.per_window), 4 * -(-n // LEAST)
    assert slides == 4 * n
    assert 3 * slides < tally.total <= 4 * slides + n + blocks


@pytest.mark.parametrize("n", SIZES)
def test_sba_costs_3_amortised_over_windows_given_as_arrays(n):
    """As Two-Stacks Lite, which it is there: n + 1 at worst."""
    tally, product = counted(**MAX)
    windows = [(i, i + n) for i in range(3 * n - 2)]

    slide_windows(find("sba"), product, shuffled(4 * n), windows)

    costs = tally.per_window[1:]
    assert sum(costs) == 3 * len(costs)
    assert max(costs) == n + 1


@pytest.mark.parametrize("chunk", [1, 3, 7, 40, 64])
def test_pba_agrees_with_recomputing_for_every_chunk(chunk):
    _, product = counted(**TEXT)
    stream = [chr(97 + i % 26) for i in range(300)]

    actual = slide_rows(PBA, product, stream, 64, chunk=chunk)

    expected = ["".join(stream[i : i + 64]) for i in range(237)]
    assert actual == expected


def test_runs_of_no_slice_at_all_have_no_window():
    _, product = counted(**MAX)

    actual = slide_rows(PBA, product, [], 5)

    assert actual == []


# --- chunks that are asked for, and two threads that the planner takes ----------------

TABLE = pa.table({"t": [0, 1, 5, 9, 30], "x": [1.0, 2.0, 3.0, 4.0, 5.0]})


def refusal(window=None, **how):
    with pytest.raises(wr.BadInput) as refused:
        wr.aggregate(TABLE, window or wr.rows(3), m=wr.max("x"), **how)
    assert "\nHint: " in str(refused.value)
    return str(refused.value)


def test_a_chunk_is_kept_or_refused_and_never_ignored():
    assert "only pba has chunks" in refusal(chunk=2)
    assert "only pba has chunks" in refusal(chunk=2, algorithm="sba")
    assert "a window has 3" in refusal(chunk=4, algorithm="pba")
    gaps = wr.sliding(4, every=1, on="t")
    assert "windows differ in their slices" in refusal(gaps, chunk=2, algorithm="pba")
    lists = [wr.rows(3), wr.rows(4)]
    assert "windows differ in their slices" in refusal(lists, chunk=2, algorithm="pba")
    policy = wr.window(evict=wr.delta("x", 2), trigger=1)
    assert "neither slices nor chunks" in refusal(policy, chunk=2)


@pytest.mark.parametrize(
    ("range_", "slide", "asked", "chunk"),
    [
        (12, 1, 5, 5),
        (12, 1, 0, 7),
        (120, 10, 0, 11),
        (100, 10, 0, 10),
        (1000, 7, 0, 126),
    ],
)
def test_the_chunk_is_the_one_asked_for_or_theorem_1_s_with_the_slide(
    range_, slide, asked, chunk, monkeypatch
):
    seen = []
    pba = importlib.import_module("windrow.algorithms._run")
    run = pba._run

    def watched(algorithm, product, shape, arguments, lane):
        seen.append(arguments[-2] or best_chunk(arguments[3], 1))
        return run(algorithm, product, shape, arguments, lane)

    monkeypatch.setattr(pba, "_run", watched)
    values = np.arange(3_000.0)

    with interpreting():
        window = wr.rows(range_, every=slide)
        found = wr.slide(values, window, "max", algorithm="pba", chunk=asked)

    assert seen == [chunk]
    assert found.tolist() == values[range_ - 1 :: slide].tolist()


def resolved(rows, window, call, threads):
    table = pa.table({"x": np.zeros(rows)})
    plan = plan_aggregate(table.schema, window, None, {"m": call})
    facts = Facts(frozenset(), longest=rows, threads=threads)
    (choice,) = resolve(plan, facts).choices
    return choice.algorithm.name


def test_auto_takes_pba_where_a_second_core_would_have_nothing_to_do():
    """Long windows, of which a stretch for each core would repeat too much."""
    rows, long, short = 1 << 20, wr.rows(1 << 17), wr.rows(1 << 10)

    assert resolved(rows, long, wr.max("x"), threads=2) == "pba"
    assert resolved(rows, long, wr.max("x"), threads=1) == "sba"
    assert resolved(rows, short, wr.max("x"), threads=2) == "sba", "cut into stretches"
    assert resolved(1 << 17, wr.rows(1 << 15), wr.max("x"), threads=2) == "sba"
    assert resolved(rows, long, wr.sum("x"), threads=2) == "sba", "the same bits always"
    assert resolved(rows, long, wr.count(), threads=2) == "subtract_on_evict"
