"""Windows as a vocabulary: specifications, durations, and frames."""

from .duration import Duration, parse_duration
from .spec import Rows, Sliding, Window, rows, sliding

__all__ = ["Duration", "Rows", "Sliding", "Window", "parse_duration", "rows", "sliding"]
