"""The experiments of the PBA paper."""

from .count_windows import BY_RANGE, BY_SLIDE
from .latency import MAX_LATENCY, SKETCH_LATENCY
from .on_spark import ON_SPARK
from .time_windows import BY_TIME

EXPERIMENTS = (BY_RANGE, BY_SLIDE, BY_TIME, MAX_LATENCY, SKETCH_LATENCY, ON_SPARK)

__all__ = ["EXPERIMENTS"]
