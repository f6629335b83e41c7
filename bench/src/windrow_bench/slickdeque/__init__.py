"""The experiments of the SlickDeque paper."""

from .latency import EXP_3
from .many_queries import MANY_MAX, MANY_SUM
from .memory import EXP_4
from .single_query import SINGLE_MAX, SINGLE_SUM

EXPERIMENTS = (SINGLE_SUM, SINGLE_MAX, MANY_SUM, MANY_MAX, EXP_3, EXP_4)

__all__ = ["EXPERIMENTS"]
