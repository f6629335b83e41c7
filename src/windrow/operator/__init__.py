"""The Reactive Aggregator: one event at a time, any policy, any order (RA 4, 5)."""

from .operator import Operator
from .results import Result, Results

__all__ = ["Operator", "Result", "Results"]
