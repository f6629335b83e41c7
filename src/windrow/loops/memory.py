"""Reads and writes arrays in compiled kernels without Python's index rules.

Numba's `array[i]` allows a negative `i`, which costs an addition and a select at
each access and hides from LLVM that addresses go up by one.  Kernels never index
backwards, so they use `peek` and `poke`: a bare load and a bare store.  Measured
on the chunked sum (SBA), 8M float64, slide 1: 477 -> 850 M values/s at a window
of 16, 421 -> 452 at 256.

Source, scratch and each result array are separate memory, which LLVM cannot know:
with more than a few arrays it stops checking, and no loop is vectorised.  So each
access names its memory: `read` the source, `peek` and `poke` scratch, `write` results.

`look` and `announce` read and write whole numbers that two threads share: what a thread
wrote before it announced a number is there for one that has seen it.

`lowest_bit` and `highest_bit` find places in a word of bits by one instruction each.

`divide_evenly` divides by a number that stays the same for a whole loop: vectors divide
at a quarter of the speed at which they multiply, so the reciprocal is taken once, and
two corrections round the quotient as a division would (Markstein).  Very small totals
have no exact remainder: theirs is multiplied once, and off by two roundings at most.

`prefetch` announces that a place will be written soon: a kernel that computes a block
and then writes it does not wait for memory twice (SBA, 8M float64: 629 -> 834 M
values/s at a window of 65,536).  `prefetch_read` does so for a place that will be read.
"""

import platform

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from .parts import part

OUTS = 32  # result arrays that are distinguished; the rest count as the last


def _check_contiguous(array):  # type: ignore[no-untyped-def]
    """Refuse an array with strides, which a bare load does not know."""
    if array.layout != "C":
        raise TypingError("kernels read and write contiguous arrays only")


def _place(context, builder, kind, array, index):  # type: ignore[no-untyped-def]
    view = context.make_array(kind)(context, builder, array)
    return builder.gep(view.data, [index], inbounds=True)


def _tag(builder, instruction, scope):  # type: ignore[no-untyped-def]
    """Declare which memory an instruction accesses, and that it is no other."""
    module = builder.module
    domain = module.add_metadata(["windrow"])
    names = ["source", "scratch", *(f"out{k}" for k in range(OUTS))]
    scopes = [module.add_metadata([name, domain]) for name in names]
    number = names.index(scope)
    separate = scopes[:number] + scopes[number + 1 :]
    instruction.set_metadata("alias.scope", module.add_metadata([scopes[number]]))
    instruction.set_metadata("noalias", module.add_metadata(separate))


def _reader(scope):  # type: ignore[no-untyped-def]
    @intrinsic  # type: ignore[untyped-decorator]
    def read_(typingctx, array, index):  # type: ignore[no-untyped-def]
        _check_contiguous(array)
        signature = array.dtype(array, types.intp)

        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            kind = signature.args[0]
            pointer = _place(context, builder, kind, *args)
            loaded = builder.load(pointer)
            _tag(builder, loaded, scope)
            model = context.data_model_manager[kind.dtype]
            return model.from_data(builder, loaded)

        return signature, codegen

    return read_


def _store(context, builder, kind, args, scope):  # type: ignore[no-untyped-def]
    pointer = _place(context, builder, kind, args[0], args[1])
    model = context.data_model_manager[kind.dtype]
    _tag(builder, builder.store(model.as_data(builder, args[2]), pointer), scope)
    return context.get_dummy_value()


@intrinsic  # type: ignore[untyped-decorator]
def _poke(typingctx, array, index, value):  # type: ignore[no-untyped-def]
    _check_contiguous(array)
    signature = types.void(array, types.intp, array.dtype)

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return _store(context, builder, signature.args[0], args, "scratch")

    return signature, codegen


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def _write(typingctx, array, index, value, slot):  # type: ignore[no-untyped-def]
    _check_contiguous(array)
    signature = types.void(array, types.intp, array.dtype, slot)
    scope = f"out{min(slot.literal_value, OUTS - 1)}"

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return _store(context, builder, signature.args[0], args, scope)

    return signature, codegen


def _prefetcher(writes):  # type: ignore[no-untyped-def]
    @intrinsic  # type: ignore[untyped-decorator]
    def prefetch_(typingctx, array, index):  # type: ignore[no-untyped-def]
        _check_contiguous(array)
        signature = types.void(array, types.intp)

        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            view = context.make_array(signature.args[0])(context, builder, args[0])
            pointer = builder.gep(view.data, [args[1]])  # may be past the end
            byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
            name = "llvm.prefetch.p0"
            fetch = cgutils.get_or_insert_function(builder.module, kind, name)
            write, keep, data = word(int(writes)), word(3), word(1)
            builder.call(fetch, [builder.bitcast(pointer, byte), write, keep, data])
            return context.get_dummy_value()

        return signature, codegen

    return prefetch_


@intrinsic  # type: ignore[untyped-decorator]
def _look(typingctx, array, index):  # type: ignore[no-untyped-def]
    _check_contiguous(array)
    signature = array.dtype(array, types.intp)

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = _place(context, builder, signature.args[0], *args)
        return builder.load_atomic(pointer, "acquire", 8)

    return signature, codegen


@intrinsic  # type: ignore[untyped-decorator]
def _announce(typingctx, array, index, value):  # type: ignore[no-untyped-def]
    _check_contiguous(array)
    signature = types.void(array, types.intp, array.dtype)

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = _place(context, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], pointer, "release", 8)
        return context.get_dummy_value()

    return signature, codegen


def _bit_counter(name):  # type: ignore[no-untyped-def]
    """LLVM's count of zeros, which is one instruction; a word must not be zero."""

    @intrinsic  # type: ignore[untyped-decorator]
    def count_(typingctx, word):  # type: ignore[no-untyped-def]
        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            wide = (
                builder.sext(args[0], ir.IntType(64))
                if (args[0].type.width < 64)
                else args[0]
            )
            return getattr(builder, name)(wide, ir.Constant(ir.IntType(1), 1))

        return types.int64(word), codegen

    return count_


lowest_bit = _bit_counter("cttz")
_leading_zeros = _bit_counter("ctlz")


@part(forceinline=True)
def highest_bit(word):  # type: ignore[no-untyped-def]
    """The place of the highest set bit of a positive whole number."""
    return 63 - _leading_zeros(word)


peek = _reader("scratch")
read = _reader("source")
poke, write = _poke, _write
prefetch, prefetch_read = _prefetcher(True), _prefetcher(False)
look, announce = _look, _announce


@part(forceinline=True)
def select(condition, a, b):  # type: ignore[no-untyped-def]
    """`a` if the condition holds, else `b`."""
    return a if condition else b


@intrinsic  # type: ignore[untyped-decorator]
def _multiply_add(typingctx, a, b, c):  # type: ignore[no-untyped-def]
    """`a * b + c`, rounded once."""
    word = types.float64

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.fma(*args)

    return word(word, word, word), codegen


@part(forceinline=True)
def divide(x, n):  # type: ignore[no-untyped-def]
    """`x / n`."""
    return x / n


@part(forceinline=True, error_model="numpy")
def _divide_by_reciprocal(x, n):  # type: ignore[no-untyped-def]
    total, divisor = np.float64(x), np.float64(n)
    reciprocal = 1.0 / divisor
    first = total * reciprocal
    rest = _multiply_add(-divisor, first, total)
    quotient = _multiply_add(rest, reciprocal, first)
    rest = _multiply_add(-divisor, quotient, total)
    quotient = _multiply_add(rest, reciprocal, quotient)
    size = abs(total)
    return quotient if (size > SMALLEST) & (size < np.inf) else first


SMALLEST = 2.0**-960  # of which remainders are exact, for divisors up to 2**53
_HAS_FMA = platform.machine() in ("aarch64", "arm64") or bool(
    llvmlite.binding.get_host_cpu_features().get("fma")
)
divide_evenly = _divide_by_reciprocal if _HAS_FMA else divide

__all__ = [
    "announce",
    "divide",
    "divide_evenly",
    "highest_bit",
    "look",
    "lowest_bit",
    "peek",
    "poke",
    "prefetch",
    "prefetch_read",
    "read",
    "select",
    "write",
]
