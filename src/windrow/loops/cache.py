"""Keeps the source of kernels in files named by the hash of their content.

    ~/.cache/windrow/kernels/kernel_<hash>.py        (or WINDROW_CACHE_DIR)
               __pycache__/  kernel_<hash>.run-9.py312.nbi, .nbc     machine code

The folder belongs to the user alone, and a file whose content does not match its name
is not imported.  Numba writes machine code beside it, so that a second process loads in
well under a second.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from pathlib import Path


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


def kernel_path(folder: Path, content: str) -> Path:
    """The file of a kernel with that content."""
    return folder / f"kernel_{hashlib.sha256(content.encode()).hexdigest()[:32]}.py"


def has_machine_code(content: str, entry: str = "run") -> bool:
    """Whether some process has compiled an entry of that kernel, for some types."""
    folder = cache_folder()
    if folder is None:
        return False
    stem = kernel_path(folder, content).stem
    return any(folder.glob(f"__pycache__/{stem}.{entry}-*.nbi"))


def write_kernel(folder: Path, content: str) -> Path:
    """Write the content to its file, whole or not at all; return the path."""
    data = content.encode()
    path = kernel_path(folder, content)
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
