"""`wr.aggregate` over a window by policy, on a DataFrame.

    select -> shuffle by key, sort by time -> mapInArrow(policies) -> select

One pass over the rows of each key, in order: what makes events leave and results fall
due follows from the rows before, so that a key is not divided.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructType

from windrow.errors import WindowError
from windrow.plan.by_policy import PolicyPlan
from windrow.tasks.policies import PolicyTask

from . import ship
from .schema import as_arrow, key_fields, nullable, quoted, required, result_fields
from .shuffle import normalise_key, shuffle_by


def check_order(plan: PolicyPlan) -> None:
    """Refuse a window whose rows have no order."""
    if plan.clock is None:
        raise WindowError.because(
            f"cannot slide a window ({plan.window}) over a distributed table",
            "its rows have no order, and no time column is named",
            "say which, as in wr.window(..., on='ts')",
        )


def aggregate_by_policy(frame: DataFrame, plan: PolicyPlan) -> DataFrame:
    """One row per key and result that fell due; no job is run."""
    check_order(plan)
    assert plan.clock is not None
    nulls = nullable(frame)
    frame = frame.where(F.col(quoted(plan.clock.column)).isNotNull())
    columns = []
    for number, name in enumerate(plan.reads):
        normal = normalise_key(frame, name) if name in plan.by else None
        column = F.col(quoted(name)) if normal is None else normal
        columns.append(column.alias(f"s{number}"))
    short = {name: f"s{number}" for number, name in enumerate(plan.reads)}
    order = [short[name] for name in (plan.clock.column, *plan.ties)]
    keys = [short[name] for name in plan.by]
    rows = shuffle_by(frame.select(*columns), keys, order)
    schema = StructType(
        [
            *key_fields(frame, plan.by),
            *required(LongType(), "start", "end"),
            *result_fields(frame, plan.calls),
        ]
    )
    names, gives = tuple(plan.reads), as_arrow(schema)
    task = PolicyTask(plan, names, gives, frozenset(nulls), ship.STRETCH)
    results = ship.run_task(rows, task, schema)
    return results.select(
        *(F.expr(f"k{i} as {quoted(name)}") for i, name in enumerate(plan.by)),
        F.expr("struct(start, end) as window"),
        *(F.expr(f"r{i} as {quoted(b.name)}") for i, b in enumerate(plan.calls)),
    )
