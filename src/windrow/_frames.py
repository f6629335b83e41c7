"""Types by which a checker sees that results are of the kind of what was given.

    reveal_type(wr.aggregate(polars_frame, ...))     polars.DataFrame
    reveal_type(wr.slide(numpy_array, ...))          numpy.ndarray

A frame is told by what pandas, polars and Spark share, and no other table has: names of
columns, and `head`.  A function's options are written once, and a
checker sees them through `same_kind`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

import numpy as np

from windrow.aggregates import Aggregate, Call
from windrow.windows import Window


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
Options = ParamSpec("Options")


class SameKind(Protocol[Options]):
    """A function whose result is of the kind of its first argument."""

    @overload
    def __call__(
        self, data: Frame, /, *args: Options.args, **options: Options.kwargs
    ) -> Frame: ...
    @overload
    def __call__(
        self, data: Any, /, *args: Options.args, **options: Options.kwargs
    ) -> Any: ...


class SameArray(Protocol[Options]):
    """A function of an array, a window and an aggregate, or several of these."""

    @overload
    def __call__(
        self,
        values: Any,
        window: Window,
        aggregate: Several,
        /,
        *args: Options.args,
        **options: Options.kwargs,
    ) -> dict[str, Any]: ...
    @overload
    def __call__(
        self,
        values: Series,
        window: Window,
        aggregate: One,
        /,
        *args: Options.args,
        **options: Options.kwargs,
    ) -> Series: ...
    @overload
    def __call__(
        self,
        values: Array | Sequence[Any] | Mapping[str, Any],
        window: Window,
        aggregate: One,
        /,
        *args: Options.args,
        **options: Options.kwargs,
    ) -> Array: ...
    @overload
    def __call__(
        self,
        values: ArrowArray | ArrowChunks,
        window: Window,
        aggregate: One,
        /,
        *args: Options.args,
        **options: Options.kwargs,
    ) -> Any: ...


One = str | Aggregate | Call
Several = list[Any] | tuple[Any, ...] | Mapping[str, Any]


def same_kind(
    function: Callable[Concatenate[Any, Options], Any],
) -> SameKind[Options]:
    """The function itself, as a checker should see it."""
    return cast("SameKind[Options]", function)


def same_array(
    function: Callable[Concatenate[Any, Any, Any, Options], Any],
) -> SameArray[Options]:
    """The function itself, as a checker should see it."""
    return cast("SameArray[Options]", function)
