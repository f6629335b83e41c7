"""Scripts run in a process of their own: a second kind of session, or a cluster.

A Connect session cannot live beside a classic one, and executors are to be killed:
such a script prints one line per check, `ok <check>` or `wrong <check>: <why>`, and
the test reads its report.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent


def run_script(
    name: str, environment: dict[str, str], *more: str, seconds: int = 400
) -> list[str]:
    """The lines of a script's report; its processes end with it."""
    running = subprocess.Popen(
        [sys.executable, str(HERE / name), *more],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, errors = running.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        out, errors = running.communicate()
    finally:
        with contextlib.suppress(ProcessLookupError):  # the usual case: all ended
            os.killpg(running.pid, signal.SIGKILL)
    report = [line for line in out.splitlines() if line.startswith(("ok ", "wrong "))]
    assert running.returncode == 0, "\n".join([*report, errors[-4000:]])
    return report


def check(name: str, step: Callable[[], object]) -> None:
    """Run one check of a script and print its line."""
    try:
        step()
    except Exception as error:  # noqa: BLE001 - the report says what it was
        traceback.print_exc()
        line = f"wrong {name}: {str(error)[:400]!r}"
    else:
        line = f"ok {name}"
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
