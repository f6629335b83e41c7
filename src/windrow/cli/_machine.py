"""Finds out what this machine has: packages, memory, and a Java that Spark can run on.

Like Spark, it takes `$JAVA_HOME/bin/java` if JAVA_HOME is set, right or wrong, and
`java` from the PATH only if it is not.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from windrow.errors import WindrowError

OLDEST_JAVA = 17
_FACT = "cannot start Spark"
_PATIENCE = 120  # seconds for a program that says its version, or imports windrow


@dataclass(frozen=True)
class Java:
    """A Java that runs: where it lies, what led there, and its version."""

    path: str
    found_by: str
    version: str

    @property
    def major(self) -> int:
        """17 for 17.0.15, 8 for 1.8.0_392."""
        first, second, *_ = [*map(int, re.findall(r"\d+", self.version)), 0, 0]
        return second if first == 1 else first


def find_java() -> Java:
    """The Java that Spark would take; an error if it could not work with it."""
    home, on_path = os.environ.get("JAVA_HOME"), shutil.which("java")
    path = shutil.which("java", path=str(Path(home) / "bin")) if home else on_path
    if path is None and home:
        raise WindrowError.because(
            _FACT,
            f"JAVA_HOME is {home}, and there is no bin/java in it",
            "run unset JAVA_HOME to use the java on the PATH"
            if on_path
            else f"{install_java()}; then run unset JAVA_HOME",
        )
    if path is None:
        cause = "there is no java on the PATH and JAVA_HOME is not set"
        raise WindrowError.because(_FACT, cause, install_java())
    found_by = "JAVA_HOME" if home else "PATH"
    java = Java(path, found_by, _version(path, found_by))
    if java.major < OLDEST_JAVA:
        raise WindrowError.because(
            _FACT,
            f"it needs Java {OLDEST_JAVA} or later, and {path} "
            f"(from {found_by}) is Java {java.version}",
            f"{install_java()}; then point JAVA_HOME to it",
        )
    return java


def _version(path: str, found_by: str) -> str:
    try:
        answer = run_program(path, "-version")
        words = answer.stderr + answer.stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        words = str(error)
    version = re.search(r'version "?([\d._]+)', words)
    if version is None:
        first = words.strip().partition("\n")[0] or "nothing"
        cause = f"{path} (from {found_by}) does not run: it says {first!r}"
        raise WindrowError.because(_FACT, cause, install_java())
    return version[1].rstrip("._")


def run_program(*command: str) -> subprocess.CompletedProcess[str]:
    """Run what Spark itself would run, and keep what it says."""
    return subprocess.run(  # noqa: S603 - it is what Spark itself would run
        command, capture_output=True, text=True, check=False, timeout=_PATIENCE
    )


def install_java() -> str:
    """How to get a Java here, as a command."""
    commands = {
        "apt-get": "sudo apt-get install openjdk-17-jre-headless "
        "(or openjdk-21-jre-headless, on newer systems)",
        "dnf": "sudo dnf install java-21-openjdk-headless",
        "apk": "sudo apk add openjdk17-jre-headless",
        "brew": "brew install openjdk@17",
        "winget": "winget install EclipseAdoptium.Temurin.17.JRE",
    }
    for program, command in commands.items():
        if shutil.which(program):
            return f"install Java: {command}"
    return "install Java 17 or later, for example from https://adoptium.net"


def require_packages(fact: str, extra: str, *names: str) -> None:
    """Refuse with `fact` if one cannot be imported; the extra would install it."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        words = (" and " if len(missing) == 2 else ", ").join(missing)
        raise WindrowError.because(
            fact,
            f"{words} cannot be imported by {sys.executable}",
            f"run {sys.executable} -m pip install 'pywindrow[{extra}]'",
        )


def memory() -> int | None:
    """Bytes that this process may use, as far as the system tells."""
    limits = []
    with contextlib.suppress(AttributeError, OSError, ValueError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with contextlib.suppress(OSError, ValueError):  # a container's own limit
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text("utf-8")))
    return min(limits, default=None)
