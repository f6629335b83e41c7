"""Order statistics: median, quantile, mode, ranks, the top few. Partial: sorted values.

Exact, and so holistic: no partial of bounded size exists.  The functions below define
them over the values of a window in ascending order, NaN being the largest, and an
operator calls them; over tables `selection/` finds the same by the positions of rows.

    q of n values lies at index h == q * (n - 1)     interpolation
    linear, continuous     between the values on both sides of h, in proportion
    midpoint               halfway between them
    lower, higher, nearest one of them; nearest takes the even index of two as near
    discrete               the first value that a share q of the values does not exceed
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from windrow.errors import BadInput

from ._aggregate import Aggregate, Law
from .collections import COLLECT
from .functions import lift_value
from .quantiles import check_quantiles

CONTINUOUS = ("linear", "continuous", "midpoint")
INTERPOLATIONS = (*CONTINUOUS, "lower", "higher", "nearest", "discrete")
RANKS = ("min", "max", "average")


def _order(value: Any) -> tuple[Any, ...]:
    """A sort key under which NaN is the largest value, alone or in a pair."""
    if isinstance(value, tuple):
        return tuple(_order(item) for item in value)
    is_nan = isinstance(value, float) and math.isnan(value)
    return (True, 0) if is_nan else (False, value)


def _merge(older, newer):
    return tuple(sorted(older + newer, key=_order))


def _take_off(whole, oldest):
    gone = Counter(_order(value) for value in oldest)
    left = []
    for value in whole:
        if gone[_order(value)] > 0:
            gone[_order(value)] -= 1
        else:
            left.append(value)
    return tuple(left)


# --- options -----------------------------------------------------------------------


def is_continuous(options: Any) -> bool:
    """Whether a quantile may lie between two values, and so is a float."""
    return options.get("interpolation") in CONTINUOUS


def _check_quantile(q: Any, interpolation: Any) -> dict[str, Any]:
    several = isinstance(q, Sequence) and not isinstance(q, str)
    known = check_quantiles(q if several else [q])
    if several and not known:
        cause = "the list of quantiles is empty"
        raise BadInput.because("cannot compute no quantile", cause, "name one: [0.5]")
    if interpolation not in INTERPOLATIONS:
        raise BadInput.because(
            f"cannot interpolate by {interpolation!r}",
            "there is no such way",
            f"use one of {', '.join(INTERPOLATIONS)}",
        )
    return {"q": known if several else known[0], "interpolation": interpolation}


def _check_k(k: Any) -> dict[str, Any]:
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise BadInput.because(
            f"cannot take {k!r} values",
            "it is not a whole number of 1 or more",
            "give k=3 for three of them",
        )
    return {"k": k}


def _check_rank(method: Any, descending: Any) -> dict[str, Any]:
    if method not in RANKS:
        raise BadInput.because(
            f"cannot rank ties by {method!r}",
            "there is no such way",
            f"use one of {', '.join(RANKS)}",
        )
    return {"method": method, "descending": bool(descending)}


def _check_percent_rank(descending: Any) -> dict[str, Any]:
    return {"descending": bool(descending)}


# --- definitions -------------------------------------------------------------------


def index_of(q, n, interpolation):
    """The index of a quantile among n values, and how far it lies towards the next."""
    if interpolation == "discrete":
        return max(math.ceil(q * n) - 1, 0), 0.0
    place = q * (n - 1)
    low = math.floor(place)
    if interpolation == "nearest":
        return round(place), 0.0
    if interpolation == "higher":
        return math.ceil(place), 0.0
    if interpolation == "lower" or place == low:
        return low, 0.0
    return low, 0.5 if interpolation == "midpoint" else place - low


def between(low, high, share):
    """The number that lies at a share of the way from one to another."""
    low, high = float(low), float(high)
    same = low == high or share == 0.0
    return low if same else (1.0 - share) * low + share * high


def quantile_of(values, q=0.5, interpolation="linear"):
    """The quantile of sorted values, or the list of several; None of no values."""
    if not values:
        return None
    if isinstance(q, tuple):
        return [quantile_of(values, each, interpolation) for each in q]
    low, share = index_of(q, len(values), interpolation)
    if interpolation not in CONTINUOUS:
        return values[low]
    return between(values[low], values[min(low + 1, len(values) - 1)], share)


def mad_of(values):
    """The median of the distances from the median; None of no values."""
    if not values:
        return None
    middle = quantile_of(values)
    distances = [abs(float(value) - middle) for value in values]
    return quantile_of(tuple(sorted(distances, key=_order)))


def mode_of(values):
    """The most frequent of sorted values, the smallest of several."""
    counts = Counter(_order(value) for value in values)
    most = max(counts.values(), default=0)
    return next((v for v in values if counts[_order(v)] == most), None)


def weighted_median_of(pairs):
    """The value at which half of the weight is reached; None without weight."""
    pairs = [(value, weight) for value, weight in pairs if weight > 0]
    half, reached = math.fsum(weight for _, weight in pairs) / 2.0, 0.0
    for number, (value, weight) in enumerate(pairs):
        reached += weight
        if reached >= half:
            exact = reached == half and number + 1 < len(pairs)
            return between(value, pairs[number + 1][0] if exact else value, 0.5)
    return None


def _bottom_of(values, k=5):
    return list(values[:k])


def _top_of(values, k=5):
    return list(values[: -k - 1 : -1])


def _first_of(values, k=5):
    return list(values[:k])


def _last_of(values, k=5):
    return list(values[-k:])


def counts_of(values):
    """How often each value is there, by first occurrence, as pairs."""
    counts: dict[Any, list[Any]] = {}
    for value in values:
        counts.setdefault(_order(value), [value, 0])[1] += 1
    return [(value, count) for value, count in counts.values()]


def _no_row(_values):
    raise AssertionError("a rank belongs to a row of wr.over")


def by_definition(aggregate: Aggregate, values: Any, options: Any) -> Any:
    """The result of a window's values, none of them null, in the order of events."""
    in_order = Law.COMMUTATIVE in aggregate.laws
    held = sorted(values, key=_order) if in_order else values
    return aggregate.lower(tuple(held), **options)


QUANTILE = Aggregate(
    name="quantile",
    identity=(),
    lift=lift_value,
    combine=_merge,
    inverse=_take_off,
    lower=quantile_of,
    laws=Law.HOLISTIC | Law.COMMUTATIVE | Law.INVERTIBLE,
    accepts="ordered",
    result="quantile",
    options={"q": 0.5, "interpolation": "linear"},
    check=_check_quantile,
    aliases=("percentile", "percentile_cont"),
    summary="exact quantile; of a list of them, a list",
)

PERCENTILE_DISC = replace(
    QUANTILE,
    name="percentile_disc",
    options={"q": 0.5, "interpolation": "discrete"},
    aliases=("quantile_disc",),
    summary="exact quantile that is one of the values, as SQL's",
)

MEDIAN = replace(
    QUANTILE,
    name="median",
    accepts="number",
    result="float",
    options={},
    check=None,
    aliases=(),
    summary="exact median; the mean of the two in the middle",
)

MAD = replace(
    MEDIAN,
    name="mad",
    lower=mad_of,
    aliases=("median_absolute_deviation",),
    summary="median of the distances from the median",
)

MODE = replace(
    MEDIAN,
    name="mode",
    lower=mode_of,
    accepts="ordered",
    result="value",
    summary="most frequent value, the smallest of several",
)


def _lift_pair(value, other):
    return ((value, other),)


WEIGHTED_MEDIAN = replace(
    MEDIAN,
    name="weighted_median",
    lift=_lift_pair,
    lower=weighted_median_of,
    takes=("value", "other"),
    columns=(2, 2),
    summary="value at which half of the weight, the second column, is reached",
)

TOP_K = replace(
    QUANTILE,
    name="top_k",
    lower=_top_of,
    result="list",
    options={"k": 5},
    check=_check_k,
    aliases=(),
    summary="the k largest values, the largest first",
)

BOTTOM_K = replace(
    TOP_K,
    name="bottom_k",
    lower=_bottom_of,
    summary="the k smallest values, the smallest first",
)

FIRST_K = replace(
    COLLECT,
    name="first_k",
    lower=_first_of,
    options={"k": 5},
    check=_check_k,
    aliases=(),
    summary="the first k values, in order",
)

LAST_K = replace(
    FIRST_K,
    name="last_k",
    lower=_last_of,
    summary="the last k values, in order",
)

VALUE_COUNTS = replace(
    COLLECT,
    name="value_counts",
    lower=counts_of,
    result="map",
    aliases=(),
    summary="a map of how often each value is there, by first occurrence",
)

RANK = replace(
    QUANTILE,
    name="rank",
    lower=_no_row,
    takes=("value", "own"),
    result="rank",
    options={"method": "min", "descending": False},
    check=_check_rank,
    aliases=(),
    summary="place of the row's own value in its frame, from 1 on; wr.over only",
)

PERCENT_RANK = replace(
    RANK,
    name="percent_rank",
    result="float",
    options={"descending": False},
    check=_check_percent_rank,
    summary="share of the frame's other values that are smaller; wr.over only",
)
