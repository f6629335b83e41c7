"""Measures which lines of the library tests run, interpreted, and lists the others.

    make coverage       coverage/missed.txt: file, share, lines that no test ran

Kernels run as plain Python, so that their lines count too; Spark's workers are other
processes, whose lines do not.  The report names the rooms from the least covered on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "coverage"


def main() -> int:
    """Run the suite under coverage, and write what was missed."""
    OUT.mkdir(exist_ok=True)
    data = f"--data-file={OUT / 'data'}"
    suite = [*sys.argv[1:]] or ["tests", "src"]
    run = ["run", "--source=windrow", data, "-m", "pytest", "-q", "-n", "0"]
    code = _coverage(*run, *suite)
    _coverage("json", data, "-o", str(OUT / "coverage.json"), "-q")
    files = json.loads((OUT / "coverage.json").read_text("utf-8"))["files"]
    rows = sorted(files.items(), key=lambda row: row[1]["summary"]["percent_covered"])
    lines = [
        f"{found['summary']['percent_covered']:5.1f} %  {name}  "
        + ", ".join(map(str, found["missing_lines"]))
        for name, found in rows
        if found["missing_lines"]
    ]
    total = sum(found["summary"]["num_statements"] for found in files.values())
    missed = sum(found["summary"]["missing_lines"] for found in files.values())
    share = 100 * (1 - missed / max(total, 1))
    lines.insert(0, f"{share:5.1f} %  of {total} statements, {missed} missed")
    (OUT / "missed.txt").write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines[:20]), f"\nall of it: {OUT / 'missed.txt'}")
    return code


def _coverage(*words: str) -> int:
    command = [sys.executable, "-m", "coverage", *words]
    environ = dict(os.environ)
    environ.pop("WINDROW_DATASETS", None)  # real samples take hours as plain Python
    return subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
