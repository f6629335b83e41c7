"""Approximate aggregates, whose partial is a sketch: an object of bounded size.

What a sketch is, and how it is merged and stored, is in `windrow.sketches`; here are
names, options and what is promised.  The functions below make sketches of numbers with
the default options: they define the aggregate, and the laws are tested on them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.errors import BadInput
from windrow.sketches import Sketch, objects, sketch_of

from ._aggregate import Aggregate, Law
from .quantiles import check_quantiles


def _functions(name: str, options: dict[str, Any]) -> dict[str, Any]:
    def sketch() -> Sketch:
        return sketch_of(name, options, pa.float64())

    def lift(value: Any) -> Any:
        return sketch().lift(sketch().read(pa.array([value], pa.float64())))

    def combine(older: Any, newer: Any) -> Any:
        return sketch().combine(older, newer)

    def lower(partial: Any) -> Any:
        return sketch().lower(objects([partial]))[0].as_py()

    return {"lift": lift, "combine": combine, "lower": lower}


def _whole(name: str, option: str, value: Any, least: int, most: int) -> int:
    """A whole number within bounds, or an error."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:
        raise BadInput.because(
            f"cannot make {name} with {option}={value!r}",
            f"{option} is a whole number from {least} to {most}",
            f"leave {option} out for what is usual",
        )
    return int(value)


def _share(name: str, option: str, value: Any, least: float, most: float) -> float:
    """A number strictly between bounds, or an error."""
    is_number = isinstance(value, (int, float, np.number))
    if not is_number or isinstance(value, bool) or not least < value < most:
        raise BadInput.because(
            f"cannot make {name} with {option}={value!r}",
            f"{option} is a number between {least:g} and {most:g}",
            f"leave {option} out for what is usual",
        )
    return float(value)


def _check_distinct(rsd: Any, lg_k: Any) -> dict[str, Any]:
    """The number of registers; `rsd` is the standard error, as in Spark."""
    if rsd is not None:
        rsd = _share("approx_distinct", "rsd", rsd, 0.0007, 0.26)
        lg_k = max(math.ceil(2 * math.log2(1.04 / rsd)), 4)
    lg_k = _whole("approx_distinct", "lg_k", lg_k, 4, 21)
    return {"rsd": rsd, "lg_k": lg_k}


def _check_hll(lg_k: Any) -> dict[str, Any]:
    return {"lg_k": _whole("hll_sketch", "lg_k", lg_k, 4, 21)}


def _check_kll(k: Any) -> dict[str, Any]:
    return {"k": _whole("kll_sketch", "k", k, 8, 65535)}


def _check_theta(lg_k: Any, seed: Any) -> dict[str, Any]:
    lg_k = _whole("theta_sketch", "lg_k", lg_k, 5, 26)
    return {"lg_k": lg_k, "seed": _whole("theta_sketch", "seed", seed, 1, 2**63 - 1)}


METHODS = ("kll", "ddsketch")


def _check_quantile(q: Any, k: Any, method: Any, error: Any) -> dict[str, Any]:
    listed = isinstance(q, (list, tuple, np.ndarray))
    levels = check_quantiles(q)
    if not levels:
        raise BadInput.because(
            "cannot make approx_quantile of no level", "q is empty", "give q=[0.5]"
        )
    if method not in METHODS:
        raise BadInput.because(
            f"cannot make approx_quantile with method={method!r}",
            "there is no such sketch",
            "use kll (an error of rank) or ddsketch (a relative error)",
        )
    k = _whole("approx_quantile", "k", k, 8, 65535)
    error = _share("approx_quantile", "error", error, 1e-5, 0.5)
    asked = list(levels) if listed else levels[0]
    return {"q": asked, "k": k, "method": method, "error": error}


def _check_top_k(k: Any, tracked: Any) -> dict[str, Any]:
    tracked = _whole("approx_top_k", "tracked", tracked, 1, 1_000_000)
    return {"k": _whole("approx_top_k", "k", k, 1, tracked), "tracked": tracked}


def _check_edges(edges: Any) -> dict[str, Any]:
    values = list(edges) if np.iterable(edges) and not isinstance(edges, str) else []
    numbers = [v for v in values if isinstance(v, (int, float, np.number))]
    rises = all(a < b for a, b in pairwise(numbers))
    if len(numbers) < 2 or len(numbers) < len(values) or not rises:
        raise BadInput.because(
            f"cannot make histogram with edges={edges!r}",
            "edges are two or more numbers, each larger than the one before",
            "write wr.histogram('x', edges=[0, 10, 100])",
        )
    return {"edges": [float(value) for value in numbers]}


_HLL = {"lg_k": 12}

APPROX_DISTINCT = Aggregate(
    name="approx_distinct",
    **_functions("approx_distinct", _HLL),
    identity=None,
    laws=Law.COMMUTATIVE | Law.IDEMPOTENT,
    sketch="hyperloglog",
    accepts="hashed",
    result="count",
    options={"rsd": None, "lg_k": 12},
    check=_check_distinct,
    aliases=("approx_count_distinct", "approx_n_unique"),
    summary="number of distinct values, by HyperLogLog",
    error="1.04 / sqrt(2**lg_k) standard error, 1.6 % by default (lg_k=12 or rsd=); "
    "about exact up to 2**lg_k * 3 / 32 values",
)

HLL_SKETCH = replace(
    APPROX_DISTINCT,
    name="hll_sketch",
    **_functions("hll_sketch", _HLL),
    result="bytes",
    options=_HLL,
    check=_check_hll,
    aliases=("hll_sketch_agg",),
    summary="HyperLogLog sketch of the values, as bytes of Apache DataSketches",
)

_QUANTILE = {"q": 0.5, "k": 200, "method": "kll", "error": 0.01}

APPROX_QUANTILE = Aggregate(
    name="approx_quantile",
    **_functions("approx_quantile", _QUANTILE),
    identity=None,
    laws=Law.COMMUTATIVE,
    sketch="kll",
    result="quantiles",
    options=_QUANTILE,
    check=_check_quantile,
    aliases=("approx_percentile", "percentile_approx"),
    summary="value at a share q of the values in order, or a list of them",
    error="method='kll': 1.33 % of rank at 99 % confidence by default (k=200), exact "
    "up to k values; method='ddsketch': 1 % of the value, always (error=0.01)",
)

KLL_SKETCH = replace(
    APPROX_QUANTILE,
    name="kll_sketch",
    **_functions("kll_sketch", {"k": 200}),
    result="bytes",
    options={"k": 200},
    check=_check_kll,
    aliases=("kll_sketch_agg_double",),
    summary="KLL sketch of the values as doubles, as bytes of Apache DataSketches",
    error="1.33 % of rank at 99 % confidence by default (k=200), exact up to k values",
)

_THETA = {"lg_k": 12, "seed": 9001}

THETA_SKETCH = Aggregate(
    name="theta_sketch",
    **_functions("theta_sketch", _THETA),
    identity=None,
    laws=Law.COMMUTATIVE | Law.IDEMPOTENT,
    sketch="theta",
    accepts="hashed",
    result="bytes",
    options=_THETA,
    check=_check_theta,
    aliases=("theta_sketch_agg",),
    summary="theta sketch of the values, as bytes of Apache DataSketches",
    error="1 / sqrt(2**lg_k - 1) standard error, 1.6 % by default (lg_k=12); exact "
    "below 2**lg_k values",
)

_TOP_K = {"k": 5, "tracked": 10_000}

APPROX_TOP_K = Aggregate(
    name="approx_top_k",
    **_functions("approx_top_k", _TOP_K),
    identity=None,
    laws=Law.COMMUTATIVE,
    sketch="frequent items",
    accepts="hashed",
    result="items",
    options=_TOP_K,
    check=_check_top_k,
    summary="the k most frequent values with their counts",
    error="counts at most 3.5 / 2**lg of all values too large, always, where 2**lg is "
    "tracked * 4 / 3 or more: 0.021 % by default (tracked=10000); exact up to "
    "tracked distinct values",
)

_EDGES = {"edges": [0.0, 1.0]}

HISTOGRAM = Aggregate(
    name="histogram",
    **_functions("histogram", _EDGES),
    identity=None,
    laws=Law.COMMUTATIVE,
    sketch="histogram",
    result="counts",
    options={"edges": None},
    check=_check_edges,
    summary="number of values between edges, the last edge included",
    error="none: counts are exact",
)
