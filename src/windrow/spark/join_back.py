"""Joins labels that have very many columns with their features, by key and instant.

labels   -- keys and instants, each pair once -->  features
labels   -- join on keys and instant          -->  labels with their features

Labels are read twice.  If they are others the second time, as a sample without a seed
is, a label without features raises an error.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructField

from windrow.plan.as_of import AsOfPlan

from . import sql
from .result import select_rows
from .schema import quoted, result_fields

_OTHERS = (
    "cannot join labels with their features: they were others when they were read again"
    "\nHint: give them a seed or an order, or write them to a table first"
)


def distinct_labels(labels: DataFrame, plan: AsOfPlan) -> DataFrame:
    """The keys and instants of labels, each pair once."""
    return labels.select(*(quoted(name) for name in _shared(plan))).distinct()


def join_back(
    labels: DataFrame, features: DataFrame, events: DataFrame, plan: AsOfPlan
) -> DataFrame:
    """The labels with `features` of distinct keys and instants: s0, ..., r0, ..."""
    shared, own = _shared(plan), labels.columns
    left = labels.select(
        *(F.col(quoted(name)).alias(f"s{i}") for i, name in enumerate(own))
    )
    fields = result_fields(events, plan.calls)
    right = features.select(
        *(F.col(f"s{i}").alias(f"k{i}") for i in range(len(shared))),
        *(field.name for field in fields),
        F.lit(True).alias("there"),
    )
    same = F.lit(True)
    for i, name in enumerate(shared):
        same &= F.col(f"s{own.index(name)}").eqNullSafe(F.col(f"k{i}"))
    joined = left.join(right, same, "left")
    columns = [f"s{i}" for i in range(len(own))]
    results = (_checked(field) for field in fields)
    return select_rows(labels, plan, joined.selectExpr(*columns, *results))


def _checked(field: StructField) -> str:
    """A feature that must be there; a join lets Spark forget what is never null."""
    value = f"if(there is null, raise_error({sql.text(_OTHERS)}), {field.name})"
    if field.nullable:
        return f"{value} as {field.name}"
    kind = field.dataType
    none = "array()" if isinstance(kind, ArrayType) else "0"
    return f"coalesce({value}, cast({none} as {kind.simpleString()})) as {field.name}"


def _shared(plan: AsOfPlan) -> list[str]:
    return list(dict.fromkeys([*plan.by, plan.at.column]))
