"""Keeps kernels in files: their source, and the machine code that was made of it.

    ~/.cache/windrow/kernels/                                  (or WINDROW_CACHE_DIR)
        kernel_<content>.py                            the source, for people to read
        kernel_<content>.<entry>-<types>-<platform>.code       machine code

Names are hashes, and all that is read is held against them: time stamps say nothing, so
that a folder can be copied, baked into an image, or sent with a job.  A file of machine
code says what it is before its payload, and the payload, which numba will unpickle, is
read only if all of that fits:

    windrow machine code 1
    {"name": ..., "sha256": ..., "platform": {"python": ..., "processor": ...}}
    <payload>

It comes from a folder that nobody else can write to, or from the driver of a Spark job
within the task itself (`receive`).  Where a folder is of no use, one warning says why,
and kernels run without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import warnings
from collections.abc import Mapping
from pathlib import Path

from windrow.errors import CacheWarning

MAGIC = b"windrow machine code 1\n"
Platform = Mapping[str, str]

_received: dict[str, bytes] = {}
_complaints: set[str] = set()


def cache_folder() -> Path | None:
    """The folder of kernels; None if there is none that can be trusted.

    A new one is of mode 0700.  It may be read-only: what is in it is used.
    """
    path = os.environ.get("WINDROW_CACHE_DIR")
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        folder = (Path(path) if path else base / "windrow" / "kernels").expanduser()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_trusted = _is_trusted(folder)
    except (OSError, RuntimeError) as error:  # no home, no room, no right
        _complain(f"the folder of kernels cannot be used: {error}")
        return None
    if not is_trusted:
        _complain(f"the folder of kernels is not used: others may write to {folder}")
    return folder if is_trusted else None


def _is_trusted(folder: Path) -> bool:
    """Whether only this user, or whoever installed this machine, can write there."""
    if not hasattr(os, "getuid"):
        return True
    info = folder.stat()
    return info.st_uid in (os.getuid(), 0) and not stat.S_IMODE(info.st_mode) & 0o022


def kernel_name(content: str) -> str:
    """The name of a kernel with that content."""
    return f"kernel_{hashlib.sha256(content.encode()).hexdigest()[:32]}"


def code_name(entry: str, types: str, platform: Platform) -> str:
    """The name of the machine code of `kernel.entry` for arguments of those types."""
    return f"{entry}-{_digest(types)}-{_digest(json.dumps(platform))}.code"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def has_code(entry: str = "") -> bool:
    """Whether there is machine code of `kernel.entry`, or of any, somewhere."""
    begin = f"{entry}-" if entry else ""
    if any(name.startswith(begin) for name in _received):
        return True
    folder = cache_folder()
    return folder is not None and any(folder.glob(f"{begin}*.code"))


def receive(code: Mapping[str, bytes]) -> bool:
    """Take in machine code that the driver of a job has sent; whether some is new."""
    is_new = not code.keys() <= _received.keys()
    _received.update(code)
    return is_new


def read_code(name: str, platform: Platform) -> bytes | None:
    """The payload under that name, if it is there, whole, and made for this machine."""
    data = read_file(name)
    if data is None:
        _look_for_others(name, platform)
        return None
    magic, _, rest = data.partition(b"\n")
    head, _, payload = rest.partition(b"\n")
    try:
        facts = json.loads(head) if magic + b"\n" == MAGIC else {}
    except ValueError:
        facts = {}
    sha256 = hashlib.sha256(payload).hexdigest()
    if facts == {"name": name, "sha256": sha256, "platform": platform}:
        return payload
    _complain(f"machine code is not used: the content of {name} is not what it says")
    return None


def read_file(name: str) -> bytes | None:
    """The whole file of that name: from the driver, or from the folder."""
    if name in _received:
        return _received[name]
    folder = cache_folder()
    with contextlib.suppress(OSError):  # it may vanish at any time
        if folder is not None:
            return (folder / name).read_bytes()
    return None


def _look_for_others(name: str, platform: Platform) -> None:
    """Complain if there is machine code of the kernel for another machine only."""
    folder, prefix = cache_folder(), name.rpartition("-")[0]
    others = [other for other in _received if other.startswith(prefix)]
    if folder is not None:
        others += [path.name for path in folder.glob(f"{prefix}-*.code")]
    for other in others:
        head = (read_file(other) or b"").split(b"\n", 2)[1:2]
        with contextlib.suppress(ValueError, KeyError, IndexError, AttributeError):
            theirs = json.loads(head[0])["platform"]
            differences = [
                f"{what} {theirs.get(what)} and not {platform[what]}"
                for what in platform
                if theirs.get(what) != platform[what]
            ]
            _complain(f"machine code is not used: it is for {'; '.join(differences)}")


def write_code(name: str, payload: bytes, platform: Platform) -> None:
    """Keep machine code; where that fails, this process has it and others do not."""
    sha256 = hashlib.sha256(payload).hexdigest()
    facts = {"name": name, "sha256": sha256, "platform": platform}
    _write(name, MAGIC + json.dumps(facts).encode() + b"\n" + payload)


def write_source(content: str) -> Path | None:
    """Write a kernel's source for people to read; return the path if it is there."""
    folder = cache_folder()
    if folder is None:
        return None
    path = folder / f"{kernel_name(content)}.py"
    with contextlib.suppress(OSError):
        if path.read_bytes() == content.encode():
            return path
    return path if _write(path.name, content.encode()) else None


def _write(name: str, data: bytes) -> bool:
    """Write a file whole or not at all, that all may read who may enter the folder."""
    folder = cache_folder()
    if folder is None:
        return False
    temporary = folder / f"{name}.{os.urandom(8).hex()}.tmp"
    try:
        temporary.write_bytes(data)
        temporary.chmod(0o644)
        temporary.replace(folder / name)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        _complain(f"compiled kernels are not kept in {folder}: {error.strerror}")
        return False
    return True


def _complain(message: str) -> None:
    """Warn, once in a process."""
    if message not in _complaints:
        _complaints.add(message)
        hint = "name a folder of your own in WINDROW_CACHE_DIR, or run windrow doctor"
        warnings.warn(f"{message}\nHint: {hint}", CacheWarning, stacklevel=2)
