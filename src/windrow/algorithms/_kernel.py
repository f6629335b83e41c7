"""Assembles the kernel of an algorithm and a product.

A kernel differs by where partials come from (`rows`, lifted in the loop, or
`slices`), by how bounds are read (`regular`: by arithmetic, run by run; `arrays`:
from start and stop arrays; `many`: arrays with several ranges), by whether a tail
partial is added to each window (Cutty), and by whether results are lowered or come
out as partials (`raw`: sashes, which are merged further).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from windrow.kernels import Assembly, Named, Product

from ._algorithm import Algorithm
from ._bounds import BOUNDS
from ._drivers import run_arrays, run_regular, run_stride


@dataclass(frozen=True)
class Shape:
    """Which of the kernels of an algorithm and a product."""

    leaf: str = "rows"
    bounds: str = "arrays"
    tail: bool = False
    fast: bool = False
    raw: bool = False

    @property
    def driver(self) -> Callable[..., None]:
        """The function that walks the runs of slices."""
        if self.fast:
            return run_stride
        return run_regular if self.bounds == "regular" else run_arrays

    def __str__(self) -> str:
        tails = ", with tails" if self.tail else ""
        partials = ", partials out" if self.raw else ""
        return f"{self.bounds} bounds over {self.leaf}{tails}{partials}"


def kernel_assembly(algorithm: Algorithm, product: Product, shape: Shape) -> Assembly:
    """What the kernel is made of; its `run` is the shape's driver."""
    return Assembly(
        what=f"{algorithm.name}, {shape}",
        product=product,
        leaf=shape.leaf,
        emit="partials" if shape.raw else "results",
        tails=shape.tail,
        words=_words(algorithm, shape),
        entries=(("run", shape.driver), *_entries(algorithm, shape)),
    )


def kernel_text(algorithm: Algorithm, product: Product, shape: Shape) -> str:
    """The source of the kernel, as it is cached and shown."""
    return kernel_assembly(algorithm, product, shape).text().render()


def compile_kernel(algorithm: Algorithm, product: Product, shape: Shape) -> ModuleType:
    """The kernel, ready to be called: its `run` is the entry."""
    return kernel_assembly(algorithm, product, shape).module()


def _words(algorithm: Algorithm, shape: Shape) -> Named:
    if shape.fast:
        assert algorithm.stage is not None
        assert algorithm.stride is not None
        return (("stage", algorithm.stage), ("stride", algorithm.stride))
    words: Named = (("prepare", algorithm.prepare), ("slide", algorithm.slide))
    return words + BOUNDS[shape.bounds]


def _entries(algorithm: Algorithm, shape: Shape) -> Named:
    """The functions that an algorithm's `conduct` calls, beside `run`."""
    functions: tuple[Any, ...] = ()
    if shape.fast:
        functions = algorithm.stride_entries
    elif shape.bounds == "arrays":
        functions = algorithm.slide_entries
    return tuple((function.__name__, function) for function in functions)
