"""The Spark back end: DataFrames in, DataFrames out, nothing run until asked for.

The only package that imports pyspark.  It uses what classic and Connect sessions have
in common.
"""

from . import relation
from .entry import aggregate, explain, explain_over, over

__all__ = ["aggregate", "explain", "explain_over", "over", "relation"]
