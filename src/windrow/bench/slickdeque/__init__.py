"""The experiments of the SlickDeque paper."""

from .single_query import SINGLE_MAX, SINGLE_SUM

EXPERIMENTS = (SINGLE_SUM, SINGLE_MAX)

__all__ = ["EXPERIMENTS"]
