"""Assembles kernels: a product, loops over it, and the functions that these use.

    Assembly(
        what="sba, regular bounds over rows",
        product=product,                            lift, combine and lower
        entries=(("run", run_regular),),            called from Python
        words=(("slide", slide), ...),              words of the vocabulary
    )

An entry is lifted together with all that it uses; a word of the vocabulary is either
generated for the product (`combine`, `load`, ...) or one of `words`.  All kernels of
`algorithms`, `slicing`, `graph`, `spans` and `operator` are assembled here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

from .leaves import add_lift, add_lift_one, add_loaded_leaf
from .load import is_interpreting, kernel, run_with_user_lines
from .product import Product
from .source import add_emit, add_partial, add_raw_emit, titles
from .text import Text
from .user import user_functions

Named = tuple[tuple[str, Callable[..., Any]], ...]

_LEAVES = {"rows": add_lift, "slices": add_loaded_leaf, "events": add_lift_one}


@dataclass(frozen=True, kw_only=True)
class Assembly:
    """The parts that a kernel is assembled from; equal assemblies are one kernel.

    leaf         what `leaf(source, i)` reads: "rows", which are lifted in the loop,
                 "slices", or "events", rows that may also be arguments
    emit         what `emit(out, i, partial)` writes: "results", "partials", or nothing
    tails        whether a tail partial is combined on to each window
    entries      functions that Python calls, by the name they have in the kernel
    words        functions that stand for words of the vocabulary
    constants    words that are numbers
    generated    functions as text: those whose shape depends on the kernel
    inline       names of functions that must not become calls
    """

    what: str
    product: Product
    entries: Named
    leaf: str = "rows"
    emit: str | None = "results"
    tails: bool = False
    words: Named = ()
    constants: tuple[tuple[str, int], ...] = ()
    generated: tuple[str, ...] = ()
    inline: tuple[str, ...] = ()

    def text(self) -> Text:
        """The source of the kernel, as it is cached and shown."""
        title = f"{self.what}: {titles(self.product.outputs)}."
        text = Text(title, words=dict(self.words), inline=self.inline)
        for name, value in self.constants:
            text.constant(name, value)
        add_partial(text, self.product)
        _LEAVES[self.leaf](text, self.product)
        if self.emit == "results":
            add_emit(text, self.product, tail=self.tails)
        elif self.emit == "partials":
            add_raw_emit(text, self.product)
        for source in self.generated:
            text.define(source)
        for name, function in self.entries:
            text.take(function, name, entry=True)
        return text

    @property
    def interpreted(self) -> bool:
        """Whether the kernel runs as plain Python here."""
        return self.product.interpreted or is_interpreting()

    def module(self) -> ModuleType:
        """The kernel, ready to be called."""
        return _module(self, self.interpreted)

    def run(self, *arguments: Any) -> None:
        """Call `run`; a user's function that fails in it fails with its own line."""
        run_with_user_lines(
            self.product.has_users, lambda: self.module().run(*arguments)
        )


@lru_cache(maxsize=1024)
def _module(assembly: Assembly, interpreted: bool) -> ModuleType:
    users = user_functions(assembly.product, compiled=not interpreted)
    return kernel(assembly.text(), users, interpreted=interpreted)
