"""A query that is killed again and again, and then left to end.

    process 1   session | query  0 1 2 *                     * SIGKILL, in the middle
    process 2     session ...... | query 2 3 *                 of a micro-batch
    process 3               session ......| query 3 4 5 ...

Each process gets its session ready while the one before it runs.  What a process has
reached is read off the checkpoint and the sink:

    offsets/N     state/.../N+1.*     out/_spark_metadata/N     commits/N
    planned       state is written    rows are there            done

so that a moment in the middle of each can be waited for.  One that is missed, since a
commit lasts a few milliseconds, is waited for in a few micro-batches more, and then any
moment will do.  On a small cluster a single executor can be killed in place of
everything; the query then goes on by itself.

All of it has so many seconds for each kill: it ends, whatever happens.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

_SCRIPT = Path(__file__).parent / "killed_query.py"
_FOR_A_KILL, _FOR_A_RUN = 45, 120  # seconds: 5 and 20 on two idle cores
_MOMENT = 0.02
_TRIES = 3  # micro-batches in which a moment is waited for
_EXECUTOR = b"CoarseGrainedExecutorBackend"
MOMENTS = ("any", "state", "commit")


@dataclass
class Life:
    """One process, and all that it starts."""

    folder: Path
    query: str
    environment: dict[str, str]
    master: str = "local[1]"
    until: float = field(kw_only=True)
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
        executors = self.executors()
        if executors:
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.choice(executors), signal.SIGKILL)
        return bool(executors)

    def executors(self) -> list[int]:
        """The executors of the cluster that are there now."""
        return sorted(number for number in _processes() if self._runs(number))

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
    """How often, and at which micro-batches: planned, and not yet done.

    `moments` says in the middle of what.
    """

    kills: int = 0
    hit: list[int] = field(default_factory=list)
    moments: Counter[str] = field(default_factory=Counter)

    def note(self, folder: Path, moment: str) -> None:
        """One more."""
        self.kills += 1
        self.hit += _underway(folder)
        self.moments[moment] += 1


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
    told, until = Killed(), _deadline(kills)
    life = Life(folder, query, environment, until=until)
    heir = life
    try:
        for _ in range(kills):
            life.go()
            heir = Life(folder, query, environment, until=until)
            moment = _wait_for_a_moment(life, random, most)
            is_running = life.running.poll() is None
            life.kill()
            if is_running:
                told.note(folder, moment)
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
    told, until = Killed(), _deadline(kills)
    life = Life(folder, query, environment, "local-cluster[2,1,1024]", until=until)
    later = 0  # than the micro-batch of the last kill
    try:
        life.go()
        for _ in range(kills):
            _wait(life, life.executors)  # a killed one takes seconds to be replaced
            moment = _wait_for_a_moment(life, random, 1, least=later)
            if life.running.poll() is None and life.kill_executor(random):
                told.note(folder, f"{moment}, an executor")
            later = _planned(folder) + 1
        _let_end(life)
    finally:
        life.kill()
    return told


def _deadline(kills: int) -> float:
    return time.monotonic() + _FOR_A_RUN + _FOR_A_KILL * kills


def _let_end(life: Life) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        if life.running.wait(max(life.until - time.monotonic(), 0)) == 0:
            return
    life.fail("the query did not end well, or in time")


def _wait_for_a_moment(life: Life, random: Random, most: int, least: int = 0) -> str:
    """Until a micro-batch, an old one or a new one, is in the middle of something."""
    _wait(life, life.has_begun)
    wanted = max(_planned(life.folder), least) + random.randrange(most + 1)
    _wait(life, lambda: _planned(life.folder) >= wanted)
    moment, last = random.choice(MOMENTS), wanted + _TRIES
    if moment != "any":
        is_there = _writes_state if moment == "state" else _has_given

        def is_it() -> bool:
            return is_there(life.folder) or _planned(life.folder) > last

        _wait(life, is_it, pause=0.001)
        moment = moment if is_there(life.folder) else "any"
    if moment == "any":
        waits = [0.0, random.uniform(0.0, 0.4), random.uniform(0.0, 1.5)]
        time.sleep(random.choice(waits))
        _wait(life, lambda: _underway(life.folder))
    return moment


def _writes_state(folder: Path) -> bool:
    """Whether the state of the micro-batch underway is being written."""
    files = (folder / "checkpoint" / "state").glob(f"*/*/{_planned(folder) + 1}.*")
    return any(files) and bool(_underway(folder))


def _has_given(folder: Path) -> bool:
    """Whether the rows of the micro-batch underway are in the sink, and it is not done.

    That lasts a few milliseconds.
    """
    given = _numbers(folder / "out" / "_spark_metadata")
    return any(number in given for number in _underway(folder))


def _wait(life: Life, reached: Callable[[], object], pause: float = _MOMENT) -> None:
    while not reached():
        if life.running.poll() is not None:
            if life.running.returncode:
                life.fail("the query failed before it was killed")
            return  # it came to its end: nothing is left to kill
        if time.monotonic() > life.until:
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
