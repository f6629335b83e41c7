"""The experiments of the Reactive Aggregator's paper."""

from .coarse_slides import FIGURE_10
from .cost_per_tuple import FIGURE_7
from .throughput import FIGURE_6
from .tumbling import FIGURE_8

EXPERIMENTS = (FIGURE_6, FIGURE_7, FIGURE_8, FIGURE_10)

__all__ = ["EXPERIMENTS"]
