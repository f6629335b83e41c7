"""Beyond the papers: what Windrow itself promises."""

from .spark_over import OVER
from .spark_spans import SPANS
from .spark_stream import STREAM
from .spark_windows import WINDOWS

EXPERIMENTS = (WINDOWS, OVER, STREAM, SPANS)

__all__ = ["EXPERIMENTS"]
