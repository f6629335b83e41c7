"""The experiments of the LightSaber paper."""

from .applications import QUERIES, TUMBLING
from .cores import CORES
from .end_to_end import LATENCY

EXPERIMENTS = (QUERIES, TUMBLING, CORES, LATENCY)

__all__ = ["EXPERIMENTS"]
