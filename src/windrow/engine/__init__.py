"""A plan and arrays in, results out, in one process."""

from .batch import aggregate
from .over import over
from .slide import slide
from .spans import aggregate_spans, spread
from .tables import give, give_with, library, read, schema_of
from .triggered import aggregate_by_policy

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
