"""Windows as a vocabulary: specifications, durations, and frames."""

from .duration import Duration, parse_duration
from .policy import Delta, Punctuation, Reactive, delta, punctuation, window
from .spec import Rows, Sliding, Window, rows, sliding

__all__ = [
    "Delta",
    "Duration",
    "Punctuation",
    "Reactive",
    "Rows",
    "Sliding",
    "Window",
    "delta",
    "parse_duration",
    "punctuation",
    "rows",
    "sliding",
    "window",
]
