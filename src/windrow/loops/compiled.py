"""Marks loops that are the same for every query.

    @compiled(columns=_count_columns)
    def _count(codes, sizes): ...

A loop is taken over into a kernel of its own, with the helpers that it calls, and is
cached, rented or compiled as all kernels are (`lanes.py`); `columns` does the same over
whole columns.  Helpers are plain functions: only what Python calls is marked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from typing import Any

from .cache import kernel_name
from .choice import Lane
from .lanes import Laned
from .load import compiled_content, is_interpreting, kernel
from .text import Text


class Loop:
    """A loop over arrays, which Python calls."""

    def __init__(
        self,
        function: Callable[..., Any],
        columns: Callable[..., Any],
    ):
        self.function = function
        self.columns = columns
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Run the loop in its lane."""
        if is_interpreting():
            return self.function(*arguments)
        return self._laned(*arguments)

    def either(
        self,
        arguments: tuple[Any, ...],
        machine: Callable[[], Any],
        columns: Callable[[], Any],
    ) -> Any:
        """The result of one of two ways, by the lane of calls with such arguments.

        For a loop that is called twice, to count and then to fill: numpy's memory is
        a third faster to write than memory that a compiled loop asks for itself.
        """
        if is_interpreting() or self._laned.lane(arguments) is Lane.COMPILED:
            return machine()
        return self._laned.charge(arguments, columns)

    @cached_property
    def _laned(self) -> Laned:
        def text() -> Text:
            title = f"{self.function.__module__}.{self.function.__name__}."
            loop = Text(title, inline=self.function.__code__.co_names)
            loop.take(self.function, "run", entry=True)
            return loop

        return Laned(
            cache(lambda: kernel(text()).run),
            lambda: self.columns,
            lambda: f"{kernel_name(compiled_content(text().render()))}.run",
        )


def compiled(
    *, columns: Callable[..., Any] | None = None
) -> Callable[[Callable[..., Any]], Loop]:
    """Mark a loop, with the same over whole columns; without, it begins as it is."""
    return lambda function: Loop(function, columns or function)
