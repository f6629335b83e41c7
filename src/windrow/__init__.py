"""Windrow: sliding-window aggregates at a cost that does not depend on the window.

import windrow as wr
wr.slide(values, wr.rows(1000), "max")
wr.aggregate(table, wr.sliding("1 hour", every="1 minute", on="ts"), by="user",
             spend=wr.sum("amount"))
"""

from windrow._cql import cql, explain_cql
from windrow._dispatch import aggregate, explain, over, slide
from windrow._version import __version__
from windrow.aggregates import BY_NAME, Aggregate, Law
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
    "calendar",
    "cql",
    "delta",
    "explain",
    "explain_cql",
    "over",
    "punctuation",
    "rows",
    "slide",
    "sliding",
    "techniques",
    "window",
]
__all__ += list(BY_NAME)
__all__.sort()


def __getattr__(name: str) -> Aggregate:
    """Find an aggregate of the catalogue: `wr.sum`, `wr.var_pop`."""
    if name not in BY_NAME:
        raise AttributeError(f"module 'windrow' has no attribute {name!r}", name=name)
    return BY_NAME[name]


def __dir__() -> list[str]:
    """List the public names, aggregates among them."""
    return __all__
