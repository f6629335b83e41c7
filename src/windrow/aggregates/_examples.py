"""An example of each aggregate: values, the call, and what three rows of them give.

`windrow.sum?` in a notebook, and `help(windrow.sum)`, show them as code that runs.
"""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """Values and a call of `wr.slide`, and the results as a list; texts of code.

    `each` is what is shown of a result `v` that is long.  Ranks have a table with the
    column `at` for values, and a call of `wr.over`.
    """

    values: str
    call: str
    results: str
    each: str = ""


_DIGITS = "[3, 1, 4, 1, 5]"
_GAPS = "[3, None, 4, 1, 5]"
_TIES = "[3, 1, 3, 1, 1]"
_PAIRS = '{"x": [1, 2, 3, 4], "y": [2, 4, 6, 2]}'
_SCORES = '{"at": [1, 2, 3, 4], "x": [3, 1, 4, 1]}'
_CALLS = '{"len": [3, 9, 2, 5], "who": ["ann", "bob", "cem", "dan"]}'

EXAMPLES = {
    "count": Example(_GAPS, '"count"', "[2, 2, 3]"),
    "sum": Example(_DIGITS, '"sum"', "[8, 6, 10]"),
    "product": Example(_DIGITS, '"product"', "[12.0, 4.0, 20.0]"),
    "mean": Example("[3, 1, 5, 0]", '"mean"', "[3.0, 2.0]"),
    "geometric_mean": Example("[1, 1, 1, 1]", '"geometric_mean"', "[1.0, 1.0]"),
    "min": Example(_DIGITS, '"min"', "[1, 1, 1]"),
    "max": Example(_DIGITS, '"max"', "[4, 4, 5]"),
    "range": Example(_DIGITS, '"range"', "[3, 3, 4]"),
    "min_count": Example(_TIES, '"min_count"', "[1, 2, 2]"),
    "max_count": Example(_TIES, '"max_count"', "[2, 1, 1]"),
    "arg_min": Example(_CALLS, 'wr.arg_min("len", "who")', "['cem', 'cem']"),
    "arg_max": Example(_CALLS, 'wr.arg_max("len", "who")', "['bob', 'bob']"),
    "first": Example(_GAPS, '"first"', "[3, 4, 4]"),
    "last": Example(_GAPS, '"last"', "[4, 1, 5]"),
    "variance": Example("[1, 2, 3, 4]", '"variance"', "[1.0, 1.0]"),
    "variance_population": Example(
        "[2, 2, 5, 5]", '"variance_population"', "[2.0, 2.0]"
    ),
    "stddev": Example("[1, 2, 3, 4]", '"stddev"', "[1.0, 1.0]"),
    "stddev_population": Example("[3, 3, 3, 3]", '"stddev_population"', "[0.0, 0.0]"),
    "skew": Example("[1, 2, 3, 4]", '"skew"', "[0.0, 0.0]"),
    "kurtosis": Example("[1, 2, 3, 4]", '"kurtosis"', "[-1.5, -1.5]"),
    "covariance": Example(_PAIRS, 'wr.covariance("x", "y")', "[2.0, -1.0]"),
    "covariance_population": Example(
        '{"x": [0, 3, 3], "y": [0, 3, 3]}',
        'wr.covariance_population("x", "y")',
        "[2.0]",
    ),
    "correlation": Example(
        '{"x": [1, 2, 3], "y": [2, 4, 6]}', 'wr.correlation("x", "y")', "[1.0]"
    ),
    "any": Example("[False, False, False, True]", '"any"', "[False, True]"),
    "all": Example("[True, True, True, False]", '"all"', "[True, False]"),
    "bit_and": Example("[7, 3, 2, 6]", '"bit_and"', "[2, 2]"),
    "bit_or": Example("[1, 2, 4, 2]", '"bit_or"', "[7, 6]"),
    "bit_xor": Example("[1, 2, 4, 2]", '"bit_xor"', "[7, 4]"),
    "collect": Example(
        "list('abcd')", '"collect"', "[['a', 'b', 'c'], ['b', 'c', 'd']]"
    ),
    "concat": Example("list('abcd')", 'wr.concat(separator="-")', "['a-b-c', 'b-c-d']"),
    "collect_distinct": Example(
        "list('abab')", '"collect_distinct"', "[['a', 'b'], ['b', 'a']]"
    ),
    "count_distinct": Example(_DIGITS, '"count_distinct"', "[3, 2, 3]"),
    "value_counts": Example("list('aba')", '"value_counts"', "[[('a', 2), ('b', 1)]]"),
    "first_k": Example(_DIGITS, "wr.first_k(k=2)", "[[3, 1], [1, 4], [4, 1]]"),
    "last_k": Example(_DIGITS, "wr.last_k(k=2)", "[[1, 4], [4, 1], [1, 5]]"),
    "median": Example(_DIGITS, '"median"', "[3.0, 1.0, 4.0]"),
    "quantile": Example(_DIGITS, "wr.quantile(q=0.25)", "[2.0, 1.0, 2.5]"),
    "percentile_disc": Example(_DIGITS, "wr.percentile_disc(q=0.9)", "[4, 4, 5]"),
    "weighted_median": Example(
        '{"x": [1, 5, 9], "w": [1, 1, 3]}', 'wr.weighted_median("x", "w")', "[9.0]"
    ),
    "mad": Example(_DIGITS, '"mad"', "[1.0, 0.0, 1.0]"),
    "mode": Example(_TIES, '"mode"', "[3, 1, 1]"),
    "top_k": Example(_DIGITS, "wr.top_k(k=2)", "[[4, 3], [4, 1], [5, 4]]"),
    "bottom_k": Example(_DIGITS, "wr.bottom_k(k=2)", "[[1, 3], [1, 1], [1, 4]]"),
    "approx_distinct": Example(_DIGITS, '"approx_distinct"', "[3, 2, 3]"),
    "approx_quantile": Example(_DIGITS, "wr.approx_quantile(q=0.9)", "[4.0, 4.0, 5.0]"),
    "approx_top_k": Example(
        "[1, 1, 4]", "wr.approx_top_k(k=1)", "[[{'item': 1, 'count': 2}]]"
    ),
    "rank": Example(_SCORES, 'wr.rank("x", last=3)', "[1, 1, 3, 1]"),
    "percent_rank": Example(
        _SCORES, 'wr.percent_rank("x", last=3)', "[0.0, 0.0, 1.0, 0.0]"
    ),
    "moment_sketch": Example(
        _DIGITS, '"moment_sketch"', "[26.0, 18.0, 42.0]", "v['s2']"
    ),
    "hll_sketch": Example(_DIGITS, '"hll_sketch"', "[20, 16, 20]", "len(v)"),
    "kll_sketch": Example(_DIGITS, '"kll_sketch"', "[64, 64, 64]", "len(v)"),
    "theta_sketch": Example(_DIGITS, '"theta_sketch"', "[40, 32, 40]", "len(v)"),
    "histogram": Example(
        _DIGITS, "wr.histogram(edges=[0, 2, 6])", "[[1, 2], [2, 1], [1, 2]]"
    ),
}

OPTIONS = {
    "separator": "text between the strings",
    "quantiles": "shares between 0 and 1, whose quantiles the result estimates",
    "q": "the share, between 0 and 1, or a list of them",
    "interpolation": "what lies between two values, or which of them is taken",
    "method": "which sketch estimates it, or which rank ties get",
    "descending": "whether the largest value comes first",
    "k": "how many values; of a sketch, how large it is",
    "error": "the error that is wanted, relative to the value",
    "rsd": "the relative standard deviation that is wanted, in place of lg_k",
    "lg_k": "the size of the sketch, as a power of two",
    "tracked": "how many values are counted at once",
    "edges": "numbers that rise: where one bin ends and the next begins",
    "seed": "of the hash; sketches of one seed can be merged",
}
"""What the options of aggregates mean."""
