"""Gives kernel functions their words where they run as plain Python.

Numbers are read as Python's own, so that an overflow is an infinity and not a warning.
"""

import math
from math import frexp
from typing import Any

import numpy as np

from .columns import highest_bit, lowest_bit


def log(value: float) -> float:
    """The logarithm, as numpy's: -inf of 0, NaN of what is less."""
    if value > 0.0:
        return math.log(value)
    return -math.inf if value == 0.0 else math.nan


def exp(value: float) -> float:
    """The exponential, as numpy's: infinite where it is too large."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def sqrt(value: float) -> float:
    """The root, as numpy's: NaN of what is less than 0."""
    return math.nan if value < 0.0 else math.sqrt(value)


def ldexp(value: float, exponent: int) -> float:
    """`value` times two to the power of `exponent`; infinite where it is too large."""
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return math.copysign(math.inf, value)


def peek(array: Any, index: int) -> Any:
    """The element at `index`, as a Python number."""
    value = array[index]
    return value.item() if isinstance(value, np.generic) else value


def write(array: Any, index: int, value: Any, slot: int) -> None:  # noqa: ARG001
    """Put `value` at `index` of result array number `slot`."""
    array[index] = value


def poke(array: Any, index: int, value: Any) -> None:
    """Put `value` at `index`."""
    array[index] = value


def prefetch(array: Any, index: int) -> None:
    """Do nothing: memory is fetched when it is used."""


prefetch_read = prefetch


def select(condition: Any, a: Any, b: Any) -> Any:
    """`a` if the condition holds, else `b`."""
    return a if condition else b


def divide(x: Any, n: Any) -> Any:
    """`x / n`."""
    return x / n


divide_evenly = divide


def njit(*_: Any, **__: Any) -> Any:
    """Leave a function as it is, where `numba.njit` would compile it."""
    return lambda function: function


__all__ = [
    "divide",
    "divide_evenly",
    "exp",
    "frexp",
    "highest_bit",
    "ldexp",
    "log",
    "lowest_bit",
    "njit",
    "peek",
    "poke",
    "prefetch",
    "prefetch_read",
    "select",
    "sqrt",
    "write",
]
