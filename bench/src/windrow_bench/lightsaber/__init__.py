"""The experiments of the LightSaber paper."""

from .applications import QUERIES, TUMBLING
from .by_hand import BY_HAND
from .cores import CORES
from .end_to_end import LATENCY as END_TO_END
from .latency import LATENCY
from .many_queries import FOUR, MANY_MINIMA, MANY_SUMS
from .one_query import ONE_MIN, ONE_SUM
from .parallel_merge import PARALLEL_MERGE
from .partials import PARTIALS
from .state import STATE

EXPERIMENTS = (
    FOUR,
    QUERIES,
    BY_HAND,
    TUMBLING,
    CORES,
    END_TO_END,
    PARALLEL_MERGE,
    STATE,
    ONE_SUM,
    ONE_MIN,
    LATENCY,
    MANY_SUMS,
    MANY_MINIMA,
    PARTIALS,
)

__all__ = ["EXPERIMENTS"]
