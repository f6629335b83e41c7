"""Special cases come out of the graph (LightSaber 5.1, 5.2 and Figure 8)."""

from __future__ import annotations

import pytest

from windrow.graph import initial, specialise
from windrow.graph.graph import INPUT, At, Family, ScanKind, Term, initial_uneven
from windrow.graph.specialise import LAP, LONG, SPARE, shared_lap


def prefix(lap: int) -> Family:
    return Family(ScanKind.PREFIX, lap)


def suffix(lap: int) -> Family:
    return Family(ScanKind.SUFFIX, lap)


def test_at_first_every_window_has_a_suffix_and_a_prefix_scan_of_its_own():
    graph = initial([5, 7])
    assert graph.families == [prefix(5), prefix(7), suffix(5), suffix(7), INPUT]
    for root, lap in zip(graph.roots, (5, 7), strict=True):
        assert root.last == (Term(suffix(lap), At.START), Term(prefix(lap), At.END))
        assert not root.same


def test_one_window_with_an_inverse_is_one_running_value():
    special = specialise(initial([5]), invertible=True)
    (root,) = special.graph.roots
    assert root.last == (Term(prefix(5), At.END), Term(INPUT, At.START, off=True))
    assert special.stored_scans == []
    assert special.graph.needed(prefix(5)) == "newest"
    assert special.graph.needed(suffix(5)) == "none"


def test_one_window_without_an_inverse_keeps_suffixes_and_a_running_prefix():
    special = specialise(initial([5]), invertible=False)
    assert special.stored_scans == [suffix(5)]
    assert special.graph.needed(prefix(5)) == "newest"


def test_a_window_of_one_input_is_the_input():
    special = specialise(initial([1]), invertible=False)
    assert special.graph.families == [INPUT]


def test_many_windows_with_an_inverse_share_one_pair_of_scans():
    special = specialise(initial([*range(3, 40), 9000]), invertible=True)
    assert special.scans == [prefix(36_000), suffix(36_000)]
    assert special.stored_scans == special.scans
    for root in special.graph.roots:
        end, start = Term(prefix(36_000), At.END), Term(prefix(36_000), At.START, True)
        assert root.same == (end, start)
        assert root.last == (Term(suffix(36_000), At.START), end)


def test_a_few_windows_with_an_inverse_are_running_values():
    special = specialise(initial([3, 900, 900]), invertible=True)
    assert special.stored_scans == []
    assert special.graph.readers(suffix(900)) == []


def test_windows_that_do_not_end_at_each_input_share():
    special = specialise(initial([3, 900]), invertible=True, each=False)
    assert special.scans == [prefix(4096), suffix(4096)]


def test_laps_of_differences_are_neither_short_nor_too_long():
    laps = [
        specialise(initial([1, longest]), invertible=True, each=False).scans[0].lap
        for longest in (3, 10**6, 10**8)
    ]
    assert laps == [LONG, 10**6 + SPARE, 10**8 + SPARE]


def total(lap: int) -> Family:
    return Family(ScanKind.TOTAL, lap)


def test_many_windows_without_an_inverse_share_laps_and_their_totals():
    special = specialise(initial([900, 100, 3]), invertible=False)
    assert special.scans == [prefix(3), suffix(3), prefix(64), suffix(64), total(64)]
    assert special.stored_scans == [suffix(3), suffix(64), total(64)]
    long, short, alone = special.graph.roots
    assert long.last == short.last
    assert long.last == (
        Term(suffix(64), At.START),
        Term(total(64), At.BETWEEN),
        Term(prefix(64), At.END),
    )
    assert alone == initial([3]).roots[0]


@pytest.mark.parametrize(
    ("ranges", "lap"),
    [([1, 63], 0), ([1, 64], 0), ([64, 65], 64), ([511, 9], 0), ([511, 600], 256)]
    + [([10**6, 10**7], LAP)],
)
def test_laps_are_powers_of_two_that_no_window_is_shorter_than(ranges, lap):
    assert shared_lap(ranges) == lap


def test_twins_of_equal_windows_merge():
    special = specialise(initial([5, 5]), invertible=False)
    assert special.scans == [prefix(5), suffix(5)]
    assert len(special.graph.readers(suffix(5))) == 2


def test_uneven_windows_with_an_inverse_share_one_scan_and_sweep_the_suffixes():
    special = specialise(initial_uneven(3), invertible=True)
    assert special.scans == [Family(ScanKind.PREFIX)]


def test_uneven_windows_without_an_inverse_keep_their_own_stacks():
    special = specialise(initial_uneven(2), invertible=False)
    assert special.stored_scans == [Family(ScanKind.SUFFIX, window=n) for n in (0, 1)]
    assert special.graph == initial_uneven(2)
