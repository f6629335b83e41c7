"""An algorithm and a product, made into one kernel.

A kernel differs by where partials come from (`rows`, lifted in the loop, or
`slices`), by how bounds are read (`regular`: by arithmetic, run by run; `arrays`:
from start and stop arrays; `many`: arrays with several ranges), by whether a tail
partial is added to each window (Cutty), and by whether results are lowered or come
out as partials (`raw`: sashes, which are merged further).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import Any

from windrow.kernels import (
    ENTRY,
    JIT,
    Product,
    Text,
    add_emit,
    add_lift,
    add_loaded_leaf,
    add_partial,
    add_raw_emit,
    is_interpreting,
    kernel,
    titles,
    user_functions,
)

from ._algorithm import Algorithm

_BOUNDS = {
    "regular": """
{jit}
def start_of(bounds, i):
    return max(bounds[0] + i * bounds[2], bounds[3])


{jit}
def stop_of(bounds, i):
    return min(bounds[0] + i * bounds[2] + bounds[1], bounds[4])


{jit}
def keep_of(bounds, i):
    return start_of(bounds, i)


{jit}
def query_of(bounds, i):
    return 0
""",
    "arrays": """
{jit}
def start_of(bounds, i):
    return peek(bounds[0], i)


{jit}
def stop_of(bounds, i):
    return peek(bounds[1], i)


{jit}
def keep_of(bounds, i):
    return peek(bounds[0], i)


{jit}
def query_of(bounds, i):
    return 0
""",
    "many": """
{jit}
def start_of(bounds, i):
    return peek(bounds[0], i)


{jit}
def stop_of(bounds, i):
    return peek(bounds[1], i)


{jit}
def keep_of(bounds, i):
    return peek(bounds[2], i)


{jit}
def query_of(bounds, i):
    return peek(bounds[3], i)
""",
}

_RUN_ARRAYS = """
{entry}
def run(source, bounds, widest, chunk, out):
    slide(source, bounds, len(bounds[0]), np.int64(0), prepare(widest, chunk), out)
"""

# `lead` asks for the windows before the first complete one too, each clipped at
# the run's first slice: what `over` needs.
_RUN_REGULAR = """
{entry}
def run(source, firsts, lasts, width, step, lead, widest, chunk, out):
    scratch = prepare(widest, chunk)
    at = np.int64(0)
    for k in range(len(firsts)):
        first, last = firsts[k], lasts[k]
        base = first - (width - 1) if lead else first
        count = (last - base - width) // step + 1
        if count <= 0:
            continue
        slide(source, (base, width, step, first, last), count, at, scratch, out)
        at += count
"""

_RUN_STRIDE = """
{entry}
def run(source, firsts, lasts, width, step, lead, widest, chunk, out):
    scratch = {stage}(widest, chunk)
    at = np.int64(0)
    for k in range(len(firsts)):
        first, last = firsts[k], lasts[k]
        if lead:
            prefix = IDENTITY
            for i in range(first, min(first + width - 1, last)):
                prefix = combine(prefix, leaf(source, i))
                emit(out, at, prefix)
                at += 1
        count = last - first - width + 1
        if count > 0:
            stride(source, first, count, width, at, scratch, out)
            at += count
"""


@dataclass(frozen=True)
class Shape:
    """Which of the kernels of an algorithm and a product."""

    leaf: str = "rows"
    bounds: str = "arrays"
    tail: bool = False
    fast: bool = False
    raw: bool = False


def kernel_text(algorithm: Algorithm, product: Product, shape: Shape) -> str:
    """The source of the kernel, as it is cached and shown."""
    form = f"{shape.bounds} bounds over {shape.leaf}" + (
        ", with tails" if shape.tail else ""
    )
    form += ", partials out" if shape.raw else ""
    text = Text(f"{algorithm.name}, {form}: {titles(product.outputs)}.")
    add_partial(text, product)
    if shape.leaf == "rows":
        add_lift(text, product)
    else:
        add_loaded_leaf(text, product)
    if shape.raw:
        add_raw_emit(text, product)
    else:
        add_emit(text, product, tail=shape.tail)
    text.add(f"# {algorithm.title}")
    if shape.fast:
        stage = _take(text, algorithm.stage)
        _take(text, algorithm.stride)
        text.add(_RUN_STRIDE.format(entry=ENTRY, stage=stage))
        _open(text, algorithm.stride_entries)
        return text.render()
    _take(text, algorithm.prepare)
    text.add(_BOUNDS[shape.bounds].format(jit=JIT))
    _take(text, algorithm.slide)
    driver = _RUN_REGULAR if shape.bounds == "regular" else _RUN_ARRAYS
    text.add(driver.format(entry=ENTRY))
    if shape.bounds == "arrays":
        _open(text, algorithm.slide_entries)
    return text.render()


def compile_kernel(algorithm: Algorithm, product: Product, shape: Shape) -> ModuleType:
    """The kernel, ready to be called: its `run` is the entry."""
    plain = product.interpreted or is_interpreting()
    return _compiled(algorithm, product, shape, plain)


@lru_cache(maxsize=512)
def _compiled(
    algorithm: Algorithm, product: Product, shape: Shape, plain: bool
) -> ModuleType:
    text = kernel_text(algorithm, product, shape)
    return kernel(text, user_functions(product, compiled=not plain), interpreted=plain)


def _open(text: Text, functions: Iterable[Any]) -> None:
    """Let Python call those kernel functions too, as `call_` and their name."""
    for function in functions:
        name = _take(text, function)
        given = ", ".join(inspect.signature(function).parameters)
        text.add(f"{ENTRY}\ndef call_{name}({given}):\n    return {name}({given})")


def _take(text: Text, function: Any) -> str:
    assert isinstance(function, FunctionType)
    return text.take(function, keep_name=True)
