"""The experiments of the PBA paper that run in one process."""

from .count_windows import BY_RANGE, BY_SLIDE
from .latency import MAX_LATENCY, SKETCH_LATENCY
from .time_windows import BY_TIME

EXPERIMENTS = (BY_RANGE, BY_SLIDE, BY_TIME, MAX_LATENCY, SKETCH_LATENCY)

__all__ = ["EXPERIMENTS"]
