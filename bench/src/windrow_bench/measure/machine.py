"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import windrow

PACKAGES = (
    "numba",
    "llvmlite",
    "numpy",
    "pyarrow",
    "bottleneck",
    "numbagg",
    "pandas",
    "polars",
    "duckdb",
    "pyspark",
)


def machine() -> dict[str, str]:
    """Processor, cores, memory and system, without the build of its kernel.

    A virtual machine may have another build each time it starts, and a long run takes
    several sittings: what was measured in the sittings before counts.
    """
    release = platform.release().partition("-")[0]
    return {
        "processor": _field("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "system": f"{platform.system()} {release} {platform.machine()}",
    }


def usable_cores() -> int:
    """As many as this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def versions() -> dict[str, str]:
    """Python and every library that takes part."""
    found = {"python": platform.python_version(), "windrow": windrow.__version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return found


def load() -> str:
    """The load average of the last 1, 5 and 15 minutes."""
    return ", ".join(f"{value:.2f}" for value in os.getloadavg())


def _field(path: str, name: str) -> str:
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except OSError:
        return ""
    return next(
        (one.split(":")[1].strip() for one in lines if one.startswith(name)), ""
    )


def _memory() -> str:
    total = _field("/proc/meminfo", "MemTotal")
    return f"{int(total.split()[0]) / 2**20:.1f} GiB" if total else "unknown"
