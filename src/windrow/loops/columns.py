"""Runs kernel functions over whole columns, without a compiler.

A kernel is written for places: `leaf(source, i)` is the partial of row i.  Numpy reads
a slice or an array of places just as well, and then a partial is a tuple of columns:

    leaf(source, slice(0, n))        partials of n rows
    combine(older, newer)            n pairs, one numpy call for each operation
    emit(out, slice(0, n), partial)  n results

So the text of a kernel serves three lanes, which differ in what its words mean:

    compiled      machine code, one place at a time         `memory.py`
    interpreted   Python numbers, one place at a time       `plain.py`
    columns       numpy arrays, many places at once         here

The functions of built-in aggregates have no branches: they say
`select(condition, a, b)`, which is one value there and a column here.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def read(array: Any, places: Any) -> Any:
    """The numbers at those places."""
    return array[places]


def write(array: Any, places: Any, values: Any, slot: int) -> None:  # noqa: ARG001
    """Put the values at those places of result array number `slot`."""
    array[places] = values


def peek(array: Any, places: Any) -> Any:
    """The numbers at those places of scratch memory."""
    return array[places]


def poke(array: Any, places: Any, values: Any) -> None:
    """Put the values at those places of scratch memory."""
    array[places] = values


def places(i: Any) -> Any:
    """The numbers of those places."""
    return np.arange(i.start, i.stop) if isinstance(i, slice) else i


def ordinals(counts: Any) -> Any:
    """0, 1, ..., counts[k] - 1 for each k, one behind the other."""
    ends = np.cumsum(counts)
    numbers = np.repeat(counts - ends, counts)
    numbers += np.arange(len(numbers))
    return numbers


def select(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, `b` elsewhere."""
    return np.where(condition, a, b)


def divide(x: Any, n: Any) -> Any:
    """The quotients."""
    return x / n


def choose(condition: Any, partial: Any, other: Any) -> Any:
    """The fields of `partial` where the condition holds, of `other` elsewhere."""
    return tuple(np.where(condition, a, b) for a, b in zip(partial, other, strict=True))


def lowest_bit(word: Any) -> int:
    """The place of the lowest set bit of a positive whole number."""
    number = int(word)
    return (number & -number).bit_length() - 1


def highest_bit(word: Any) -> int:
    """The place of the highest set bit of a positive whole number."""
    return int(word).bit_length() - 1
