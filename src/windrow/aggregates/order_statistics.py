"""Order statistics: median, quantile, mode, ranks, the top few. Partial: sorted values.

Exact, and so holistic: no partial of bounded size exists.  `order_functions.py` defines
them over the values of a window in ascending order, NaN being the largest, and an
operator calls them; over tables `selection/` finds the same by the positions of rows.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from windrow.errors import BadInput

from ._aggregate import Aggregate, Law
from .collections import COLLECT
from .functions import lift_value
from .order_functions import (
    INTERPOLATIONS,
    bottom_of,
    counts_of,
    first_of,
    last_of,
    mad_of,
    mode_of,
    no_row,
    quantile_of,
    sort_key,
    top_of,
    weighted_median_of,
)
from .quantiles import check_quantiles

RANKS = ("min", "max", "average")


def _merge(older, newer):
    return tuple(sorted(older + newer, key=sort_key))


def _take_off(whole, oldest):
    gone = Counter(sort_key(value) for value in oldest)
    left = []
    for value in whole:
        if gone[sort_key(value)] > 0:
            gone[sort_key(value)] -= 1
        else:
            left.append(value)
    return tuple(left)


# --- options -----------------------------------------------------------------------


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


def by_definition(aggregate: Aggregate, values: Any, options: Any) -> Any:
    """The result of a window's values, none of them null, in the order of events."""
    in_order = Law.COMMUTATIVE in aggregate.laws
    held = sorted(values, key=sort_key) if in_order else values
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
    lower=top_of,
    result="list",
    options={"k": 5},
    check=_check_k,
    aliases=(),
    summary="the k largest values, the largest first",
)

BOTTOM_K = replace(
    TOP_K,
    name="bottom_k",
    lower=bottom_of,
    summary="the k smallest values, the smallest first",
)

FIRST_K = replace(
    COLLECT,
    name="first_k",
    lower=first_of,
    options={"k": 5},
    check=_check_k,
    aliases=(),
    summary="the first k values, in order",
)

LAST_K = replace(
    FIRST_K,
    name="last_k",
    lower=last_of,
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
    lower=no_row,
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
