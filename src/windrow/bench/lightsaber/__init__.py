"""The experiments of the LightSaber paper that run in one process."""

from .by_hand import BY_HAND
from .latency import LATENCY
from .many_queries import FOUR, MANY_MINIMA, MANY_SUMS
from .one_query import ONE_MIN, ONE_SUM
from .parallel_merge import PARALLEL_MERGE
from .partials import PARTIALS
from .state import STATE

EXPERIMENTS = (
    FOUR,
    BY_HAND,
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
