"""A query that is killed again and again, and then left to end.

    process 1   session | query  0 1 2 *                     * SIGKILL, in the middle
    process 2     session ...... | query 2 3 *                 of a micro-batch
    process 3               session ......| query 3 4 5 ...

Each process gets its session ready while the one before it runs.  What a process has
reached is read off the checkpoint: `offsets/N` is there from the moment micro-batch N
is planned, `commits/N` from the moment it is done.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

_SCRIPT = Path(__file__).parent / "killed_query.py"
_LONGEST = 120  # seconds without any progress
_MOMENT = 0.02


@dataclass
class Life:
    """One process, and all that it starts."""

    folder: Path
    query: str
    environment: dict[str, str]
    running: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        self.errors = (self.folder / "errors").open("a+")
        self.running = subprocess.Popen(
            [sys.executable, str(_SCRIPT), str(self.folder), self.query],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=self.errors,
            stderr=self.errors,
            text=True,
            start_new_session=True,  # Spark's own processes die with it
        )

    def go(self) -> None:
        """Let the query begin."""
        assert self.running.stdin is not None
        self.running.stdin.write("go\n")
        self.running.stdin.flush()

    def has_begun(self) -> bool:
        """Whether the query runs, and so may be in the middle of something."""
        begun = self.folder / "begun"
        return begun.exists() and begun.read_text() == str(self.running.pid)

    def kill(self) -> None:
        """End it and all its processes at once, whatever they are doing."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.running.pid, signal.SIGKILL)
        self.running.communicate()
        self.errors.close()

    def fail(self, why: str) -> None:
        """Say what its processes said."""
        self.errors.seek(0)
        raise AssertionError(f"{why}\n{self.errors.read()[-4000:]}")


@dataclass
class Killed:
    """How often, and at which micro-batches: planned, and not yet done."""

    kills: int = 0
    hit: list[int] = field(default_factory=list)


def run_and_kill(
    folder: Path,
    query: str,
    environment: dict[str, str],
    *,
    kills: int,
    random: Random,
    most: int = 1,
) -> Killed:
    """Kill the query that often, each time within `most` micro-batches; then let go."""
    told = Killed()
    life = Life(folder, query, environment)
    heir = life
    try:
        for _ in range(kills):
            life.go()
            heir = Life(folder, query, environment)
            _wait_for_a_moment(life, random, most)
            life.kill()
            told.kills += 1
            told.hit += _underway(folder)
            life = heir
        life.go()
        if life.running.wait(_LONGEST + 60) != 0:
            life.fail("the query did not end well")
    finally:
        life.kill()
        heir.kill()
    return told


def _wait_for_a_moment(life: Life, random: Random, most: int) -> None:
    """Until a micro-batch has been underway for a while: an old one, or a new one."""
    _wait(life, life.has_begun)
    wanted = _planned(life.folder) + random.randrange(most + 1)
    _wait(life, lambda: _planned(life.folder) >= wanted)
    time.sleep(random.choice([0.0, random.uniform(0.0, 0.4), random.uniform(0.0, 1.5)]))
    _wait(life, lambda: _underway(life.folder))


def _wait(life: Life, reached: Callable[[], object]) -> None:
    deadline = time.monotonic() + _LONGEST
    while not reached():
        if life.running.poll() is not None:
            if life.running.returncode:
                life.fail("the query failed before it was killed")
            return  # it came to its end: nothing is left to kill
        if time.monotonic() > deadline:
            life.fail("the query makes no progress")
        time.sleep(_MOMENT)


def _numbers(folder: Path) -> set[int]:
    with contextlib.suppress(FileNotFoundError):
        return {int(path.name) for path in folder.iterdir() if path.name.isdigit()}
    return set()


def _planned(folder: Path) -> int:
    return max(_numbers(folder / "checkpoint" / "offsets"), default=-1)


def _underway(folder: Path) -> list[int]:
    """The micro-batch that was planned and is not done, if there is one."""
    last = _planned(folder)
    done = _numbers(folder / "checkpoint" / "commits")
    return [last] if last >= 0 and last not in done else []
