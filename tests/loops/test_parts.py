"""Parts of a kernel: linked into their callers, and never machine code themselves."""

import numba
import numpy as np
import pytest
from numba.core.registry import cpu_target

from windrow.loops.parts import njit

OPTIONS = {"error_model": "numpy", "nogil": True}
PART = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


@njit(**PART)
def halved(value):
    if value < 0:
        raise ValueError("a negative value")
    return value / 2


@njit(**PART, forceinline=True)
def largest(values):
    found = -np.inf
    for value in values:
        found = max(found, halved(value))
    return found


@njit(**OPTIONS)
def entry(values):
    return largest(values) + halved(1.0)


def emitted(function):
    """Whether the engine has machine code under the function's own name."""
    (result,) = function.overloads.values()
    engine = cpu_target.target_context.codegen()._engine
    return engine.is_symbol_defined(result.fndesc.mangled_name)


def test_parts_are_run_by_their_callers():
    answers = [entry(np.array(values)) for values in ([4.0, 8.0, 6.0], [])]

    assert answers == [4.5, -np.inf]


def test_a_part_alone_is_never_emitted_as_numba_does_it():
    def doubled(value):
        return value + value

    part, usual = njit(**PART)(doubled), numba.njit(**PART)(doubled)
    for one in (part, usual):
        one.compile((numba.float64,))

    assert (emitted(part), emitted(usual)) == (False, True)


def test_what_a_part_raises_reaches_python_with_its_message():
    with pytest.raises(ValueError, match="a negative value"):
        entry(np.array([1.0, -1.0]))
