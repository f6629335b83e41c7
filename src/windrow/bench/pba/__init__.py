"""The experiments of the PBA paper."""

from .on_spark import ON_SPARK

EXPERIMENTS = (ON_SPARK,)

__all__ = ["EXPERIMENTS"]
