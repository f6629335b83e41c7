"""Runs tests on every Spark, and on the oldest and newest libraries, that we promise.

    python -m tools.matrix                    all of it: over an hour, at first more
    python -m tools.matrix spark-3.5 newest   some of it
    python -m tools.matrix --list             what there is
    python -m tools.matrix spark-4.1 --tests tests/spark/test_over.py     one file

Each entry is an environment of its own, made from the package index and kept in a
cache folder (`$WINDROW_MATRIX`, or windrow/matrix in the user's cache); the checkout is
on its path, not installed.  What ran goes into the table of docs/compatibility.md.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "compatibility.md"
BEGIN, END = "<!-- matrix: begin -->", "<!-- matrix: end -->"

TOOLS = ("duckdb", "hypothesis", "polars", "pytest", "pytest-xdist", "rich", "sqlglot")
OURS = ("datasketches", "numba", "tomli-w", "typer")
CONNECT = ("googleapis-common-protos", "grpcio", "grpcio-status", "pyyaml", "zstandard")

IN_PROCESS = (
    "tests/batch",
    "tests/windows",
    "tests/agreement/test_as_of.py",
    "tests/agreement/test_over.py",
    "tests/agreement/test_tiles.py",
    "tests/query/test_results.py",
    # no Spark there
    "--deselect=tests/batch/test_pandas.py::test_a_column_of_spark_is_refused_with_the_way",
)
BATCH = ("tests/spark", "tests/query/test_on_spark.py", "tests/cli/test_doctor.py")
OLDEST = ("numpy==1.26.0", "pyarrow==18.0.0", "pandas==2.2.0", "numba==0.61.0")
NEWEST = ("numpy", "pyarrow", "pandas")
WITHOUT_STREAMS = (
    "--ignore=tests/spark/streaming",
    "--ignore=tests/spark/test_connect.py",
)


@dataclass(frozen=True)
class Entry:
    """An environment and what is run in it."""

    name: str
    packages: tuple[str, ...]
    tests: tuple[str, ...]
    what: str
    python: str = ""  # such as 3.13; that of this tool if there is none


def _spark(version: str, tests: tuple[str, ...], what: str) -> Entry:
    packages = (f"pyspark=={version}.*", "pandas>=2.2,<3", "protobuf", *CONNECT)
    return Entry(f"spark-{version}", (*packages, "pyarrow"), tests, what)


HERE = "tables in one process"
STREAMS = "batch, over, spans, texts, streams, Connect"
MATRIX = (
    _spark("3.5", (*BATCH, *WITHOUT_STREAMS), "batch, over, spans, texts"),
    _spark("4.0", BATCH, STREAMS),
    _spark("4.1", BATCH, STREAMS),
    _spark("4.2", BATCH, STREAMS),
    _spark("4.3", BATCH, STREAMS),
    Entry(
        "spark-4.0-oldest",
        ("pyspark==4.0.*", "protobuf", *CONNECT, *OLDEST),
        BATCH,
        STREAMS,
    ),
    Entry("oldest", OLDEST, IN_PROCESS, HERE),
    Entry("newest", NEWEST, IN_PROCESS, HERE),
    Entry("python-3.12", NEWEST, IN_PROCESS, HERE, python="3.12"),
    Entry("python-3.13", NEWEST, IN_PROCESS, HERE, python="3.13"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the entries that are named, or all; the exit code counts those that fail."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="entries; all if none is named")
    parser.add_argument("--list", action="store_true", help="what there is")
    parser.add_argument("-k", default="", help="as pytest's own -k")
    parser.add_argument("--tests", nargs="+", help="these files alone")
    asked = parser.parse_args(arguments)
    known = {entry.name: entry for entry in MATRIX}
    if asked.list:
        for entry in MATRIX:
            print(f"{entry.name:16}  {' '.join(entry.packages)}")
        return 0
    unknown = set(asked.names) - set(known)
    if unknown:
        parser.error(f"no entry {min(unknown)}: there are {', '.join(known)}")
    failed = 0
    for name in asked.names or known:
        entry = known[name]
        if asked.tests:
            files = ", ".join(Path(file).stem for file in asked.tests)
            entry = replace(entry, tests=tuple(asked.tests), what=f"only {files}")
        words, code = run(entry, asked.k)
        failed += code != 0
        print(f"{name}: {words}", flush=True)
        if not asked.k:
            write(entry, words)
    return failed


def run(entry: Entry, keyword: str = "") -> tuple[str, int]:
    """Make the environment if need be, run the tests, and give their last line."""
    python = environment(entry)
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    # Old libraries warn of what is new to them; doctests belong to `make test`.
    command += ["-o", "addopts=--import-mode=importlib", "-W", "default", *entry.tests]
    command += ["-k", keyword] if keyword else []
    path = os.pathsep.join(str(ROOT / folder) for folder in ("src", "bench/src"))
    kernels, log = (python.parents[1] / name for name in ("kernels", "tests.log"))
    environ = {
        **os.environ,
        "PYTHONPATH": path,
        "PYSPARK_PYTHON": str(python),
        "WINDROW_CACHE_DIR": str(kernels),  # others would be warned of ours
    }
    with log.open("w") as file:
        code = subprocess.run(
            command, cwd=ROOT, env=environ, stdout=file, stderr=file, check=False
        ).returncode
    last = log.read_text("utf-8").strip().splitlines()[-1:]
    print(f"{entry.name}: all that was said is in {log}")
    return re.sub(r"^=+ | in [\d.]+s.*$", "", "".join(last)), code


def environment(entry: Entry) -> Path:
    """The Python of its environment, which is made where there is none."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    cache = os.environ.get("WINDROW_MATRIX") or f"{base}/windrow/matrix"
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    wanted = entry.python or here
    folder = Path(cache).expanduser() / f"{entry.name}-python{wanted}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        print(f"{entry.name}: making {folder} ...", flush=True)
        maker = sys.executable if wanted == here else shutil.which(f"python{wanted}")
        if maker is None:
            sys.exit(f"{entry.name}: there is no python{wanted} on the PATH")
        subprocess.run([maker, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, *entry.packages, *OURS, *TOOLS], check=True)
        (folder / "ready").touch()
    return python


def write(entry: Entry, words: str) -> None:
    """Put what ran into the page's table, in place of what stood there."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    table, _, after = rest.partition(END)
    lines = [line for line in table.strip().splitlines() if line]
    today = dt.datetime.now(dt.UTC).date()
    mine = f"| {entry.name} | {versions(entry)} | {entry.what} | {words} | {today} |"
    rows = {line.split("|")[1].strip(): line for line in lines[2:]}
    rows[entry.name] = mine
    order = [one.name for one in MATRIX if one.name in rows]
    table = "\n".join([*lines[:2], *(rows[name] for name in order)])
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", "utf-8")


def versions(entry: Entry) -> str:
    """Those of Java, where Spark needs it, of Python, and of what was installed."""
    names = ("Python", "pyspark", "numpy", "pyarrow", "pandas", "numba")
    code = (
        "import platform; from importlib.metadata import distributions;"
        "have = {d.name: d.version for d in distributions()};"
        "have['Python'] = platform.python_version();"
        f"print(', '.join(f'{{n}} {{have[n]}}' for n in {names} if n in have))"
    )
    answer = subprocess.run(
        [str(environment(entry)), "-c", code],
        capture_output=True,
        text=True,
        check=True,
    )
    words = answer.stdout.strip()
    return f"Java {java_version()}, {words}" if "pyspark" in words else words


def java_version() -> str:
    """That of Spark's Java: of JAVA_HOME if it is set, else of the PATH."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else "java"
    said = subprocess.run(
        [java, "-version"], capture_output=True, text=True, check=True
    )
    found = re.search(r'version "([^"]+)"', said.stderr)
    return found[1] if found else "of no version"


if __name__ == "__main__":
    sys.exit(main())
