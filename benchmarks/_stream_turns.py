"""Questions to both sides, each answered in a process of its own.

A side gets a fresh JVM and fresh Python workers, and an empty folder for its
checkpoint, which is removed once its sums are known.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO

from windrow_bench.measure.answers import WrongAnswer

from . import _stream_side
from ._spark_turns import Say
from ._stream_side import Answer, Question

ROOT = Path(__file__).resolve().parents[1]
LAST_LINES = 15


class NoAnswer(WrongAnswer):
    """A side's process did not come to its end: out of memory, for one."""


def ask(
    who: str,
    window: tuple[int, int],
    source: Path,
    files_a_trigger: int,
    say: Say,
    warm: Path | None = None,
    look_at: Sequence[int] = (),
) -> Answer:
    """One side's answer; range and slide of the window are in seconds.

    With `warm` the same query runs over those few rows first.  State is looked at
    after the micro-batches `look_at`.
    """
    with tempfile.TemporaryDirectory(prefix="side-", dir=source.parent) as name:
        folder = Path(name)
        run = folder / "run"
        question = Question(
            who,
            *window,
            str(source),
            str(run),
            files_a_trigger,
            None if warm is None else str(warm),
            look_at,
        )
        given, target = folder / "question.json", folder / "answer.json"
        given.write_text(json.dumps(asdict(question)), "utf-8")
        with (folder / "errors").open("w+", encoding="utf-8") as errors:
            code = _relay(
                [str(given), str(target)], errors, lambda x: say(f"{who}, {x}")
            )
            if code:
                errors.seek(0)
                tail = "".join(errors.readlines()[-LAST_LINES:])
                raise NoAnswer(f"{who}: its process ended with {code}:\n{tail}")
        return Answer(**json.loads(target.read_text("utf-8")))


def _relay(arguments: list[str], errors: IO[str], say: Say) -> int:
    """Say what the process says; its exit code."""
    with subprocess.Popen(
        [sys.executable, "-m", _stream_side.__name__, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                say(line.rstrip())
            return process.wait()
        finally:
            process.kill()  # ours, and only if it has not ended by itself
