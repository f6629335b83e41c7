"""Measures which lines of the library tests run, and lists the others.

    make coverage       coverage/missed.txt: file, share, lines that no test ran;
                        how many for which reason (`missed_lines.py`), by file:
                        docs/missed-lines.csv, and in all: docs/testing.md

Two runs beside each other, whose lines are put together: `ordinary` is the suite as it
is, in which loops are machine code or whole columns, and `interpreted` are the tests of
kernels as plain Python, so that the lines of kernels count too (tests that ask for
machine code fail there; `make test` is what judges).  Spark's workers are processes of
their own, whose lines do not count.  The report begins with the least covered files;
less than `LEAST` percent of all lines is a failure.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tools.missed_lines import count_reasons, list_reasons, write_list, write_table

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "coverage"
SOURCE = "src/windrow/"
LEAST = 95.0
KERNELS = (
    "aggregates", "agreement", "algorithms", "batch", "graph", "kernels", "operator",
    "sketches", "slicing", "spans", "state", "tasks", "windows",
)  # fmt: skip
PLAIN = {"WINDROW_COMPILE": "never", "NUMBA_DISABLE_JIT": "1"}


def main() -> int:
    """Run the suite under coverage, and write what was missed."""
    OUT.mkdir(exist_ok=True)
    rooms = [f"tests/{room}" for room in KERNELS if (ROOT / "tests" / room).is_dir()]
    runs = [
        _begin("ordinary", sys.argv[1:] or ["tests", "src"], {}),
        _begin("interpreted", sys.argv[1:] or rooms, PLAIN),
    ]
    for name, running in runs:
        running.wait()
        last = (OUT / f"{name}.log").read_text("utf-8").strip().splitlines()[-1]
        print(f"{name}: {last}; all of it: {OUT / name}.log", flush=True)
    both = [str(OUT / f"{name}.data") for name, _ in runs]
    data = f"--data-file={OUT / 'data'}"
    subprocess.run(_coverage("combine", "-q", "--keep", data, *both), check=True)
    written = _coverage("json", data, "-o", str(OUT / "coverage.json"), "-q")
    subprocess.run(written, cwd=ROOT, check=True)
    share = report()
    return int(share < LEAST)


def report(root: Path = ROOT) -> float:
    """Write what no test ran, file by file; gives the share of lines that tests run."""
    out, docs = root / OUT.name, root / "docs"
    files = json.loads((out / "coverage.json").read_text("utf-8"))["files"]
    rows = sorted(files.items(), key=lambda row: row[1]["summary"]["percent_covered"])
    lines = [
        f"{found['summary']['percent_covered']:5.1f} %  {name}  "
        + ", ".join(map(str, found["missing_lines"]))
        for name, found in rows
        if found["missing_lines"]
    ]
    total = sum(found["summary"]["num_statements"] for found in files.values())
    missed = sum(found["summary"]["missing_lines"] for found in files.values())
    share: float = 100 * (1 - missed / max(total, 1))
    lines.insert(0, f"{share:5.1f} %  of {total} statements, {missed} missed")
    (out / "missed.txt").write_text("\n".join(lines) + "\n", "utf-8")
    lost = {
        name.removeprefix(SOURCE): found["missing_lines"]
        for name, found in files.items()
    }
    listed = list_reasons(lost, root / SOURCE)
    write_list(docs / "missed-lines.csv", listed)
    write_table(docs / "testing.md", share, total, count_reasons(listed))
    print("\n".join(lines[:20]), f"\nall of it: {out / 'missed.txt'}")
    return share


def _begin(
    name: str, suite: list[str], lane: dict[str, str]
) -> tuple[str, subprocess.Popen[bytes]]:
    environ = {**os.environ, **lane}
    environ.pop("WINDROW_DATASETS", None)  # real samples take hours as plain Python
    data = f"--data-file={OUT / name}.data"
    command = _coverage("run", "--source=windrow", data, "-m", "pytest", "-q", "-n0")
    with (OUT / f"{name}.log").open("wb") as log:
        running = subprocess.Popen(
            [*command, "-p", "no:cacheprovider", *suite],
            cwd=ROOT,
            env=environ,
            stdout=log,
            stderr=log,
        )
    return name, running


def _coverage(*words: str) -> list[str]:
    return [sys.executable, "-m", "coverage", *words]


if __name__ == "__main__":
    sys.exit(main())
