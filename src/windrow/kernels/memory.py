"""Reading and writing arrays in kernels without Python's index rules.

Numba's `array[i]` allows a negative `i`, which costs an addition and a select at
each access and hides from LLVM that addresses go up by one.  Kernels never index
backwards, so they use `peek` and `poke`: a bare load and a bare store.  Measured
on the chunked sum (SBA), 8M float64, slide 1: 477 -> 850 M values/s at a window
of 16, 421 -> 452 at 256.

`prefetch` tells the processor that a place will be written soon, so that it is
there when the value is: a kernel that computes a block and then writes it does not
wait for memory twice (SBA, 8M float64: 629 -> 834 M values/s at a window of 65,536).

`plain_peek` and `plain_poke` are the same for kernels that run interpreted; they
give Python numbers, so that an overflow is an infinity and not a warning.
"""

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic


def _check_contiguous(array):  # type: ignore[no-untyped-def]
    """A bare load knows no strides: refuse an array that has them."""
    if array.layout != "C":
        raise TypingError("kernels read and write contiguous arrays only")


@intrinsic  # type: ignore[untyped-decorator]
def _peek(typingctx, array, index):  # type: ignore[no-untyped-def]
    _check_contiguous(array)
    signature = array.dtype(array, types.intp)

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        view = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = builder.gep(view.data, [args[1]], inbounds=True)
        return context.unpack_value(builder, signature.args[0].dtype, pointer)

    return signature, codegen


@intrinsic  # type: ignore[untyped-decorator]
def _poke(typingctx, array, index, value):  # type: ignore[no-untyped-def]
    _check_contiguous(array)
    signature = types.void(array, types.intp, array.dtype)

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        view = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = builder.gep(view.data, [args[1]], inbounds=True)
        context.pack_value(builder, signature.args[0].dtype, args[2], pointer)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch(typingctx, array, index):  # type: ignore[no-untyped-def]
    _check_contiguous(array)
    signature = types.void(array, types.intp)

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        view = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = builder.gep(view.data, [args[1]], inbounds=True)
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        write, keep, data = word(1), word(3), word(1)
        builder.call(fetch, [builder.bitcast(pointer, byte), write, keep, data])
        return context.get_dummy_value()

    return signature, codegen


def plain_peek(array: Any, index: int) -> Any:
    """The element at `index`, as a Python number."""
    value = array[index]
    return value.item() if hasattr(value, "item") else value


def plain_poke(array: Any, index: int, value: Any) -> None:
    """Put `value` at `index`."""
    array[index] = value


def plain_prefetch(array: Any, index: int) -> None:
    """Nothing to do: memory is fetched when it is used."""


def plain_jit(*_: Any, **__: Any) -> Any:
    """Stands in for `numba.njit` where kernels run interpreted."""
    return lambda function: function


peek = plain_peek if numba.config.DISABLE_JIT else _peek
poke = plain_poke if numba.config.DISABLE_JIT else _poke
prefetch = plain_prefetch if numba.config.DISABLE_JIT else _prefetch

__all__ = [
    "peek",
    "plain_jit",
    "plain_peek",
    "plain_poke",
    "plain_prefetch",
    "poke",
    "prefetch",
]
