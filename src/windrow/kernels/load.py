"""Compiles or interprets the source of kernels, with a cache on disk.

Each kernel is a real file, named by the hash of its content, in a folder that
belongs to the user alone (`WINDROW_CACHE_DIR`, else the user's cache folder).
Numba keeps its machine code beside it, so a second process loads in well under a
second.  A file whose content does not match its name is not imported.  Where no
folder can be written, kernels are compiled in memory; nothing else changes.

    kernel(text)                     compiled, cached on disk
    kernel(text, interpreted=True)   plain Python, for users' functions that cannot
                                     be compiled, and for tests; functions keep the
                                     files and lines that they were lifted from
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import inspect
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pyarrow as pa

from . import memory
from .text import GENERATED, Block, Text

LARGE = 1 << 20  # bytes

# Machine code has `memory.py` compiled in: its hash makes old code a different file.
_MEMORY = hashlib.sha256(inspect.getsource(memory).encode()).hexdigest()[:16]

_HEADER = """\
# memory {memory}
import math

import numpy as np
from numba import njit

from windrow.kernels.memory import peek, poke, prefetch, read, write

CACHE = {cache}
"""

_PLAIN_HEADER = """\
import math

import numpy as np

from windrow.kernels.memory import plain_jit as njit, plain_prefetch as prefetch
from windrow.kernels.memory import plain_peek as peek, plain_peek as read
from windrow.kernels.memory import plain_poke as poke, plain_poke as write

CACHE = False
"""

_interpreted = False


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
    return _interpreted or bool(numba.config.DISABLE_JIT)


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
        with interpreting():
            call()
        raise


def kernel(
    text: Text | str,
    users: Mapping[str, Any] | None = None,
    *,
    interpreted: bool = False,
) -> ModuleType:
    """The module of a text, with the users' functions in its namespace.

    Only modules without users' functions are cached here.
    """
    if interpreted or is_interpreting():
        blocks = text.blocks if isinstance(text, Text) else [Block(text)]
        return _interpreted_module(blocks, users or {})
    source = text.render() if isinstance(text, Text) else text
    return _in_memory(source, users) if users else _cached(source)


@lru_cache(maxsize=512)
def _cached(text: str) -> ModuleType:
    folder = cache_folder()
    if folder is not None:
        try:
            return _import(_write(folder, _header(cache=True) + text))
        except OSError:  # a full disk, a read-only folder: compile in memory, go on
            pass
    return _in_memory(text, {})


def _header(*, cache: bool) -> str:
    return _HEADER.format(memory=_MEMORY, cache=cache)


def cache_folder() -> Path | None:
    """The folder of kernels, of mode 0700; None if it cannot be made."""
    path = os.environ.get("WINDROW_CACHE_DIR")
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        folder = (Path(path) if path else base / "windrow" / "kernels").expanduser()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        usable = _is_ours(folder) and os.access(folder, os.W_OK)
    except (OSError, RuntimeError):  # no home, no room, no right
        return None
    return folder if usable else None


def _is_ours(folder: Path) -> bool:
    if not hasattr(os, "getuid"):
        return True
    info = folder.stat()
    return info.st_uid == os.getuid() and not stat.S_IMODE(info.st_mode) & 0o022


def _write(folder: Path, content: str) -> Path:
    """Write the content to its file, whole or not at all; return the path."""
    data = content.encode()
    path = folder / f"kernel_{hashlib.sha256(data).hexdigest()[:32]}.py"
    with contextlib.suppress(OSError):
        if path.read_bytes() == data:
            return path
    handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return path


def _import(path: Path) -> ModuleType:
    name = f"windrow_kernels.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except RuntimeError as error:  # numba found no place for its machine code
        raise OSError(str(error)) from error
    sys.modules[name] = module  # numba looks functions up by module when it loads them
    return module


def _in_memory(text: str, users: Mapping[str, Any]) -> ModuleType:
    module = ModuleType("windrow_kernels.in_memory")
    module.__dict__.update(users)
    code = compile(_header(cache=False) + text, GENERATED, "exec")
    exec(code, module.__dict__)  # noqa: S102
    return module


def _interpreted_module(blocks: list[Block], users: Mapping[str, Any]) -> ModuleType:
    """A module of plain Python, in which lifted blocks keep their files and lines."""
    module = ModuleType("windrow_kernels.interpreted")
    module.__dict__.update(users)
    exec(_PLAIN_HEADER, module.__dict__)  # noqa: S102
    for block in blocks:
        exec(block.plain_code(), module.__dict__)  # noqa: S102
    return module


def arrays(dtypes: tuple[str, ...], n: int) -> tuple[np.ndarray[Any, Any], ...]:
    """One uninitialised array per dtype.

    Large ones come from Arrow's memory pool, which keeps freed pages for the next call;
    numpy returns them, and the operating system then zeroes each page again before it
    is written (64 MB: 9.0 -> 5.9 ms for one pass that reads and writes).
    """
    return tuple(_array(np.dtype(dtype), n) for dtype in dtypes)


def _array(dtype: np.dtype[Any], n: int) -> np.ndarray[Any, Any]:
    size = n * dtype.itemsize
    pool = pa.default_memory_pool()
    # the other pools ask for small pages: five times slower than numpy on first use
    if size < LARGE or dtype.hasobject or pool.backend_name != "mimalloc":
        return np.empty(n, dtype)
    return np.frombuffer(pa.allocate_buffer(size, pool), dtype)
