"""SlickDeque (EDBT 2018): Figures 8 and 9 step by step, and Table 1 by counting."""

import random

import pytest

import windrow as wr
from counting import counted, slide_ranges, slide_rows
from windrow.algorithms import find
from windrow.loops import interpreting

SIZES = [4, 8, 16, 37, 64, 256, 1024]
STREAM = [6, 5, 0, 1, 3, 4, 2, 7]  # Examples 2 and 3: ranges 3 and 5, slide 1
RANGES = [3, 5]

SUM = {"combine": lambda a, b: a + b, "identity": 0, "inverse": lambda w, a: w - a}
MAX = {"combine": max, "identity": -1, "laws": ["selective"]}


def shuffled(n, seed=7):
    values = list(range(n))
    random.Random(seed).shuffle(values)
    return values


def after_the_first(tally, slides):
    """Combines and inverses of each of `slides` slides after the first full window."""
    costs = [c + i for c, i in zip(tally.per_window, tally.inverses, strict=True)]
    return costs[1 : slides + 1]


def one_period(costs):
    """The costs of one full iteration, after which they repeat to the end."""
    ends = (p for p in range(1, len(costs) // 2) if costs[p:] == costs[:-p])
    return costs[: next(ends)]


# --- Figure 8: Sum, SlickDeque (Inv) ----------------------------------------------


def test_figure_8_answers_each_step_of_both_ranges():
    _, product = counted(**SUM)

    actual = slide_ranges(find("slick_deque_inv"), product, STREAM, RANGES)

    expected = [
        [6, 6],
        [11, 11],
        [11, 11],
        [6, 12],
        [4, 15],
        [8, 13],
        [9, 10],
        [13, 17],
    ]
    assert actual == expected


def test_figure_8_takes_32_operations_over_an_array_filled_with_the_initial_value():
    tally, product = counted(**SUM)
    empty = [0] * 5  # Step 0: `partials` holds five initial values

    actual = slide_ranges(find("slick_deque_inv"), product, empty + STREAM, RANGES, 4)

    assert actual[1:] == slide_ranges(find("recompute"), product, STREAM, RANGES)
    fill = 2  # windows of Step 0, one a range
    operations = tally.per_window[fill:18], tally.inverses[fill:18]
    assert [sum(kind) for kind in operations] == [16, 16]


def test_figure_8_needs_fewer_operations_where_nothing_has_left_the_window():
    tally, product = counted(**SUM)

    slide_ranges(find("slick_deque_inv"), product, STREAM, RANGES)

    assert sum(tally.per_window) == 2 * 8  # each value taken on, by both ranges
    assert sum(tally.inverses) == 5 + 3  # and off again, where it has left


# --- Figure 9: Max, SlickDeque (Non-Inv) ------------------------------------------


def test_figure_9_answers_each_step_of_both_ranges():
    _, product = counted(**MAX)

    actual = slide_ranges(find("slick_deque"), product, STREAM, RANGES)

    expected = [[6, 6], [6, 6], [6, 6], [5, 6], [3, 6], [4, 5], [4, 4], [7, 7]]
    assert actual == expected


@pytest.mark.parametrize("figure", [8, 9])
def test_figures_8_and_9_one_event_at_a_time(figure):
    """The same answers and combines from an operator with a list of windows."""
    tally = {"combine": 0, "inverse": 0}

    def counting(name, function):
        def count(a, b):
            tally[name] += 1
            return function(a, b)

        return count

    laws = SUM if figure == 8 else MAX
    aggregate = wr.Aggregate(
        name="counted",
        identity=laws["identity"],
        lift=lambda value: value,
        combine=counting("combine", laws["combine"]),
        inverse=counting("inverse", laws["inverse"]) if figure == 8 else None,
        lower=lambda partial: partial,
        laws=laws.get("laws", ()),
    )
    windows = [wr.rows(range_, partial=True, name=str(range_)) for range_ in RANGES]
    name = "slick_deque_inv" if figure == 8 else "slick_deque"
    with interpreting():
        operator = wr.Operator(windows, aggregate, algorithm=name, nulls=False)
        operator.insert(STREAM[0])  # begins: nothing is counted yet
        answers = [list(operator.query().values())]
        tally.update(combine=0, inverse=0)
        for value in STREAM[1:]:
            operator.insert(value)
            answers.append(list(operator.query().values()))

    product = counted(**laws)[1]
    assert answers == slide_ranges(find(name), product, STREAM, RANGES)
    if figure == 8:
        assert tally == {"combine": 2 * 7, "inverse": 5 + 3}
    else:
        assert tally["combine"] == 11


@pytest.mark.parametrize("one_by_one", [True, False])
def test_example_1_shares_partials_of_two_tuples_online(one_by_one):
    """Max over 6 tuples every 2, and over 8 every 4, in one operator."""
    windows = [wr.rows(6, every=2, name="Q1"), wr.rows(8, every=4, name="Q2")]
    values = shuffled(24)
    operator = wr.Operator(windows, wr.max(), algorithm="slick_deque")

    if one_by_one:
        for value in values:
            operator.insert(value)
        results = operator.trigger()
    else:
        results = list(operator.feed(values))

    expected = {
        (name, stop, max(values[stop - size : stop]))
        for name, size, slide in (("Q1", 6, 2), ("Q2", 8, 4))
        for stop in range(size, 25, slide)
    }
    assert {(each.query, each.end, each.value) for each in results} == expected
    assert len(results) == len(expected)


def test_range_and_mean_beside_examples_2_and_3_online():
    """Range (Max and Min) by two deques, Sum and Average taken off, at once."""
    windows = [wr.rows(range_, partial=True, name=str(range_)) for range_ in RANGES]
    calls = {"sum": wr.sum("v"), "range": wr.range("v"), "mean": wr.mean("v")}
    operator = wr.Operator(windows, calls)
    answers = []

    for value in STREAM:
        operator.insert({"v": value})
        answers.append(operator.query())

    assert "with slick_deque" in str(operator)
    held = [[STREAM[max(i - r, 0) : i] for r in RANGES] for i in range(1, 9)]
    assert answers == [
        {
            str(range_): {
                "sum": sum(values),
                "range": max(values) - min(values),
                "mean": sum(values) / len(values),
            }
            for range_, values in zip(RANGES, row, strict=True)
        }
        for row in held
    ]


def test_figure_9_takes_11_combines():
    tally, product = counted(**MAX)

    slide_ranges(find("slick_deque"), product, STREAM, RANGES)

    actual = [sum(tally.per_window[i : i + 2]) for i in range(0, 16, 2)]
    expected = [0, 1, 1, 2, 2, 2, 1, 2]
    assert actual == expected
    assert sum(actual) == 11


def test_figures_8_and_9_cost_naive_48_operations_with_empty_places_counted():
    tally, product = counted(**SUM)

    slide_ranges(find("recompute"), product, [0] * 5 + STREAM, RANGES, 5)

    actual = tally.total
    expected = 8 * (2 + 4)  # n - 1 for each of n = 3 and n = 5
    assert actual == expected == 48


# --- Table 1, single query (Section 4.1) -------------------------------------------


@pytest.mark.parametrize("n", SIZES)
def test_naive_costs_exactly_n_minus_1_a_slide(n):
    """Section 4.1: n - 1, amortised and worst."""
    tally, product = counted(**SUM)

    slide_rows(find("recompute"), product, shuffled(n + 12), n)

    assert set(after_the_first(tally, 12)) == {n - 1}


@pytest.mark.parametrize("n", SIZES)
def test_two_stacks_costs_3_amortised_and_n_plus_2_at_worst(n):
    """Section 4.1: n inserts, n queries and a flip of n in n slides."""
    tally, product = counted(**SUM)

    slide_rows(find("two_stacks"), product, shuffled(4 * n), n)

    costs = after_the_first(tally, 3 * n)
    assert sum(costs) == 3 * len(costs)
    assert max(costs) == n + 2


@pytest.mark.parametrize("n", SIZES)
def test_two_stacks_lite_costs_3_amortised_and_n_plus_1_at_worst(n):
    """As Two-Stacks, but that the slice that leaves is not flipped before it does."""
    tally, product = counted(**SUM)

    slide_rows(find("two_stacks_lite"), product, shuffled(4 * n), n)

    costs = after_the_first(tally, 3 * (n - 1))
    assert sum(costs) == 3 * len(costs)
    assert max(costs) == n + 1


@pytest.mark.parametrize("n", SIZES)
def test_daba_costs_5_amortised_and_8_at_worst(n):
    """Section 4.1: n shrinks of 3, n inserts and n queries of 1, in n slides.

    The worst step is evict, flip, shrink, insert, shrink, query.  A window of up to
    4 shrinks once a slide, so that its worst step is the average one.
    """
    tally, product = counted(**SUM)

    slide_rows(find("daba"), product, shuffled(7 * n), n)

    costs = one_period(after_the_first(tally, 6 * n)[n:])
    assert sum(costs) == 5 * len(costs)
    assert max(costs) == (8 if n > 4 else 5)


@pytest.mark.parametrize("n", SIZES)
def test_daba_lite_costs_4_amortised_and_6_at_worst(n):
    """As DABA, with shrinks of 2: the middle is kept, not combined each time."""
    tally, product = counted(**SUM)

    slide_rows(find("daba_lite"), product, shuffled(7 * n), n)

    costs = one_period(after_the_first(tally, 6 * n)[n:])
    assert sum(costs) == 4 * len(costs)
    assert max(costs) == (6 if n > 4 else 4)


@pytest.mark.parametrize("n", SIZES)
def test_slick_deque_inv_costs_exactly_2_a_slide(n):
    """Section 4.1: one combine with the new partial, one inverse with the old."""
    tally, product = counted(**SUM)

    slide_ranges(find("slick_deque_inv"), product, shuffled(3 * n), [n], n - 1)

    assert set(tally.per_window[1:]) == {1}
    assert set(tally.inverses[1:]) == {1}


@pytest.mark.parametrize("stream", ["shuffled", "rising", "falling", "constant", "saw"])
@pytest.mark.parametrize("n", SIZES)
def test_slick_deque_costs_less_than_2_amortised_on_any_input(n, stream):
    """Section 4.1: compared once when it comes and once when it is dropped."""
    tally, product = counted(**MAX)
    values = {
        "shuffled": shuffled(6 * n),
        "rising": list(range(6 * n)),
        "falling": list(range(6 * n))[::-1],
        "constant": [3] * (6 * n),
        "saw": [-i % n for i in range(6 * n)],
    }[stream]

    slide_rows(find("slick_deque"), product, values, n)

    assert sum(tally.per_window) < 2 * len(values)


@pytest.mark.parametrize("n", SIZES)
def test_slick_deque_costs_n_at_worst_when_the_largest_follows_a_falling_window(n):
    """Section 4.1 says n; the oldest of the n nodes expires before it is compared."""
    tally, product = counted(**MAX)
    values = [*range(n, 0, -1), n + 1, *shuffled(n)]

    slide_rows(find("slick_deque"), product, values, n)

    actual = max(after_the_first(tally, n))
    expected = n - 1
    assert actual == expected


# --- Table 1, max-multi-query: all ranges from 1 to n, each slide -----------------


@pytest.mark.parametrize("n", [4, 8, 16, 37, 64])
def test_naive_costs_half_n_squared_minus_half_n_with_all_ranges(n):
    """Section 4.1: the sum of 0 to n - 1."""
    tally, product = counted(**SUM)

    slide_ranges(find("recompute"), product, shuffled(n + 4), range(1, n + 1), n)

    actual = tally.total
    expected = 4 * (n * n - n) // 2
    assert actual == expected


@pytest.mark.parametrize("n", SIZES)
def test_slick_deque_inv_costs_2n_a_slide_with_all_ranges(n):
    """Section 4.1: one combine and one inverse on each of n answers.

    One less: the range of a single slice shares nothing with the window before it.
    """
    tally, product = counted(**SUM)

    slide_ranges(find("slick_deque_inv"), product, shuffled(n + 8), range(1, n + 1), n)

    costs = [c + i for c, i in zip(tally.per_window, tally.inverses, strict=True)]
    slides = [sum(costs[i : i + n]) for i in range(0, len(costs), n)]
    assert slides[1:] == [2 * n - 1] * 7


@pytest.mark.parametrize("n", SIZES)
def test_slick_deque_costs_no_more_combines_with_all_ranges_than_with_one(n):
    """Section 4.1: further ranges are answered by walking on, not by combining."""
    many, product = counted(**MAX)
    one, single = counted(**MAX)
    values, last = shuffled(n + 20), n - 1  # the first full window ends with `last`

    slide_ranges(find("slick_deque"), product, values, range(1, n + 1), last)
    slide_ranges(find("slick_deque"), single, values, [n], last)

    slides = [sum(many.per_window[i : i + n]) for i in range(0, 21 * n, n)]
    assert slides == one.per_window
    assert sum(slides) < 2 * len(values)
