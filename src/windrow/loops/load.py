"""Turns the text of a kernel into a module, in one of three lanes.

    compiled      machine code, from a cache or made now (`machine.py`)
    interpreted   plain Python, one place at a time: users' functions that cannot be
                  compiled, and tests
    columns       plain Python, whole columns at a time

In the last two, lifted functions keep the files and lines that they come from.  Only
the first imports numba.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any

from .cache import digest, kernel_name, write_source
from .text import GENERATED, Block, Text

_IMPORTS = """\
import math

import numpy as np
"""


def _read_memory() -> bytes:
    with open(f"{os.path.dirname(__file__)}/memory.py", "rb") as file:
        return file.read()


# Machine code has `memory.py` compiled in: its hash makes old code a different file.
_MEMORY = digest(_read_memory())[:16]

_COMPILED = f"""\
# memory {_MEMORY}
{_IMPORTS}\
from math import frexp, ldexp

from numpy import exp, log, sqrt

from windrow.loops.parts import njit
from windrow.loops.memory import announce, divide, divide_evenly, highest_bit, look
from windrow.loops.memory import lowest_bit, peek, poke, prefetch, prefetch_read, read
from windrow.loops.memory import select, write

"""

_INTERPRETED = f"""\
{_IMPORTS}
from windrow.loops.plain import (
    divide, divide_evenly, exp, frexp, highest_bit, ldexp, log, lowest_bit, njit, peek,
    poke, prefetch, prefetch_read, select, sqrt, write
)

read = look = peek
announce = poke
"""

_COLUMNS = f"""\
{_IMPORTS}\
from numpy import exp, frexp, ldexp, log, sqrt

from windrow.loops.columns import (
    choose, divide, ordinals, places, poke, read, select, write
)

peek = read
"""

_interpreted = False
_one_by_one = threading.Lock()  # of threads whose users' functions fail


@contextlib.contextmanager
def interpreting() -> Iterator[None]:
    """Run all kernels as plain Python in this context, for tests."""
    global _interpreted
    before, _interpreted = _interpreted, True
    try:
        yield
    finally:
        _interpreted = before


def is_interpreting() -> bool:
    """Whether kernels run as plain Python here."""
    return _interpreted or os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def run_with_user_lines(has_users: bool, call: Callable[[], None]) -> None:
    """Run a kernel; if a user's function fails in it, fail with the line of the user.

    Machine code knows the line of a `raise` but not that of a failing look-up, so the
    call is made again as plain Python.  `call` looks its kernel up each time.
    """
    try:
        call()
    except Exception:
        if not has_users or is_interpreting():
            raise
        with _one_by_one, interpreting():
            call()
        raise


def kernel(
    text: Text | str,
    users: Mapping[str, Any] | None = None,
    *,
    interpreted: bool = False,
) -> ModuleType:
    """The module of a text, with the users' functions in its namespace.

    It is compiled, unless the text is over whole columns or runs interpreted.
    """
    columns = isinstance(text, Text) and text.columns
    if interpreted or columns or is_interpreting():
        blocks = text.blocks if isinstance(text, Text) else [Block(text)]
        return _plain_module(blocks, users or {}, columns)
    source = text.render() if isinstance(text, Text) else text
    return _in_memory(source, users) if users else _cached(source)


def compiled_content(text: str) -> str:
    """The whole source of a compiled kernel with that text."""
    return f"{_COMPILED}{text}"


@lru_cache(maxsize=1024)
def _cached(text: str) -> ModuleType:
    """The module of a text, of which compiled functions are loaded where they can be.

    Numba looks it up by its name when it loads one.
    """
    from .machine import attach_caches  # noqa: PLC0415 - imports numba

    content = compiled_content(text)
    name = kernel_name(content)
    module = ModuleType(f"windrow_kernels.{name}")
    sys.modules[module.__name__] = module
    file = write_source(content)
    code = compile(content, GENERATED if file is None else str(file), "exec")
    exec(code, module.__dict__)  # noqa: S102
    attach_caches(module, name)
    return module


def _in_memory(text: str, users: Mapping[str, Any]) -> ModuleType:
    module = ModuleType("windrow_kernels.in_memory")
    module.__dict__.update(users)
    code = compile(compiled_content(text), GENERATED, "exec")
    exec(code, module.__dict__)  # noqa: S102
    return module


def _plain_module(
    blocks: list[Block], users: Mapping[str, Any], columns: bool
) -> ModuleType:
    """A module of plain Python, over places or whole columns."""
    module = ModuleType("windrow_kernels.plain")
    module.__dict__.update(users)
    exec(_COLUMNS if columns else _INTERPRETED, module.__dict__)  # noqa: S102
    for block in blocks:
        exec(block.plain_code(columns=columns), module.__dict__)  # noqa: S102
    return module
