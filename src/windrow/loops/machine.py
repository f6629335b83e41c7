"""Gives numba's functions a cache of machine code that travels (imports numba).

Numba's own cache goes by the time at which a source file was written, has one index for
all machines, and checks neither numpy nor llvmlite.  Here a compiled function is one
file, named by what it was made from and for (`cache.py`).
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import zlib
from functools import cache
from types import ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from .cache import code_name, read_code, write_code


@cache
def platform() -> dict[str, str]:
    """What machine code depends on, beside the kernel and the types."""
    target, processor, features = cpu_target.target_context.codegen().magic_tuple()
    return {
        "python": sys.implementation.cache_tag or "",
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__,
        "system": str(target),
        "processor": str(processor),
        "features": hashlib.sha256(str(features).encode()).hexdigest()[:16],
    }


class CodeCache(NullCache):  # type: ignore[misc]
    """The machine code of one entry of a kernel, for any types."""

    def __init__(self, entry: str) -> None:
        self.entry = entry

    def name(self, types: tuple[Any, ...]) -> str:
        """The file of the machine code for arguments of those types."""
        return code_name(self.entry, str(types), platform())

    def load_overload(self, types: tuple[Any, ...], context: Any) -> Any:
        """The compiled function, if it is there; numba asks before it compiles."""
        context.refresh()
        payload = read_code(self.name(types), platform())
        if payload is None:
            return None
        parts = pickle.loads(zlib.decompress(payload))  # noqa: S301
        return CompileResult._rebuild(context, *parts)

    def save_overload(self, types: tuple[Any, ...], result: Any) -> None:
        """Keep a compiled function, unless it holds addresses of this process."""
        if not result.library.has_dynamic_globals and not result.lifted:
            payload = zlib.compress(dumps(result._reduce()), 1)
            write_code(self.name(types), payload, platform())


def attach_caches(module: ModuleType, name: str) -> None:
    """Give the functions of a kernel that Python calls their caches."""
    for entry, function in vars(module).items():
        is_ours = getattr(function, "__module__", None) == module.__name__
        if is_ours and isinstance(function, Dispatcher):
            options: Any = function.targetoptions
            if not options.get("no_cpython_wrapper"):
                vars(function)["_cache"] = CodeCache(f"{name}.{entry}")


def load_code(function: Any, types: tuple[Any, ...]) -> bool:
    """Load a function for arguments of those types; whether its machine code is there.

    It is never compiled here.
    """
    with global_compiler_lock:
        if types in function.overloads:
            return True
        context = function.targetctx
        result = function._cache.load_overload(types, context)
        if result is None:
            return False
        parts = result.entry_point, result.fndesc, [result.library]
        context.insert_user_function(*parts)
        function.add_overload(result)
        return True
