"""Windrow: sliding-window aggregates at a cost that does not depend on the window.

import windrow as wr
wr.slide(values, wr.rows(1000), "max")
wr.aggregate(table, wr.sliding("1 hour", every="1 minute", on="ts"), by="user",
             spend=wr.sum("amount"))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import windrow.algorithms  # noqa: F401 - before the function that hides it
from windrow._later import load_later
from windrow._version import __version__
from windrow.aggregates import BY_NAME, Aggregate, Law
from windrow.errors import (
    BadInput,
    CacheWarning,
    InterpretedWarning,
    QueryError,
    SketchWarning,
    StateError,
    StateWarning,
    SumOverflow,
    UnknownName,
    UnsuitableAlgorithm,
    UnsupportedType,
    WindowError,
    WindrowError,
)
from windrow.windows import calendar, delta, punctuation, rows, sliding, window

if TYPE_CHECKING:
    from windrow._as_of import as_of
    from windrow._back_ends import register
    from windrow._cql import cql, explain_cql
    from windrow._dispatch import aggregate, explain, over, slide
    from windrow._tiles import merge_tiles, tiles
    from windrow.operator import Operator
    from windrow.plan.cards import Cards, techniques
    from windrow.plan.features import Features, features, read_features

    # the catalogue: `__getattr__` finds them
    all: Aggregate
    any: Aggregate
    approx_count_distinct: Aggregate
    approx_distinct: Aggregate
    approx_n_unique: Aggregate
    approx_percentile: Aggregate
    approx_quantile: Aggregate
    approx_top_k: Aggregate
    arg_max: Aggregate
    arg_min: Aggregate
    average: Aggregate
    avg: Aggregate
    bit_and: Aggregate
    bit_or: Aggregate
    bit_xor: Aggregate
    bottom_k: Aggregate
    collect: Aggregate
    collect_distinct: Aggregate
    collect_list: Aggregate
    collect_set: Aggregate
    concat: Aggregate
    corr: Aggregate
    correlation: Aggregate
    count: Aggregate
    count_distinct: Aggregate
    covar_pop: Aggregate
    covar_samp: Aggregate
    covariance: Aggregate
    covariance_population: Aggregate
    first: Aggregate
    first_k: Aggregate
    geometric_mean: Aggregate
    gmean: Aggregate
    histogram: Aggregate
    hll_sketch: Aggregate
    hll_sketch_agg: Aggregate
    kll_sketch: Aggregate
    kll_sketch_agg_double: Aggregate
    kurtosis: Aggregate
    last: Aggregate
    last_k: Aggregate
    mad: Aggregate
    max: Aggregate
    max_by: Aggregate
    max_count: Aggregate
    mean: Aggregate
    median: Aggregate
    median_absolute_deviation: Aggregate
    min: Aggregate
    min_by: Aggregate
    min_count: Aggregate
    mode: Aggregate
    moment_sketch: Aggregate
    n_unique: Aggregate
    percent_rank: Aggregate
    percentile: Aggregate
    percentile_approx: Aggregate
    percentile_cont: Aggregate
    percentile_disc: Aggregate
    product: Aggregate
    quantile: Aggregate
    quantile_disc: Aggregate
    range: Aggregate
    rank: Aggregate
    skew: Aggregate
    skewness: Aggregate
    std: Aggregate
    stddev: Aggregate
    stddev_pop: Aggregate
    stddev_population: Aggregate
    stddev_samp: Aggregate
    string_agg: Aggregate
    sum: Aggregate
    theta_sketch: Aggregate
    theta_sketch_agg: Aggregate
    top_k: Aggregate
    value_counts: Aggregate
    var: Aggregate
    var_pop: Aggregate
    var_samp: Aggregate
    variance: Aggregate
    variance_population: Aggregate
    weighted_median: Aggregate

__all__ = [
    "Aggregate",
    "BadInput",
    "CacheWarning",
    "Features",
    "InterpretedWarning",
    "Law",
    "Operator",
    "QueryError",
    "SketchWarning",
    "StateError",
    "StateWarning",
    "SumOverflow",
    "UnknownName",
    "UnsuitableAlgorithm",
    "UnsupportedType",
    "WindowError",
    "WindrowError",
    "__version__",
    "aggregate",
    "aggregates",
    "algorithms",
    "as_of",
    "calendar",
    "cql",
    "delta",
    "explain",
    "explain_cql",
    "features",
    "merge_tiles",
    "over",
    "punctuation",
    "read_features",
    "register",
    "rows",
    "slide",
    "sliding",
    "techniques",
    "tiles",
    "window",
]
__all__ += list(BY_NAME)
__all__.sort()


# Python asks for these before it imports `from windrow import graph`.
_ROOMS = ("batch", "graph", "operator", "plan", "query", "spans", "state", "tasks")

# What is loaded when it is first used, so that importing windrow is quick.
_LATER = {
    "Features": ".plan.features",
    "Operator": ".operator",
    "aggregate": "._dispatch",
    "as_of": "._as_of",
    "cql": "._cql",
    "explain": "._dispatch",
    "explain_cql": "._cql",
    "features": ".plan.features",
    "merge_tiles": "._tiles",
    "over": "._dispatch",
    "read_features": ".plan.features",
    "register": "._back_ends",
    "slide": "._dispatch",
    "techniques": ".plan.cards",
    "tiles": "._tiles",
}
_load = load_later(__name__, _LATER)


def aggregates() -> Cards:
    """The cards of all aggregates, as a table.

    >>> next(card["gives"] for card in aggregates() if card["name"] == "mean")
    'arithmetic mean'
    """
    cards: Cards = import_module("windrow.plan.cards").aggregate_cards()
    return cards


def algorithms() -> Cards:
    """The cards of all algorithms, as a table.

    >>> next(card["worst"] for card in algorithms() if card["name"] == "daba")
    '8'
    """
    cards: Cards = import_module("windrow.plan.cards").algorithm_cards()
    return cards


def __getattr__(name: str) -> Any:
    """Find a function, or an aggregate of the catalogue: `wr.sum`, `wr.var_pop`."""
    if name in _LATER:
        return _load(name)
    if name in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in BY_NAME:
        raise import_module("windrow._missing").missing(name, __all__)
    return BY_NAME[name]


def __dir__() -> list[str]:
    """List the public names, aggregates among them."""
    return __all__
