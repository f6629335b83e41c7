"""Hypothesis strategies: streams, windows, keys and times that break things.

A stream is a plain list.  Rising input alone would hide a stale maximum, distinct
values a tie that is broken the wrong way, positive ones a wrong identity: so a
stream first draws its shape, then its values.  Floats are whole-valued unless
said otherwise, so that sums over them are exact whatever the order.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

INT_LEAST, INT_MOST = -(2**63), 2**63 - 1
YEAR = 365 * 86_400


def part(of_examples: float) -> settings:
    """Settings with a part of the profile's examples, for tests run many times."""
    return settings(max_examples=max(2, round(settings().max_examples * of_examples)))


# --- values -------------------------------------------------------------------

small = st.integers(-9, 9)
whole_floats = small.map(float)
rough_floats = st.floats(-1e6, 1e6, allow_nan=False).map(lambda v: round(v, 3))
special_floats = st.one_of(
    whole_floats,
    st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -1.0]),
)
huge_floats = st.sampled_from([1e308, -1e308, 1.0, -3.0, 0.0])
edge_integers = st.sampled_from(
    [INT_LEAST, INT_LEAST + 1, -1, 0, 1, INT_MOST - 1, INT_MOST]
)
texts = st.sampled_from(["", "a", "b", "aa", "Z", "é", "ÿ", "漢", "🌾", "🌾🌾"])


@st.composite
def shaped(draw: Any, values: Any = small, most: int = 24) -> list[Any]:
    """A stream of one shape: falling, rising, constant, tied, negative, or any."""
    shape = draw(
        st.sampled_from(["falling", "rising", "constant", "tied", "negative", "any"])
    )
    if shape == "constant":
        return [draw(values)] * draw(st.integers(0, most))
    if shape == "tied":
        few = [draw(values), draw(values)]
        return draw(st.lists(st.sampled_from(few), max_size=most))
    stream = draw(st.lists(values, max_size=most))
    if shape == "negative":
        return [-abs(value) if value > INT_LEAST else value for value in stream]
    if shape in ("falling", "rising"):
        return sorted(stream, key=_rank, reverse=shape == "falling")
    return stream


def _rank(value: Any) -> tuple[bool, Any]:
    nan = isinstance(value, float) and math.isnan(value)
    return (nan, 0 if nan else value)


def streams(kind: str, *, special: bool = False, most: int = 24) -> Any:
    """Streams of "int" or "float", with NaN and infinities where `special`."""
    if kind == "int":
        return shaped(small, most)
    return shaped(special_floats if special else whole_floats, most)


def with_nulls(values: Any) -> Any:
    """Streams of the same shapes in which some values, or all, are null."""
    return values.flatmap(
        lambda stream: st.lists(
            st.booleans(), min_size=len(stream), max_size=len(stream)
        ).map(
            lambda kept: [v if k else None for v, k in zip(stream, kept, strict=True)]
        )
    )


# --- windows --------------------------------------------------------------------


@st.composite
def range_and_slide(draw: Any, most: int = 30) -> tuple[int, int]:
    """(range, slide): slide 1, equal to the range, dividing it, or not."""
    relation = draw(st.sampled_from(["one", "tumbling", "dividing", "any"]))
    if relation == "dividing":
        slide = draw(st.integers(1, 5))
        return slide * draw(st.integers(1, max(1, most // slide))), slide
    length = draw(st.integers(1, most))
    if relation == "one":
        return length, 1
    if relation == "tumbling":
        return length, length
    return length, draw(st.integers(1, length))


@st.composite
def monotone_windows(draw: Any, n: int, most: int = 16) -> list[tuple[int, int]]:
    """Windows in [0, n) whose starts and stops never fall: gaps, repeats, empties."""
    count = draw(st.integers(0, most))
    bound = st.lists(st.integers(0, n), min_size=count, max_size=count)
    lows, highs = sorted(draw(bound)), sorted(draw(bound))
    # sorted lists that are paired low with high keep their order
    return [(min(a, b), max(a, b)) for a, b in zip(lows, highs, strict=True)]


@st.composite
def many_windows(draw: Any, n: int) -> list[tuple[int, int, int]]:
    """(start, stop, query) of several ranges in one pass, by stop, then by start."""
    ranges = draw(st.lists(st.integers(1, 12), min_size=1, max_size=4, unique=True))
    found = []
    for query, length in enumerate(ranges):
        step = draw(st.integers(1, length))
        found += [
            (max(stop - length, 0), stop, query) for stop in range(step, n + 1, step)
        ]
    return sorted(found, key=lambda window: (window[1], window[0]))


@st.composite
def runs(draw: Any, n: int) -> list[tuple[int, int]]:
    """Keys as runs [first, last) of n rows: one, many, some of one row, skewed."""
    if n == 0:
        return []
    cuts = (
        draw(st.lists(st.integers(1, n - 1), max_size=4, unique=True)) if n > 1 else []
    )
    edges = [0, *sorted(cuts), n]
    return list(itertools.pairwise(edges))


# --- tables ---------------------------------------------------------------------

keys = st.sampled_from(
    [
        st.just("a"),
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["a", "a", "a", "a", "b", None]),
        st.sampled_from([None, "", "z", "é"]),
    ]
).flatmap(lambda alphabet: st.lists(alphabet, min_size=24, max_size=24))
"""24 keys: one, several, a heavy one with small others, nulls among them."""

instants = st.sampled_from(
    [
        st.integers(-40, 40),
        st.integers(0, 6),
        st.sampled_from([-50 * YEAR, -1, 0, 1, 30 * YEAR, 30 * YEAR + 1]),
    ]
)
"""Strategies of instants in seconds: dense around 1970, tied, gaps of years."""


@st.composite
def times(draw: Any, n: int, *, nulls: bool = False) -> list[Any]:
    """n instants, in order or not, with ties and gaps; some null where asked."""
    one = draw(instants)
    if nulls:
        one = st.one_of(one, one, one, st.none())
    drawn = draw(st.lists(one, min_size=n, max_size=n))
    in_order = not nulls and draw(st.booleans())
    return sorted(drawn) if in_order else drawn
