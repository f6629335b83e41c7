"""Checks the machine for `windrow doctor`: one function and one result a subject."""

from __future__ import annotations

import contextlib
import enum
import os
import platform
import shutil
import stat
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numba

import windrow
from windrow._back_ends import SPARK_PACKAGES, package_version, version_numbers
from windrow.errors import WindrowError
from windrow.loops import cache_folder

from ._machine import find_java, memory, run_program

_GIGABYTE = 1 << 30
_PIP = f"run {sys.executable} -m pip install"
_CONNECT = ("grpcio", "grpcio-status", "googleapis-common-protos", "zstandard")


CheckState = enum.StrEnum("CheckState", ["OK", "WARNING", "WRONG"])
"""How bad a result is."""

OK, WARNING, WRONG = CheckState


@dataclass(frozen=True)
class CheckResult:
    """What was found, and if it is not well, what mends it."""

    state: CheckState
    subject: str
    words: str
    mend: str = ""

    @classmethod
    def refused(cls, subject: str, error: WindrowError) -> CheckResult:
        """The error's sentence as a result, its hint as what mends it."""
        words, _, hint = str(error).partition("\nHint: ")
        return cls(WRONG, subject, words, hint)


def run_checks() -> Iterator[CheckResult]:
    """Check all that can be checked without starting Spark."""
    yield CheckResult(OK, "Python", f"{platform.python_version()}, {sys.executable}")
    yield _java()
    yield _package("pyspark", (3, 5), None, "'pywindrow[spark]'")
    yield _package("pandas", SPARK_PACKAGES["pandas"], (3,), "'pandas>=2.2,<3'")
    yield _package("pyarrow", SPARK_PACKAGES["pyarrow"], None, "'pyarrow>=18'")
    yield _numba()
    yield _cache()
    yield _workers()
    yield _connect()
    yield _memory()


def _java() -> CheckResult:
    try:
        java = find_java()
    except WindrowError as error:
        return CheckResult.refused("Java", error)
    words = f"{java.version}, {java.path} (from {java.found_by})"
    return CheckResult(OK, "Java", words)


def _package(
    name: str, least: tuple[int, ...], below: tuple[int, ...] | None, wanted: str
) -> CheckResult:
    version, mend = package_version(name), f"{_PIP} {wanted}"
    if version is None:
        return CheckResult(WRONG, name, "is not installed", mend)
    numbers = version_numbers(version)
    if numbers < least:
        needs = f"{_dotted(least)} or later is needed"
    elif below is not None and numbers >= below:
        needs = f"PySpark needs one before {_dotted(below)}"
    else:
        return CheckResult(OK, name, version)
    return CheckResult(WRONG, name, f"{version}: {needs}", mend)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _numba() -> CheckResult:
    version = numba.__version__
    if numba.config.DISABLE_JIT:
        words = "switched off by NUMBA_DISABLE_JIT: all is many times slower"
        mend = "run unset NUMBA_DISABLE_JIT"
        return CheckResult(WARNING, "numba", f"{version}, {words}", mend)
    try:
        answer = numba.njit(lambda value: value + 1)(1)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
        words = f"{version} cannot compile: {str(error).strip().partition(chr(10))[0]}"
        mend = f"{_PIP} --force-reinstall numba llvmlite"
        return CheckResult(WRONG, "numba", words, mend)
    assert answer == 2
    return CheckResult(OK, "numba", f"{version}, compiles")


def _cache() -> CheckResult:
    with warnings.catch_warnings(action="ignore"):  # said here in other words
        folder = cache_folder()
    if folder is not None:
        mode = stat.S_IMODE(Path(folder).stat().st_mode)
        use = "writable" if os.access(folder, os.W_OK) else "used, nothing is added"
        return CheckResult(OK, "cache", f"{folder}, {use}, mode {mode:04o}")
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    wanted = Path(os.environ.get("WINDROW_CACHE_DIR") or f"{base}/windrow/kernels")
    words = f"{wanted} cannot be used, so that every process compiles its kernels anew"
    return CheckResult(WARNING, "cache", words, _mend_cache(wanted))


def _mend_cache(wanted: Path) -> str:
    # There may be no home, or no Unix.
    with contextlib.suppress(AttributeError, OSError, RuntimeError):
        folder = wanted.expanduser()
        if folder.is_dir() and folder.stat().st_uid == os.getuid():
            return f"run chmod 700 {folder}"
    return "run export WINDROW_CACHE_DIR=/a/folder/of/your/own"


def _workers() -> CheckResult:
    """Whether Spark's workers would run a Python like this one."""
    named = os.environ.get("PYSPARK_PYTHON")
    python = named or "python3"
    source = f"PYSPARK_PYTHON is {python}" if named else "PYSPARK_PYTHON is not set"
    mend = f"run export PYSPARK_PYTHON={sys.executable}"
    path, trouble = shutil.which(python), _trouble_with(python)
    if not trouble:
        tail = "" if named else f", and {path} will do"
        return CheckResult(OK, "workers", f"{source}{tail}")
    if named:
        return CheckResult(WRONG, "workers", f"{source}: {trouble}", mend)
    words = "the windrow command sets it by itself; your own programs would get"
    words = f"{source}: {words} {path or python}: {trouble}"
    return CheckResult(WARNING, "workers", words, mend)


def _trouble_with(python: str) -> str:
    """Why workers on that Python would fail; nothing if they would not."""
    code = (
        "import sys; print(sys.version_info[0], sys.version_info[1], sep='.');"
        "import windrow, pyspark; print(windrow.__version__)"
    )
    try:
        answer = run_program(python, "-c", code)
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
    missing = [name for name in _CONNECT if package_version(name) is None]
    if missing:
        words = f"not installed: {', '.join(missing)} (optional, for Spark Connect)"
        mend = f"{_PIP} 'pywindrow[connect]'"
        return CheckResult(WARNING, "connect", words, mend)
    return CheckResult(OK, "connect", "all packages for Spark Connect are there")


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
