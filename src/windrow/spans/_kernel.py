"""A technique's functions and a product, made into one kernel.

The functions are plain loops over the names in `windrow.kernels.vocabulary`, as an
algorithm's are; they read events with `leaf(source, i)`: `rows`, lifted in the loop, or
`slices`, partials of events that cross the same slices and were folded before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import Any

from windrow.kernels import (
    ENTRY,
    Product,
    Text,
    add_emit,
    add_lift,
    add_loaded_leaf,
    add_partial,
    is_interpreting,
    kernel,
    telling_lines,
    titles,
    user_functions,
)

from ._technique import Work


def kernel_text(function: Callable[..., Any], product: Product, leaf: str) -> str:
    """The source of the kernel, as it is cached and shown."""
    assert isinstance(function, FunctionType)
    title = f"{function.__name__}, spanning {leaf}: {titles(product.outputs)}."
    text = Text(title)
    add_partial(text, product)
    (add_lift if leaf == "rows" else add_loaded_leaf)(text, product)
    add_emit(text, product, tail=False)
    name = text.take(function, keep_name=True)
    given = ", ".join(inspect.signature(function).parameters)
    text.add(f"{ENTRY}\ndef run({given}):\n    {name}({given})")
    return text.render()


def call(work: Work, function: Callable[..., None], *given: Any) -> None:
    """Run a function of a technique, compiled together with the product's own."""
    product = work.product

    def run() -> None:
        plain = product.interpreted or is_interpreting()
        _compiled(function, product, work.leaf, plain).run(*given)

    telling_lines(product.has_users, run)


@lru_cache(maxsize=512)
def _compiled(
    function: Callable[..., None], product: Product, leaf: str, plain: bool
) -> ModuleType:
    users = user_functions(product, compiled=not plain)
    return kernel(kernel_text(function, product, leaf), users, interpreted=plain)


__all__ = ["call", "kernel_text"]
