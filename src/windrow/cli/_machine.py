"""Finds a Java that Spark can run on, and the memory of this machine.

Like Spark, this takes `$JAVA_HOME/bin/java` if JAVA_HOME is set, right or wrong, and
`java` from the PATH only if it is not.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from windrow.errors import WindrowError

OLDEST_JAVA = 17
_FACT = "cannot start Spark"
_PATIENCE = 60  # seconds for a program that only says its version


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
    java = _locate()
    if java.major < OLDEST_JAVA:
        raise WindrowError.because(
            _FACT,
            f"it needs Java {OLDEST_JAVA} or later, and {java.path} "
            f"(from {java.found_by}) is Java {java.version}",
            f"{install_java()}; then point JAVA_HOME to it",
        )
    return java


def _locate() -> Java:
    home = os.environ.get("JAVA_HOME")
    if home:
        path = shutil.which("java", path=str(Path(home) / "bin"))
        if path is None:
            raise WindrowError.because(
                _FACT,
                f"JAVA_HOME is {home}, and there is no bin/java in it",
                "run unset JAVA_HOME to use the java on the PATH"
                if shutil.which("java")
                else f"{install_java()}; then run unset JAVA_HOME",
            )
        return _ask(path, "JAVA_HOME")
    path = shutil.which("java")
    if path is None:
        raise WindrowError.because(
            _FACT,
            "there is no java on the PATH and JAVA_HOME is not set",
            install_java(),
        )
    return _ask(path, "PATH")


def _ask(path: str, found_by: str) -> Java:
    try:
        answer = subprocess.run(  # noqa: S603 - it is what Spark itself would run
            [path, "-version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE,
        )
        words = answer.stderr + answer.stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        words = str(error)
    version = re.search(r'version "?([\d._]+)', words)
    if version is None:
        first = words.strip().partition("\n")[0] or "nothing"
        raise WindrowError.because(
            _FACT,
            f"{path} (from {found_by}) does not run: it says {first!r}",
            install_java(),
        )
    return Java(path, found_by, version[1].rstrip("._"))


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


def memory() -> int | None:
    """Bytes that this process may use, as far as the system tells."""
    limits = []
    with contextlib.suppress(AttributeError, OSError, ValueError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with contextlib.suppress(OSError, ValueError):  # a container's own limit
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text("utf-8")))
    return min(limits, default=None)
