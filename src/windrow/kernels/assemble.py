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

import contextlib
import inspect
from collections.abc import Callable
from functools import cached_property, lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from windrow._later import dataclass
from windrow.loops import (
    Lane,
    Laned,
    Text,
    compiled_content,
    defined_name,
    is_interpreting,
    kernel,
    kernel_name,
    run_with_user_lines,
    stop_record,
)

from .leaves import add_lift, add_lift_one, add_loaded_leaf
from .product import Product
from .source import add_approach, add_emit, add_partial, add_raw_emit, titles
from .tallies import add_tallies
from .trial import runs_alike
from .user import are_compiled, user_functions

Named = tuple[tuple[str, Callable[..., Any]], ...]

_READ = ("source", "times")  # names of arguments
_LEAVES = {"slices": add_loaded_leaf, "events": add_lift_one}


@dataclass(frozen=True, kw_only=True)
class Assembly:
    """The parts that a kernel is assembled from; equal assemblies are one kernel.

    leaf         what `leaf(source, i)` reads: "rows", which are lifted in the loop,
                 "slices", or "events", rows that may also be arguments
    computed     slots of rows that are computed in the loop, and their texts
    emit         what `emit(out, i, partial)` writes: "results", "partials", or nothing
    tails        whether a tail partial is combined on to each window
    tallies      whether loops know how many slices a partial holds (`tallies.py`)
    stretches    whether a result is written to all places of a stretch of windows
    entries      functions that Python calls, by the name they have in the kernel
    columns      the function that does over whole columns what the entry `run` does
    alike        whether it combines partials in the same order as `run`
    words        functions that stand for words of the vocabulary
    constants    words that are numbers
    helpers      functions that generated ones call
    generated    functions as text: those whose shape depends on the kernel; `run`
                 may be one of them
    inline       names of functions that must not become calls
    part_words   functions over one part of the product: a name, to which the number of
                 the part is added, the function, and that number
    allocates    whether functions make arrays; they are faster if none does
    """

    what: str
    product: Product
    entries: Named
    leaf: str = "rows"
    computed: tuple[tuple[int, str], ...] = ()
    emit: str | None = "results"
    tails: bool = False
    tallies: bool = False
    stretches: bool = False
    words: Named = ()
    constants: tuple[tuple[str, int], ...] = ()
    helpers: tuple[Callable[..., Any], ...] = ()
    generated: tuple[str, ...] = ()
    inline: tuple[str, ...] = ()
    columns: Callable[..., Any] | None = None
    alike: bool = False
    part_words: tuple[tuple[str, Callable[..., Any], int], ...] = ()
    allocates: bool = True

    @cached_property
    def _hash(self) -> int:
        """Computed once: an assembly is looked up by it more than once a call."""
        own = self.words, self.leaf, self.generated, self.computed
        return hash((self.what, self.product, self.entries, *own))

    def __hash__(self) -> int:
        return self._hash

    def text(self, *, columns: bool = False) -> Text:
        """The source of the kernel, as it is cached and shown; or that over columns."""
        title = f"{self.what}: {titles(self.product.outputs)}."
        words = dict(self.words)
        makes = {"columns": columns, "allocates": self.allocates}
        text = Text(title, words=words, inline=self.inline, **makes)
        for name, value in self.constants:
            text.constant(name, value)
        joins = add_partial(text, self.product, by_part=bool(self.part_words))
        if self.leaf == "rows":
            add_lift(text, self.product, dict(self.computed))
        else:
            _LEAVES[self.leaf](text, self.product)
        if self.emit == "results":
            repeats = self.stretches and not columns
            add_emit(text, self.product, tail=self.tails, repeats=repeats)
        elif self.emit == "partials":
            add_raw_emit(text, self.product)
        if not columns and self.leaf != "events":
            add_approach(text, self.product, self.leaf)
        if self.tallies and not columns:
            add_tallies(text, self.product, joins, counted=self.leaf == "rows")
        if not columns:
            for word, own, part in self.part_words:
                text.take(own, f"{word}_{part}", part=f"_{part}")
        if not (columns and self.generates_run):
            for helper in self.helpers:
                text.take(helper)
            for source in self.generated:
                is_run = defined_name(source) == "run"
                text.define(source.strip("\n"), entry=is_run)
        entries = (("run", self.columns),) if columns else self.entries
        for name, function in entries:
            assert function is not None
            text.take(function, name, entry=True)
        return text

    @property
    def generates_run(self) -> bool:
        """Whether `run` itself is generated."""
        return any(defined_name(source) == "run" for source in self.generated)

    @property
    def interpreted(self) -> bool:
        """Whether the kernel runs as plain Python here."""
        return self.product.interpreted or is_interpreting()

    def module(self, *, interpreted: bool | None = None) -> ModuleType:
        """The kernel, ready to be called; compiled unless it has to be interpreted."""
        plain = self.interpreted if interpreted is None else interpreted
        if not plain:
            stop_record()
        return _module(self, plain)

    @property
    def has_lanes(self) -> bool:
        """Whether the kernel can run over whole columns."""
        if self.columns is None or self.interpreted or not _alike.get(self, True):
            return False
        return self.product.on_arrays

    def lane(self, arguments: tuple[Any, ...], asked: Lane | None = None) -> Lane:
        """The lane of the next call with such arguments, or the one asked for."""
        if not self.has_lanes:
            return Lane.COMPILED
        return _laned(self).lane(arguments, asked)

    @cached_property
    def _reads(self) -> tuple[int, ...]:
        """The places of columns that are only read, among the arguments of `run`."""
        if self.columns is None:
            return ()
        names = inspect.signature(self.columns).parameters
        return tuple(at for at, name in enumerate(names) if name in _READ)

    def given(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with columns that are only read marked as such.

        To numba an array that may be written is another type.  Columns that are read
        where they lie in Arrow's memory may not, copies may: all are to be one kernel,
        the one that was rehearsed and compiled ahead.
        """
        marked = list(arguments)
        for at in self._reads:
            marked[at] = _read_only(marked[at])
        return tuple(marked)

    def run(self, *arguments: Any) -> None:
        """Call `run`; a user's function that fails in it fails with its own line."""
        arguments = self.given(arguments)
        is_columns = self.lane(arguments) is Lane.COLUMNS
        if not (is_columns and self.run_columns(*arguments)):
            has_users = self.product.has_users
            run_with_user_lines(has_users, lambda: self.module().run(*arguments))

    def run_columns(self, *arguments: Any) -> bool:
        """Do what `run` does, over whole columns.

        False if a user's functions fail there, or give another answer than one by one.
        """
        laned = _laned(self)
        if not self.product.has_users:
            laned.over_columns(*arguments)
            return True
        if self not in _alike:
            _alike[self] = self._runs_alike(arguments)
        if _alike[self]:
            with contextlib.suppress(Exception):  # compiled it may fail in better words
                laned.over_columns(*arguments)
                return True
        _alike[self] = False
        return False

    def _runs_alike(self, arguments: tuple[Any, ...]) -> bool:
        """Whether the first rows give the same one by one; slices were rows before."""
        assert self.columns is not None
        names = list(inspect.signature(self.columns).parameters)
        if self.leaf != "rows" or "source" not in names:
            return True
        return runs_alike(self.product, arguments[names.index("source")])


def _read_only(columns: Any) -> Any:
    if isinstance(columns, tuple):
        return tuple([_read_only(column) for column in columns])
    if isinstance(columns, np.ndarray) and columns.flags.writeable:
        columns = columns.view()
        columns.flags.writeable = False
    return columns


_alike: dict[Assembly, bool] = {}  # whether users' functions can be given columns


@lru_cache(maxsize=1024)
def _laned(assembly: Assembly) -> Laned:
    product = assembly.product

    def entry() -> str | None:
        if product.has_users:  # whose functions are not in the text
            return None
        return f"{kernel_name(compiled_content(assembly.text().render()))}.run"

    same_order = assembly.alike and not product.has_users and product.is_arithmetic
    return Laned(
        lambda: _module(assembly, False).run,
        lru_cache(lambda: _columns_module(assembly).run),
        entry,
        alike=product.is_lattice or same_order,
    )


def _columns_module(assembly: Assembly) -> ModuleType:
    users = user_functions(assembly.product, compiled=False)
    return kernel(assembly.text(columns=True), users)


@lru_cache(maxsize=1024)
def _module(assembly: Assembly, interpreted: bool) -> ModuleType:
    interpreted = interpreted or not are_compiled(assembly.product)
    users = user_functions(assembly.product, compiled=not interpreted)
    return kernel(assembly.text(), users, interpreted=interpreted)
