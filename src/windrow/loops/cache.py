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
import os
import stat
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from windrow.errors import CacheWarning

if TYPE_CHECKING:
    from hashlib import sha256
else:  # hashlib loads OpenSSL, 5 ms; the standard library's `random` does the same
    try:
        from _sha2 import sha256
    except ImportError:  # before Python 3.12
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256

MAGIC = b"windrow machine code 1\n"
Platform = Mapping[str, str]

_received: dict[str, bytes] = {}
_complaints: set[str] = set()


def digest(data: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal digits."""
    return str(sha256(data).hexdigest())


def cache_folder() -> str | None:
    """The folder of kernels; None if there is none that can be trusted.

    A new one is of mode 0700.  It may be read-only: what is in it is used.
    """
    path = os.environ.get("WINDROW_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = os.path.expanduser(path or f"{base}/windrow/kernels")
    try:
        if folder.startswith("~"):
            raise OSError("there is no home folder")  # noqa: TRY301 - one message
        _make_folder(folder)
        is_trusted = _is_trusted(folder)
    except OSError as error:  # no home, no room, no right
        _complain(f"the folder of kernels cannot be used: {error}")
        return None
    if not is_trusted:
        _complain(f"the folder of kernels is not used: others may write to {folder}")
    return folder if is_trusted else None


def _make_folder(folder: str) -> None:
    """Make a folder that is its user's own, and those above it as they are made."""
    if not os.path.isdir(folder):
        above = os.path.dirname(folder)
        if above:
            os.makedirs(above, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        os.listdir(folder)  # what is there may be no folder


def _is_trusted(folder: str) -> bool:
    """Whether only this user, or whoever installed this machine, can write there."""
    if not hasattr(os, "getuid"):
        return True
    info = os.stat(folder)
    return info.st_uid in (os.getuid(), 0) and not stat.S_IMODE(info.st_mode) & 0o022


def kernel_name(content: str) -> str:
    """The name of a kernel with that content."""
    return f"kernel_{digest(content.encode())[:32]}"


def code_name(entry: str, types: str, platform: Platform) -> str:
    """The name of the machine code of `kernel.entry` for arguments of those types."""
    return f"{entry}-{_digest(types)}-{_digest(_dumps(platform))}.code"


def _digest(text: str) -> str:
    return digest(text.encode())[:16]


def _dumps(facts: Any) -> str:
    import json  # noqa: PLC0415 - no first call needs it

    return json.dumps(facts)


def _loads(text: bytes) -> Any:
    import json  # noqa: PLC0415 - no first call needs it

    return json.loads(text)


def has_code(entry: str = "") -> bool:
    """Whether there is machine code of `kernel.entry`, or of any, somewhere."""
    begin = f"{entry}-" if entry else ""
    if any(name.startswith(begin) for name in _received):
        return True
    return any(name.startswith(begin) for name in _code_files())


def _code_files() -> list[str]:
    folder = cache_folder()
    with contextlib.suppress(OSError):  # it may vanish at any time
        if folder is not None:
            return [name for name in os.listdir(folder) if name.endswith(".code")]
    return []


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
        facts = _loads(head) if magic + b"\n" == MAGIC else {}
    except ValueError:
        facts = {}
    if facts == {"name": name, "sha256": digest(payload), "platform": platform}:
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
            return _read(f"{folder}/{name}")
    return None


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _look_for_others(name: str, platform: Platform) -> None:
    """Complain if there is machine code of the kernel for another machine only."""
    prefix = name.rpartition("-")[0] + "-"
    others = [o for o in [*_received, *_code_files()] if o.startswith(prefix)]
    for other in others:
        head = (read_file(other) or b"").split(b"\n", 2)[1:2]
        with contextlib.suppress(ValueError, KeyError, IndexError, AttributeError):
            theirs = _loads(head[0])["platform"]
            differences = [
                f"{what} {theirs.get(what)} and not {platform[what]}"
                for what in platform
                if theirs.get(what) != platform[what]
            ]
            _complain(f"machine code is not used: it is for {'; '.join(differences)}")


def write_code(name: str, payload: bytes, platform: Platform) -> None:
    """Keep machine code; where that fails, this process has it and others do not."""
    facts = {"name": name, "sha256": digest(payload), "platform": platform}
    _write(name, MAGIC + _dumps(facts).encode() + b"\n" + payload)


def write_source(content: str) -> str | None:
    """Write a kernel's source for people to read; return the path if it is there."""
    folder = cache_folder()
    if folder is None:
        return None
    name = f"{kernel_name(content)}.py"
    path = f"{folder}/{name}"
    with contextlib.suppress(OSError):
        if _read(path) == content.encode():
            return path
    return path if _write(name, content.encode()) else None


def _write(name: str, data: bytes) -> bool:
    """Write a file whole or not at all, that all may read who may enter the folder."""
    folder = cache_folder()
    if folder is None:
        return False
    temporary = f"{folder}/{name}.{os.urandom(8).hex()}.tmp"
    try:
        _write_bytes(temporary, data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, f"{folder}/{name}")
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        _complain(f"compiled kernels are not kept in {folder}: {error.strerror}")
        return False
    return True


def _write_bytes(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


def _complain(message: str) -> None:
    """Warn, once in a process."""
    if message not in _complaints:
        _complaints.add(message)
        hint = "name a folder of your own in WINDROW_CACHE_DIR, or run windrow doctor"
        warnings.warn(f"{message}\nHint: {hint}", CacheWarning, stacklevel=2)
