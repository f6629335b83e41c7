"""Which tests run a line: one run of them all, watched by coverage.

    near = NearTests.of(tree, suites)        None if a test fails
    near.tests("src/windrow/x.py", [12])     some of those that ran line 12

A test that fails for a change is most often one that runs the changed line, and a few
of these take seconds where all take minutes.  The others cannot be left out for a
change that none of them notices: what a test made (a kernel, a plan) may be used by
another.
"""

from __future__ import annotations

import functools
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from coverage import Coverage, CoverageData

if TYPE_CHECKING:
    from collections.abc import Iterable

FEW = 30
"""As many tests are drawn where more than these ran a line."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Write down a line under the test that runs it (this module is a plug-in too)."""
    watching = Coverage.current()
    if watching is not None:
        watching.switch_context(item.nodeid)
    return (yield)


@dataclass(frozen=True)
class NearTests:
    """What the runs of the suites wrote down, in a copy of the tree."""

    tree: Path
    watched: tuple[CoverageData, ...]

    @classmethod
    def of(
        cls, tree: Path, suites: Sequence[Iterable[str]], environ: Mapping[str, str]
    ) -> NearTests | None:
        """Run each suite in a process of its own."""
        runs = [
            _begin(tree, tree / f"watched-{k}", tests, environ)
            for k, tests in enumerate(suites)
        ]
        failed = [path for path, running in runs if running.wait()]
        for path in failed:
            print(path.with_suffix(".log").read_text("utf-8")[-2_000:])
        watched = tuple(CoverageData(str(path)) for path, _ in runs)
        for data in watched:
            data.read()
        return None if failed else cls(tree.resolve(), watched)

    def tests(self, file: Path, lines: Iterable[int]) -> list[str]:
        """Some of the tests that ran one of these lines, the same each time."""
        by_line = self._by_line(file)
        found = sorted({test for line in lines for test in by_line.get(line, ())})
        draw = random.Random(f"{file}")
        return draw.sample(found, min(FEW, len(found)))

    @functools.cache  # noqa: B019 - it lives as long as the program
    def _by_line(self, file: Path) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for data in self.watched:
            for line, tests in data.contexts_by_lineno(str(self.tree / file)).items():
                found.setdefault(line, set()).update(test for test in tests if test)
        return found


def _begin(
    tree: Path, path: Path, tests: Iterable[str], environ: Mapping[str, str]
) -> tuple[Path, subprocess.Popen[bytes]]:
    watch = ["-m", "coverage", "run", "--source=src/windrow", f"--data-file={path}"]
    suite = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", __name__]
    with path.with_suffix(".log").open("wb") as log:
        running = subprocess.Popen(
            [sys.executable, *watch, *suite, *tests],
            cwd=tree,
            env={**os.environ, **environ},
            stdout=log,
            stderr=log,
        )
    return path, running
