"""Runs the tests that a change can touch, without Spark, for less than a minute.

    make test-quick              what differs from main, committed or not
    make test-quick K=median     only tests whose names say so

A changed test runs itself; a changed module runs the folder of tests of its room, and
the house's own tests run always.  Properties draw few examples, what needs Spark is
left to `make test`, and after 40 seconds no further test is begun, which is said.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALWAYS = ("tests/test_house.py", "tests/test_public_api.py", "tests/test_catalogues.py")
# Rooms whose tests do not stand in a folder of their own name.
ELSEWHERE = {
    "bench": ("tests/bench/test_catalogue.py", "tests/bench/test_findings.py"),
    "graph": ("tests/graph",),
    "kernels": ("tests/kernels", "tests/agreement/test_slide.py"),
    "plan": ("tests/plan", "tests/query"),
}


def main() -> int:
    """Find what changed, and run its tests."""
    chosen = dict.fromkeys([*(t for f in changed() for t in tests_of(f)), *ALWAYS])
    names = [name for name in chosen if (ROOT / name).exists()]
    print("tests:", *names, flush=True)
    words = ["-k", keyword] if (keyword := os.environ.get("K")) else []
    command = [sys.executable, "-m", "pytest", "-q", "-x", *words, *names]
    environ = {**os.environ, "WINDROW_TEST_PROFILE": "quick"}
    code = subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode
    return 0 if code == 5 else code  # 5: nothing of that name


def changed() -> list[str]:
    """Files that differ from main; from the last commit where there is no main."""
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    return [
        *_git("diff", "--name-only", base[0]),
        *_git("ls-files", "--others", "--exclude-standard"),
    ]


def tests_of(file: str) -> tuple[str, ...]:
    """The tests that a file can touch, the nearest first."""
    path = Path(file)
    if path.parts[0] == "tests":
        is_test = path.name.startswith("test_")
        return (file,) if is_test else (str(path.parent),)
    if path.suffix != ".py" or path.parts[0] not in ("src", "bench"):
        return ("tests/test_docs.py",) if path.suffix == ".md" else ()
    room = "bench" if path.parts[0] == "bench" else path.parts[2]
    return ELSEWHERE.get(room, (f"tests/{room}", "tests/agreement"))


def _git(*words: str) -> list[str]:
    answer = subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return answer.stdout.split() if answer.returncode == 0 else []


if __name__ == "__main__":
    sys.exit(main())
