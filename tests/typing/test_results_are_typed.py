"""What a type checker sees of results: the kind of table or array that was given."""

from __future__ import annotations

import re

import pytest
from mypy import api

PROGRAM = """
import numpy as np
import pandas as pd
import polars as pl
from pyspark.sql import DataFrame
import windrow as wr

def typed(
    polars: pl.DataFrame, pandas: pd.DataFrame, spark: DataFrame, other: object,
    array: np.ndarray, polars_series: pl.Series, pandas_series: pd.Series[float],
) -> None:
    window = wr.sliding("1 hour", on="ts")
    reveal_type(wr.aggregate(polars, window, by="k", top=wr.max("x")))
    reveal_type(wr.aggregate(pandas, [window], algorithm="daba", top=wr.max("x")))
    reveal_type(wr.aggregate(spark, window, late="drop", top=wr.max("x")))
    reveal_type(wr.aggregate(spark, window, watermark="1 hour", top=wr.max("x")))
    reveal_type(wr.aggregate(other, window, top=wr.max("x")))
    reveal_type(wr.over(polars, on="ts", s=wr.sum("x", last=3)))
    reveal_type(wr.as_of(pandas, pandas, at="t", on="ts", n=wr.count()))
    reveal_type(wr.tiles(polars, every="1 hour", on="ts", n=wr.count()))
    reveal_type(wr.merge_tiles(polars, window))
    reveal_type(wr.slide(array, wr.rows(3), "max"))
    reveal_type(wr.slide([1, 2, 3], wr.rows(3), wr.max))
    reveal_type(wr.slide(polars_series, wr.rows(3), "max"))
    reveal_type(wr.slide(pandas_series, wr.rows(3), "max"))
    reveal_type(wr.slide(array, wr.rows(3), ["max", "min"]))
    reveal_type(wr.explain(polars, window, top=wr.max("x")))
    reveal_type(wr.features(on="ts", n=wr.count()))
    reveal_type(wr.sum("x"))
    reveal_type(wr.aggregates())
"""
SEEN = [
    "polars.dataframe.frame.DataFrame",
    "pandas.core.frame.DataFrame",
    "pyspark.sql.dataframe.DataFrame",
    "pyspark.sql.dataframe.DataFrame",
    "Any",
    "polars.dataframe.frame.DataFrame",
    "pandas.core.frame.DataFrame",
    "polars.dataframe.frame.DataFrame",
    "polars.dataframe.frame.DataFrame",
    "numpy.ndarray[Any, numpy.dtype[Any]]",
    "numpy.ndarray[Any, numpy.dtype[Any]]",
    "polars.series.series.Series",
    "pandas.core.series.Series[float]",
    "dict[str, Any]",
    "windrow.plan.explain.Explanation",
    "windrow.plan.features.Features",
    "windrow.aggregates._aggregate.Call",
    "windrow.plan.cards.Cards",
]


@pytest.mark.deep  # it reads the types of pandas, polars and pyspark: half a minute
def test_a_checker_sees_through_every_call(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    said, trouble, code = api.run(
        [str(program), "--cache-dir", str(tmp_path / "cache")]
    )

    seen = re.findall(r'Revealed type is "(.*)"', said)
    assert trouble == ""
    assert code == 0, said
    assert [re.sub(r"\bbuiltins\.", "", one) for one in seen] == SEEN
