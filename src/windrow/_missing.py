"""Says what to use for a name that other libraries have and this one has not.

    wr.rolling_mean    ->    use wr.mean, with last= in wr.over
    wr.ewm_mean        ->    write it as an aggregate of your own: wr.Aggregate

pandas, polars, numpy, bottleneck, SQL and Spark have these; a name that is nearly right
is answered with the right one.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection

_OVER = "with last= in wr.over"
INSTEAD = {
    **dict.fromkeys(("rolling", "windowed", "Window"), f"an aggregate {_OVER}"),
    **dict.fromkeys(("groupby", "group_by", "partition_by"), "by= in wr.aggregate"),
    **dict.fromkeys(
        ("tumbling", "tumble", "hopping", "hop", "resample", "group_by_dynamic"),
        "wr.sliding(range, every=...) in wr.aggregate",
    ),
    **dict.fromkeys(("session", "session_window"), "wr.window with wr.delta"),
    **dict.fromkeys(
        ("expanding", "cumulative"), "an aggregate without last= in wr.over"
    ),
    **dict.fromkeys(
        ("ewm", "ewma", "ema", "ewm_mean", "ewm_std", "ewm_var", "entropy", "sem"),
        "wr.Aggregate: an aggregate of your own",
    ),
    **dict.fromkeys(
        ("lag", "shift", "lead", "diff", "pct_change"),
        "wr.first(x, last=2) in wr.over, the value of the row before",
    ),
    **dict.fromkeys(
        ("nth", "nth_value", "head"), "wr.first_k, a list of which it is one"
    ),
    "tail": "wr.last_k",
    **dict.fromkeys(("dense_rank", "ntile", "cume_dist"), "wr.rank or wr.percent_rank"),
    "row_number": "wr.count() without last= in wr.over",
    **dict.fromkeys(("size", "len", "length"), "wr.count()"),
    **dict.fromkeys(("nunique", "n_distinct", "unique"), "wr.count_distinct"),
    **dict.fromkeys(("prod", "mul"), "wr.product"),
    **dict.fromkeys(("argmax", "idxmax"), "wr.arg_max"),
    **dict.fromkeys(("argmin", "idxmin"), "wr.arg_min"),
    **dict.fromkeys(("iqr", "quantiles", "describe"), "wr.quantile(x, [0.25, 0.75])"),
    **dict.fromkeys(("tdigest", "t_digest", "kll", "req"), "wr.approx_quantile"),
    **dict.fromkeys(("hll", "hyperloglog", "cardinality"), "wr.approx_distinct"),
    **dict.fromkeys(("heavy_hitters", "frequent_items"), "wr.approx_top_k"),
    **dict.fromkeys(("nlargest", "largest"), "wr.top_k"),
    **dict.fromkeys(("nsmallest", "smallest"), "wr.bottom_k"),
    **dict.fromkeys(("list", "array_agg", "implode"), "wr.collect"),
    **dict.fromkeys(("set", "array_agg_distinct"), "wr.collect_distinct"),
    **dict.fromkeys(("join_asof", "merge_asof", "asof_join"), "wr.as_of"),
    **dict.fromkeys(("listagg", "group_concat"), "wr.concat"),
    **dict.fromkeys(("every", "bool_and"), "wr.all"),
    **dict.fromkeys(("some", "bool_or"), "wr.any"),
    "sql": "wr.cql",
    **dict.fromkeys(("apply", "map", "udf"), "wr.Aggregate, from plain functions"),
    **dict.fromkeys(("scan", "reduce", "fold"), "wr.Aggregate, or wr.aggregate"),
    "stdev": "wr.stddev",
    "cov": "wr.covariance",
    "kurt": "wr.kurtosis",
    "ptp": "wr.range",
    "wavg": "wr.Aggregate, or wr.sum of both columns",
}
"""What other libraries call something, and the nearest way to it here."""

_PREFIXES = {"rolling_": _OVER, "move_": _OVER, "nan": "", "cum_": "", "cum": ""}


def missing(name: str, known: Collection[str]) -> AttributeError:
    """The error for a public name that is not there, with the nearest way."""
    hint = _hint(name, known)
    end = f"\nHint: {hint}" if hint else ""
    message = f"module 'windrow' has no attribute {name!r}{end}"
    return AttributeError(message, name=name)


def _hint(name: str, known: Collection[str]) -> str:
    if name.startswith("_"):
        return ""
    if name in INSTEAD:
        return f"use {INSTEAD[name]}"
    for prefix, how in _PREFIXES.items():
        rest = name.removeprefix(prefix)
        found = f"wr.{rest}" if rest in known else INSTEAD.get(rest, "")
        if rest != name and found:
            everything = "without last= in wr.over" if prefix[:3] == "cum" else how
            return f"use {found}{', ' if everything else ''}{everything}"
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(f'wr.{word}' for word in near)}?"
    return "wr.aggregates() lists what can be computed"
