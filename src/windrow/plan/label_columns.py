"""Decides how the other columns of labels come to their features on Spark.

    carried   in the one shuffle: an event's row has a null for each of them
    joined    keys and instants alone are shuffled with the events, each pair once; the
              labels are joined with the features by these

Features depend on the keys and the instant of a label and on nothing else, so that no
row number is needed, which would have to be the same whenever a task runs again.
"""

from __future__ import annotations

import pyarrow as pa
from pyarrow import types as pat

from .as_of import AsOfPlan

MANY = 32
"""Other columns of labels from which on they are joined."""


def choose_columns(plan: AsOfPlan) -> tuple[str, str]:
    """Whether the labels' other columns are carried or joined, and why."""
    taken = {*plan.by, plan.at.column}
    others = [field for field in plan.labels if field.name not in taken]
    count = sum(_leaves(field.type) for field in others)
    if count < MANY:
        return "carried", f"labels with all their {len(plan.labels)} columns, once"
    names = ", ".join(dict.fromkeys([*plan.by, plan.at.column]))
    return "joined", f"of labels {names}; their {count} other columns are joined back"


def _leaves(kind: pa.DataType) -> int:
    if not pat.is_struct(kind):
        return 1
    return sum(_leaves(field.type) for field in kind)
