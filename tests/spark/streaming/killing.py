"""A query that is killed again and again, and then left to end.

    process 1   session | query  0 1 2 *                     * SIGKILL, in the middle
    process 2     session ...... | query 2 3 *                 of a micro-batch
    process 3               session ......| query 3 4 5 ...

Each process gets its session ready while the one before it runs.  What a process has
reached is read off the checkpoint and the sink:

    offsets/N     state/.../N+1.*     out/_spark_metadata/N     commits/N
    planned       state is written    rows are there            done

so that a moment in the middle of each can be waited for.  On a small cluster a single
executor can be killed in place of everything; the query then goes on by itself.
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
_LONGEST = 600  # seconds without any progress: a machine may be busy
_MOMENT = 0.02
_EXECUTOR = b"CoarseGrainedExecutorBackend"
MOMENTS = ("any", "state", "commit")


@dataclass
class Life:
    """One process, and all that it starts."""

    folder: Path
    query: str
    environment: dict[str, str]
    master: str = "local[1]"
    running: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        self.errors = (self.folder / "errors").open("a+")
        self.running = subprocess.Popen(
            [sys.executable, str(_SCRIPT), str(self.folder), self.query, self.master],
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

    def kill_executor(self, random: Random) -> bool:
        """Kill one executor of the cluster, if one is there to be killed."""
        executors = [number for number in _processes() if self._runs(number)]
        if executors:
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.choice(sorted(executors)), signal.SIGKILL)
        return bool(executors)

    def _runs(self, number: int) -> bool:
        """Whether a process is an executor that this one started."""
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{number}/cmdline").read_bytes()
            return _EXECUTOR in command and os.getsid(number) == self.running.pid
        return False

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
        _let_end(life)
    finally:
        life.kill()
        heir.kill()
    return told


def run_and_kill_executors(
    folder: Path,
    query: str,
    environment: dict[str, str],
    *,
    kills: int,
    random: Random,
) -> Killed:
    """Kill executors of one run on a cluster that often, in different micro-batches."""
    told = Killed()
    life = Life(folder, query, environment, "local-cluster[2,1,1024]")
    try:
        life.go()
        for _ in range(kills):
            _wait_for_a_moment(life, random, 1)
            if life.running.poll() is None and life.kill_executor(random):
                told.kills += 1
                told.hit += _underway(folder)
        _let_end(life)
    finally:
        life.kill()
    return told


def _let_end(life: Life) -> None:
    if life.running.wait(2 * _LONGEST) != 0:
        life.fail("the query did not end well")


def _wait_for_a_moment(life: Life, random: Random, most: int) -> None:
    """Until a micro-batch, an old one or a new one, is in the middle of something."""
    _wait(life, life.has_begun)
    wanted = max(_planned(life.folder), 0) + random.randrange(most + 1)
    _wait(life, lambda: _planned(life.folder) >= wanted)
    moment = random.choice(MOMENTS)
    if moment == "state":
        _wait(life, lambda: _writes_state(life.folder), pause=0.001)
    elif moment == "commit":
        _wait(life, lambda: _has_given(life.folder), pause=0.001)
    else:
        waits = [0.0, random.uniform(0.0, 0.4), random.uniform(0.0, 1.5)]
        time.sleep(random.choice(waits))
        _wait(life, lambda: _underway(life.folder))


def _writes_state(folder: Path) -> bool:
    """Whether the state of the micro-batch underway is being written."""
    files = (folder / "checkpoint" / "state").glob(f"*/*/{_planned(folder) + 1}.*")
    return any(files) and bool(_underway(folder))


def _has_given(folder: Path) -> bool:
    """Whether the rows of the micro-batch underway are in the sink, and it is not done.

    That lasts a few milliseconds; micro-batches that were missed are waited out.
    """
    given = _numbers(folder / "out" / "_spark_metadata")
    return any(number in given for number in _underway(folder))


def _wait(life: Life, reached: Callable[[], object], pause: float = _MOMENT) -> None:
    deadline = time.monotonic() + _LONGEST
    while not reached():
        if life.running.poll() is not None:
            if life.running.returncode:
                life.fail("the query failed before it was killed")
            return  # it came to its end: nothing is left to kill
        if time.monotonic() > deadline:
            life.fail("the query makes no progress")
        time.sleep(pause)


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


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
