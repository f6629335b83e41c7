"""Types by which a checker sees that results are of the kind of what was given.

    reveal_type(wr.aggregate(polars_frame, ...))     polars.DataFrame
    reveal_type(wr.slide(numpy_array, ...))          numpy.ndarray

A frame is told by what pandas, polars and Spark share, and no other table has: names of
columns, and `head`.  Nothing here exists for a program that runs.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import numpy as np


class FrameLike(Protocol):
    """A DataFrame of pandas, polars or Spark."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""

    def head(self, n: int, /) -> Any:
        """Its first rows."""


class SeriesLike(Protocol):
    """A Series of pandas or polars."""

    @property
    def name(self) -> Any:
        """Its name."""

    def head(self, n: int, /) -> Any:
        """Its first values."""


class ArrowArray(Protocol):
    """An array of Arrow, in one piece."""

    def __arrow_c_array__(self, requested_schema: Any = ..., /) -> Any:
        """It in the C data interface."""


class ArrowChunks(Protocol):
    """An array of Arrow, in several pieces."""

    def __arrow_c_stream__(self, requested_schema: Any = ..., /) -> Any:
        """It in the C stream interface."""


Frame = TypeVar("Frame", bound=FrameLike)
Series = TypeVar("Series", bound=SeriesLike)
Array = np.ndarray[Any, np.dtype[Any]]
