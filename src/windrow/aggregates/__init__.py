"""Lists the aggregates: partials of one kind share a file, each has a line here.

To add one, write its functions, identity and laws in a file named after its partial,
and add it to `CATALOGUE`.  The public names, the law and agreement tests, the
benchmarks and the tables in the docs follow from this tuple.
"""

from windrow.errors import UnknownName

from . import _pickling
from ._aggregate import ABSENT, Aggregate, Call, Field, Law
from ._fingerprint import function_digests, functions_fingerprint
from ._frame import FRAME, check_closed
from .bits import ALL, ANY, BIT_AND, BIT_OR, BIT_XOR
from .collections import COLLECT, COLLECT_DISTINCT, CONCAT, COUNT_DISTINCT
from .covariance import CORRELATION, COVARIANCE, COVARIANCE_POPULATION
from .extremes import MAX, MAX_COUNT, MIN, MIN_COUNT, RANGE
from .moment_sketch import MOMENT_SKETCH
from .moments import (
    KURTOSIS,
    SKEW,
    STDDEV,
    STDDEV_POPULATION,
    VARIANCE,
    VARIANCE_POPULATION,
)
from .order_statistics import (
    BOTTOM_K,
    FIRST_K,
    LAST_K,
    MAD,
    MEDIAN,
    MODE,
    PERCENT_RANK,
    PERCENTILE_DISC,
    QUANTILE,
    RANK,
    TOP_K,
    VALUE_COUNTS,
    WEIGHTED_MEDIAN,
)
from .positions import ARG_MAX, ARG_MIN, FIRST, LAST
from .product import GEOMETRIC_MEAN, PRODUCT
from .sketches import (
    APPROX_DISTINCT,
    APPROX_QUANTILE,
    APPROX_TOP_K,
    HISTOGRAM,
    HLL_SKETCH,
    KLL_SKETCH,
    THETA_SKETCH,
)
from .sum import COUNT, MEAN, SUM, WIDE_SUM

CATALOGUE: tuple[Aggregate, ...] = (
    COUNT,
    SUM,
    PRODUCT,
    MEAN,
    GEOMETRIC_MEAN,
    MIN,
    MAX,
    RANGE,
    MIN_COUNT,
    MAX_COUNT,
    ARG_MIN,
    ARG_MAX,
    FIRST,
    LAST,
    VARIANCE,
    VARIANCE_POPULATION,
    STDDEV,
    STDDEV_POPULATION,
    SKEW,
    KURTOSIS,
    COVARIANCE,
    COVARIANCE_POPULATION,
    CORRELATION,
    ANY,
    ALL,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    COLLECT,
    CONCAT,
    COLLECT_DISTINCT,
    COUNT_DISTINCT,
    VALUE_COUNTS,
    FIRST_K,
    LAST_K,
    MEDIAN,
    QUANTILE,
    PERCENTILE_DISC,
    WEIGHTED_MEDIAN,
    MAD,
    MODE,
    TOP_K,
    BOTTOM_K,
    RANK,
    PERCENT_RANK,
    MOMENT_SKETCH,
    APPROX_DISTINCT,
    APPROX_QUANTILE,
    APPROX_TOP_K,
    HISTOGRAM,
    HLL_SKETCH,
    KLL_SKETCH,
    THETA_SKETCH,
)

BY_NAME: dict[str, Aggregate] = {
    name: aggregate
    for aggregate in CATALOGUE
    for name in (aggregate.name, *aggregate.aliases)
}
_pickling.BUILT_IN.update({a.name: a for a in CATALOGUE} | {"wide sum": WIDE_SUM})


def find(name: str) -> Aggregate:
    """The aggregate of that name or alias, or an error with the nearest names."""
    if name not in BY_NAME:
        raise UnknownName.among("aggregate", name, BY_NAME)
    return BY_NAME[name]


__all__ = [
    "ABSENT",
    "BY_NAME",
    "CATALOGUE",
    "FRAME",
    "WIDE_SUM",
    "Aggregate",
    "Call",
    "Field",
    "Law",
    "check_closed",
    "find",
    "function_digests",
    "functions_fingerprint",
]
