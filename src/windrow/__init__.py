"""Windrow: sliding-window aggregates at a cost that does not depend on the window.

import windrow as wr
wr.slide(values, wr.rows(1000), "max")
wr.aggregate(table, wr.sliding("1 hour", every="1 minute", on="ts"), by="user",
             spend=wr.sum("amount"))
"""

from windrow._cql import cql, explain_cql
from windrow._dispatch import aggregate, explain, over, slide
from windrow._version import __version__
from windrow.aggregates import Aggregate, Law
from windrow.aggregates import find as _find
from windrow.errors import (
    BadInput,
    InterpretedWarning,
    QueryError,
    StateError,
    StateWarning,
    SumOverflow,
    UnknownName,
    UnsuitableAlgorithm,
    UnsupportedType,
    WindowError,
    WindrowError,
)
from windrow.operator import Operator
from windrow.plan.cards import aggregate_cards as aggregates
from windrow.plan.cards import algorithm_cards as algorithms
from windrow.plan.cards import technique_cards as techniques
from windrow.windows import calendar, delta, punctuation, rows, sliding, window

# Every aggregate, under each of its names; this module shadows builtins on purpose.
count = _find("count")
sum = _find("sum")
product = _find("product")
mean = _find("mean")
avg = _find("avg")
average = _find("average")
geometric_mean = _find("geometric_mean")
gmean = _find("gmean")
min = _find("min")
max = _find("max")
range = _find("range")
min_count = _find("min_count")
max_count = _find("max_count")
arg_min = _find("arg_min")
min_by = _find("min_by")
arg_max = _find("arg_max")
max_by = _find("max_by")
first = _find("first")
last = _find("last")
variance = _find("variance")
var_samp = _find("var_samp")
var = _find("var")
variance_population = _find("variance_population")
var_pop = _find("var_pop")
stddev = _find("stddev")
stddev_samp = _find("stddev_samp")
std = _find("std")
stddev_population = _find("stddev_population")
stddev_pop = _find("stddev_pop")
skew = _find("skew")
skewness = _find("skewness")
kurtosis = _find("kurtosis")
covariance = _find("covariance")
covar_samp = _find("covar_samp")
covariance_population = _find("covariance_population")
covar_pop = _find("covar_pop")
correlation = _find("correlation")
corr = _find("corr")
any = _find("any")
all = _find("all")
bit_and = _find("bit_and")
bit_or = _find("bit_or")
bit_xor = _find("bit_xor")
collect = _find("collect")
collect_list = _find("collect_list")
concat = _find("concat")
string_agg = _find("string_agg")
collect_distinct = _find("collect_distinct")
collect_set = _find("collect_set")
count_distinct = _find("count_distinct")
n_unique = _find("n_unique")
moment_sketch = _find("moment_sketch")

__all__ = [
    "Aggregate",
    "BadInput",
    "InterpretedWarning",
    "Law",
    "Operator",
    "QueryError",
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
    "all",
    "any",
    "arg_max",
    "arg_min",
    "average",
    "avg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "calendar",
    "collect",
    "collect_distinct",
    "collect_list",
    "collect_set",
    "concat",
    "corr",
    "correlation",
    "count",
    "count_distinct",
    "covar_pop",
    "covar_samp",
    "covariance",
    "covariance_population",
    "cql",
    "delta",
    "explain",
    "explain_cql",
    "first",
    "geometric_mean",
    "gmean",
    "kurtosis",
    "last",
    "max",
    "max_by",
    "max_count",
    "mean",
    "min",
    "min_by",
    "min_count",
    "moment_sketch",
    "n_unique",
    "over",
    "product",
    "punctuation",
    "range",
    "rows",
    "skew",
    "skewness",
    "slide",
    "sliding",
    "std",
    "stddev",
    "stddev_pop",
    "stddev_population",
    "stddev_samp",
    "string_agg",
    "sum",
    "techniques",
    "var",
    "var_pop",
    "var_samp",
    "variance",
    "variance_population",
    "window",
]
