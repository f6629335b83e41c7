"""Checks the machine for `windrow doctor`: one function and one result a subject."""

from __future__ import annotations

import enum
import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numba

import windrow
from windrow.errors import WindrowError
from windrow.kernels.load import cache_folder

from ._machine import find_java, memory

OLDEST_PYTHON = (3, 11)
_PATIENCE = 120  # seconds for another Python to import windrow
_GIGABYTE = 1 << 30
_PIP = f"run {sys.executable} -m pip install"
_CONNECT = {
    "grpc": "grpcio",
    "grpc_status": "grpcio-status",
    "google.rpc": "googleapis-common-protos",
    "zstandard": "zstandard",
}


class CheckState(enum.StrEnum):
    """How bad a result is."""

    OK = "ok"
    WARNING = "warning"
    WRONG = "wrong"


OK, WARNING, WRONG = CheckState


@dataclass(frozen=True)
class CheckResult:
    """What was found, and if it is not well, what mends it."""

    state: CheckState
    subject: str
    words: str
    mend: str = ""


def run_checks() -> Iterator[CheckResult]:
    """Check all that can be checked without starting Spark."""
    yield _python()
    yield _java()
    yield _package("pyspark", (4, 1), None, "'windrow[spark]'")
    yield _package("pandas", (2, 2), (3,), "'pandas>=2.2,<3'")
    yield _package("pyarrow", (18,), None, "'pyarrow>=18'")
    yield _numba()
    yield _cache()
    yield _workers()
    yield _connect()
    yield _memory()


def _python() -> CheckResult:
    words = f"{platform.python_version()}, {sys.executable}"
    if sys.version_info < OLDEST_PYTHON:
        return CheckResult(
            WRONG, "Python", f"{words}: 3.11 or later is needed", "install one"
        )
    return CheckResult(OK, "Python", words)


def _java() -> CheckResult:
    try:
        java = find_java()
    except WindrowError as error:
        words, _, hint = str(error).partition("\n")
        return CheckResult(WRONG, "Java", words, hint.removeprefix("Hint: "))
    return CheckResult(
        OK, "Java", f"{java.version}, {java.path} (from {java.found_by})"
    )


def _package(
    name: str, least: tuple[int, ...], below: tuple[int, ...] | None, wanted: str
) -> CheckResult:
    mend = f"{_PIP} {wanted}"
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return CheckResult(WRONG, name, "is not installed", mend)
    numbers = tuple(map(int, re.findall(r"\d+", version)[:3]))
    if numbers < least:
        words = f"{version}: {_dotted(least)} or later is needed"
        return CheckResult(WRONG, name, words, mend)
    if below is not None and numbers >= below:
        words = f"{version}: PySpark needs one before {_dotted(below)}"
        return CheckResult(WRONG, name, words, mend)
    return CheckResult(OK, name, version)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _numba() -> CheckResult:
    version = numba.__version__
    if numba.config.DISABLE_JIT:
        words = (
            f"{version}, switched off by NUMBA_DISABLE_JIT: all is many times slower"
        )
        return CheckResult(WARNING, "numba", words, "run unset NUMBA_DISABLE_JIT")
    try:
        answer = numba.njit(lambda value: value + 1)(1)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
        words = f"{version} cannot compile: {str(error).strip().partition(chr(10))[0]}"
        mend = f"{_PIP} --force-reinstall numba llvmlite"
        return CheckResult(WRONG, "numba", words, mend)
    assert answer == 2
    return CheckResult(OK, "numba", f"{version}, compiles")


def _cache() -> CheckResult:
    folder = cache_folder()
    named = os.environ.get("WINDROW_CACHE_DIR")
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    wanted = Path(named) if named else base / "windrow" / "kernels"
    if folder is not None:
        mode = stat.S_IMODE(folder.stat().st_mode)
        return CheckResult(OK, "cache", f"{folder}, writable, mode {mode:04o}")
    words = f"{wanted} cannot be used, so that every process compiles its kernels anew"
    return CheckResult(WARNING, "cache", words, _mend_cache(wanted))


def _mend_cache(wanted: Path) -> str:
    try:
        folder = wanted.expanduser()
        if folder.is_dir() and folder.stat().st_uid == os.getuid():
            return f"run chmod 700 {folder}"
    except (AttributeError, OSError, RuntimeError):  # no home, or not a Unix
        pass
    return "run export WINDROW_CACHE_DIR=/a/folder/of/your/own"


def _workers() -> CheckResult:
    """Whether Spark's workers would run a Python like this one."""
    named = os.environ.get("PYSPARK_PYTHON")
    python = named or "python3"
    source = f"PYSPARK_PYTHON is {python}" if named else "PYSPARK_PYTHON is not set"
    mend = f"run export PYSPARK_PYTHON={sys.executable}"
    trouble = _trouble_with(python)
    if not trouble:
        tail = "" if named else f", and {shutil.which(python)} will do"
        return CheckResult(OK, "workers", f"{source}{tail}")
    if named:
        return CheckResult(WRONG, "workers", f"{source}: {trouble}", mend)
    words = (
        f"{source}: the windrow command sets it by itself; your own programs "
        f"would get {shutil.which(python) or python}: {trouble}"
    )
    return CheckResult(WARNING, "workers", words, mend)


def _trouble_with(python: str) -> str:
    """Why workers on that Python would fail; nothing if they would not."""
    code = (
        "import sys; print(sys.version_info[0], sys.version_info[1], sep='.');"
        "import windrow, pyspark; print(windrow.__version__)"
    )
    try:
        answer = subprocess.run(  # noqa: S603 - it is what Spark itself would run
            [python, "-c", code],
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE,
        )
    except FileNotFoundError:
        return "there is no such program"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"it does not run ({error})"
    versions = answer.stdout.split()
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if versions and versions[0] != here:
        return f"it is Python {versions[0]}, and workers must be {here} as here"
    if answer.returncode:
        last = answer.stderr.strip().splitlines() or [f"exit code {answer.returncode}"]
        return f"it lacks what workers import ({last[-1]})"
    if versions[1] != windrow.__version__:
        return f"it has windrow {versions[1]}, not {windrow.__version__} as here"
    return ""


def _connect() -> CheckResult:
    missing = [package for name, package in _CONNECT.items() if not _is_there(name)]
    if missing:
        words = f"not installed: {', '.join(missing)} (optional, for Spark Connect)"
        mend = f"{_PIP} 'windrow[connect]'"
        return CheckResult(WARNING, "connect", words, mend)
    return CheckResult(OK, "connect", "all packages for Spark Connect are there")


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # not even the package around it
        return False


def _memory() -> CheckResult:
    size = memory()
    if size is None:
        return CheckResult(OK, "memory", "this system does not tell how much")
    words = f"{size / _GIGABYTE:.1f} GB"
    if size < 2 * _GIGABYTE:
        words += ": little for a JVM and its Python workers"
        mend = "use --conf spark.driver.memory=512m, or a larger machine"
        return CheckResult(WARNING, "memory", words, mend)
    return CheckResult(OK, "memory", words)
