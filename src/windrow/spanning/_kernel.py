"""A technique's functions and a product, made into one kernel.

The functions are plain loops over the names in `windrow.kernels.vocabulary`, as an
algorithm's are; they read events with `leaf(source, i)`.
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
    add_partial,
    is_interpreting,
    kernel,
    telling_lines,
    titles,
    user_functions,
)


def kernel_text(function: Callable[..., Any], product: Product) -> str:
    """The source of the kernel, as it is cached and shown."""
    assert isinstance(function, FunctionType)
    title = f"{function.__name__} over spanning events: {titles(product.outputs)}."
    text = Text(title)
    add_partial(text, product)
    add_lift(text, product)
    add_emit(text, product, tail=False)
    name = text.take(function, keep_name=True)
    given = ", ".join(inspect.signature(function).parameters)
    text.add(f"{ENTRY}\ndef run({given}):\n    {name}({given})")
    return text.render()


def call(function: Callable[..., None], product: Product, *given: Any) -> None:
    """Run a function of a technique, compiled together with the product's own."""

    def run() -> None:
        plain = product.interpreted or is_interpreting()
        _compiled(function, product, plain).run(*given)

    telling_lines(product.has_users, run)


@lru_cache(maxsize=512)
def _compiled(
    function: Callable[..., None], product: Product, plain: bool
) -> ModuleType:
    users = user_functions(product, compiled=not plain)
    return kernel(kernel_text(function, product), users, interpreted=plain)


__all__ = ["call", "kernel_text"]
