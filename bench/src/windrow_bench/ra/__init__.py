"""The experiments of the Reactive Aggregator's paper."""

from .base_intervals import FIGURE_11, TABLE_4
from .break_even import TABLE_3
from .coarse_slides import FIGURE_10
from .cost_per_tuple import FIGURE_7
from .memory import FIGURE_12
from .resizing import FIGURE_9
from .throughput import FIGURE_6
from .tumbling import FIGURE_8

EXPERIMENTS = (
    TABLE_3,
    FIGURE_6,
    FIGURE_7,
    FIGURE_8,
    FIGURE_9,
    FIGURE_10,
    FIGURE_11,
    TABLE_4,
    FIGURE_12,
)

__all__ = ["EXPERIMENTS"]
