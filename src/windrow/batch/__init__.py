"""A plan and arrays in, results out, in one process."""

from .aggregate import aggregate
from .over import over
from .policy_windows import aggregate_by_policy
from .slide import slide
from .spans import aggregate_spans, spread
from .tables import give, give_with, library, read, schema_of

__all__ = [
    "aggregate",
    "aggregate_by_policy",
    "aggregate_spans",
    "give",
    "give_with",
    "library",
    "over",
    "read",
    "schema_of",
    "slide",
    "spread",
]
