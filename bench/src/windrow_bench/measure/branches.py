"""Counts what a kernel asks of a processor: branches, wrong guesses, loads, stores.

    the kernel's text  --every if, while and for tells which way it went-->  Guesses
                       --`read` and `peek`, `write` and `poke` are counted-->

The kernel is the one that is compiled, run as plain Python; its answers are checked.
A branch is guessed as simple processors do: a two-bit counter for each branch and the
last twelve outcomes.  A condition of several comparisons is one branch, unless a part
of it loads what the part before allows.  Branches that LLVM turns into selections
count, too: their number is an upper bound, that of wrong guesses says more.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from windrow.algorithms import Shape, count_regular, find, kernel_text
from windrow.loops import arrays

from .answers import Array, check_windows
from .kernels import product

OUTCOMES = 12  # that a guess looks at


@dataclass
class Guesses:
    """Branches so far, and how many of them were guessed wrong; loads and stores."""

    branches: int = 0
    wrong: int = 0
    loads: int = 0
    stores: int = 0
    _last: int = 0
    _counters: dict[tuple[int, int], int] = field(default_factory=dict)

    def went(self, site: int, way: Any) -> Any:
        """A branch, and which way it went."""
        taken, at = bool(way), (site, self._last)
        sure = self._counters.get(at, 2)  # 0, 1: not taken; 2, 3: taken
        self.branches += 1
        self.wrong += (sure >= 2) != taken
        self._counters[at] = min(sure + 1, 3) if taken else max(sure - 1, 0)
        self._last = (self._last << 1 | taken) & ((1 << OUTCOMES) - 1)
        return way

    def each(self, site: int, items: Iterable[Any]) -> Iterator[Any]:
        """A loop, which asks after each item whether there is one more."""
        for item in items:
            self.went(site, True)
            yield item
        self.went(site, False)

    def load(self, array: Array, index: int) -> Any:
        """The element at `index`."""
        self.loads += 1
        return array[index]

    def store(self, array: Array, index: int, value: Any, *_: int) -> None:
        """Put `value` at `index`."""
        self.stores += 1
        array[index] = value

    def per(self, events: int) -> dict[str, float]:
        """The same for each of so many events."""
        names = ("branches", "wrong", "loads", "stores")
        return {name: getattr(self, name) / events for name in names}


class _Telling(ast.NodeTransformer):
    """Lets every branch of a kernel's text tell which way it went."""

    sites = 0

    def _told(self, name: str, node: ast.expr) -> ast.expr:
        self.sites += 1
        site = ast.Constant(self.sites)
        return ast.Call(ast.Name(name, ast.Load()), [site, node], [])

    def _test(self, test: ast.expr) -> ast.expr:
        loads = any(isinstance(part, ast.Call) for part in ast.walk(test))
        if isinstance(test, ast.BoolOp) and loads:
            return ast.BoolOp(test.op, [self._test(part) for part in test.values])
        return self._told("went", test)

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self._test(node.test)
        return self.generic_visit(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        node.test = self._test(node.test)
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = self._told("each", node.iter)
        return self.generic_visit(node)


def count_branches(name: str, aggregate: str, values: Array, width: int) -> Guesses:
    """What that algorithm asks over every window of `width` values."""
    asked = product(aggregate, values)
    text = kernel_text(find(name), asked, Shape("rows", "regular"))
    tree = ast.fix_missing_locations(_Telling().visit(ast.parse(text)))
    found = Guesses()
    words: dict[str, Any] = {
        "np": np, "math": math, "went": found.went, "each": found.each,
        "njit": lambda **_: lambda function: function,
        "select": lambda condition, a, b: a if condition else b,
        "read": found.load, "peek": found.load, "write": found.store,
        "poke": found.store, "prefetch": _nothing, "prefetch_read": _nothing,
    }  # fmt: skip
    exec(compile(tree, f"<branches of {name}>", "exec"), words)  # noqa: S102 - ours
    firsts, lasts = np.array([0]), np.array([len(values)])
    count = count_regular(firsts, lasts, width, 1, False)
    out = arrays(asked.out_dtypes, count)
    words["run"]((values,), firsts, lasts, width, 1, False, False, width, 0, out)
    check_windows(name, out[0], values, width, aggregate)
    return found


def _nothing(*_: Any) -> None:
    """Memory is fetched when it is used."""
