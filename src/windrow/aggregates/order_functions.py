"""The definitions of order statistics, over the values of a window in ascending order.

q of n values lies at index h == q * (n - 1)     interpolation
linear, continuous     between the values on both sides of h, in proportion
midpoint               halfway between them
lower, higher, nearest one of them; nearest takes the even index of two as near
discrete               the first value that a share q of the values does not exceed
"""

import math
from collections import Counter
from typing import Any

CONTINUOUS = ("linear", "continuous", "midpoint")


INTERPOLATIONS = (*CONTINUOUS, "lower", "higher", "nearest", "discrete")


def sort_key(value: Any) -> tuple[Any, ...]:
    """A sort key under which NaN is the largest value, alone or in a pair."""
    if isinstance(value, tuple):
        return tuple(sort_key(item) for item in value)
    is_nan = isinstance(value, float) and math.isnan(value)
    return (True, 0) if is_nan else (False, value)


def is_continuous(options: Any) -> bool:
    """Whether a quantile may lie between two values, and so is a float."""
    return options.get("interpolation") in CONTINUOUS


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
    return quantile_of(tuple(sorted(distances, key=sort_key)))


def mode_of(values):
    """The most frequent of sorted values, the smallest of several."""
    counts = Counter(sort_key(value) for value in values)
    most = max(counts.values(), default=0)
    return next((v for v in values if counts[sort_key(v)] == most), None)


def weighted_median_of(pairs):
    """The value at which half of the weight is reached; None without weight.

    Weights are compared as whole numbers in one unit: nothing is rounded.
    """
    known = [(value, float(weight)) for value, weight in pairs if weight > 0]
    ratios = [weight.as_integer_ratio() for _, weight in known]
    unit = max((below for _, below in ratios), default=1)
    weights = [above * (unit // below) for above, below in ratios]
    whole, reached = sum(weights), 0
    for number, (value, _) in enumerate(known):
        reached += weights[number]
        if 2 * reached >= whole:
            after = known[number + 1][0] if 2 * reached == whole else value
            return between(value, after, 0.5)
    return None


def bottom_of(values, k=5):
    return list(values[:k])


def top_of(values, k=5):
    return list(values[: -k - 1 : -1])


def first_of(values, k=5):
    return list(values[:k])


def last_of(values, k=5):
    return list(values[-k:])


def counts_of(values):
    """How often each value is there, by first occurrence, as pairs."""
    counts: dict[Any, list[Any]] = {}
    for value in values:
        counts.setdefault(sort_key(value), [value, 0])[1] += 1
    return [(value, count) for value, count in counts.values()]


def no_row(_values):
    raise AssertionError("a rank belongs to a row of wr.over")
