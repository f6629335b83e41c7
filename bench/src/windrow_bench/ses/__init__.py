"""The experiments of SES, on events with a duration."""

from .best_technique import FIGURE_15
from .calls import FIGURE_14
from .event_size import FIGURE_10, FIGURE_11
from .window_size import FIGURE_12, FIGURE_13

EXPERIMENTS = (FIGURE_10, FIGURE_11, FIGURE_12, FIGURE_13, FIGURE_14, FIGURE_15)

__all__ = ["EXPERIMENTS"]
