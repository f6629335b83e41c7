"""Beyond the papers: Windrow beside others, held to its own promises."""

from .rolling import ROLLING
from .spark_over import OVER as SPARK_OVER
from .spark_spans import SPANS as SPARK_SPANS
from .spark_stream import STREAM as SPARK_STREAM
from .spark_windows import WINDOWS as SPARK_WINDOWS
from .tables import OVER, WINDOWS

EXPERIMENTS = (
    ROLLING,
    WINDOWS,
    OVER,
    SPARK_WINDOWS,
    SPARK_OVER,
    SPARK_STREAM,
    SPARK_SPANS,
)

__all__ = ["EXPERIMENTS"]
