"""Loops that are the same for every query: compiled once, cached where that can be.

Numba keeps machine code beside the module or in the user's cache folder.  Where it
may write to neither (a read-only home on an executor, say) asking for a cache is an
error at import: such a loop is then compiled anew in each process, and nothing else
changes.
"""

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Any:
    """A plain loop as machine code, without the interpreter's lock."""
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no locator available for its cache
        return numba.njit(nogil=True)(function)
