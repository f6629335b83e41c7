"""Changes lines of the library one at a time: a test must fail each time.

    make test-mutants                          an hour's sample, the same each time
    python -m tools.mutants --minutes 10 --seed 7 --rooms windows slicing

cosmic-ray makes the mutants: another operator, another number, a condition turned
round.  They are drawn at random from all that there are, so that the share of survivors
is an estimate of the share among all.  One that changes annotations only is no mutant,
nor is one of which `EQUIVALENT` says why nobody can notice it; functions that write SQL
(`*_sql`) are left to tests with Spark, which do not run here.  Each runs in a copy of
the tree, one for each core, first against a few tests that run the changed line
(`near_tests.py`), then against all tests of its room, then against wider ones, all of
which must pass in the unchanged copy.  Survivors are written to mutants.txt with what
was changed.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import functools
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.near_tests import NearTests

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("aggregates", "algorithms", "windows", "slicing", "state")
TESTS: dict[str, tuple[str, ...]] = {
    "aggregates": ("tests/aggregates", "tests/laws"),
    "algorithms": (
        "tests/algorithms",
        "tests/agreement/test_slide.py",
        "tests/operator/test_rows.py",
    ),
    "windows": ("tests/windows", "tests/agreement/test_time_windows.py"),
    "slicing": ("tests/slicing", "tests/agreement/test_time_windows.py"),
    "state": ("tests/state", "tests/tasks"),
}  # fmt: skip
WIDER = ("tests/agreement", "tests/papers", "tests/batch", "tests/operator")
KINDS = (
    "AddNot", "NumberReplacer", "ReplaceAndWithOr", "ReplaceOrWithAnd",
    "ReplaceBinaryOperator_Add_Sub", "ReplaceBinaryOperator_Sub_Add",
    "ReplaceBinaryOperator_Mul_Add", "ReplaceBinaryOperator_FloorDiv_Mul",
    "ReplaceBinaryOperator_Mod_FloorDiv", "ReplaceBinaryOperator_BitAnd_BitOr",
    "ReplaceBreakWithContinue", "ReplaceContinueWithBreak",
    "ReplaceComparisonOperator_Lt_LtE", "ReplaceComparisonOperator_LtE_Lt",
    "ReplaceComparisonOperator_Gt_GtE", "ReplaceComparisonOperator_GtE_Gt",
    "ReplaceComparisonOperator_Eq_NotEq", "ReplaceComparisonOperator_NotEq_Eq",
    "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceUnaryOperator_USub_UAdd",
)  # fmt: skip
EQUIVALENT = {
    "spent -= 2": "when a scan goes on, not what it gives",
    "MOST_EDGES = 4097": "what `explain` draws of very many windows",
    "if dirty > -1 or F > keep or E > stop:": "levels are looked at in vain",
    "DENSE, SPARE = 17, 4096  # windows for each slice, and besides, that may "
    "hold none": "one of two ways to the same windows",
    "usable = np.logical_and.accumulate("
    "np.isfinite(powers - noise), axis=1)": "noise is infinite where powers are",
    "if time <= begin or time >= end:": "a slice is looked up once more",
    "return Answer(None, starts, np.empty( 1, np.int64), starts, stops, out)": "unread",
}
"""Lines as a mutant has them, and why no answer can differ."""
_PATIENCE = 300  # seconds of the processor: a mutant that never ends is dead
_PATIENCE_OF_FEW = 90  # the same, where only a few tests run
_DEADLOCK = 3600  # seconds of the clock: so is one that waits for ever


@dataclass(frozen=True)
class Mutant:
    """A place in a file, and the kind of change to make there."""

    file: Path
    kind: str
    place: int

    @functools.cached_property
    def text(self) -> str | None:
        """The file with that change; None if it changes no program."""
        # an extra of its own: `make test-mutants` installs it
        from cosmic_ray.mutating import mutate_code  # noqa: PLC0415
        from cosmic_ray.plugins import get_operator  # noqa: PLC0415

        source = (ROOT / self.file).read_text("utf-8")
        text = mutate_code(source, get_operator(f"core/{self.kind}")(), self.place)
        program, changed = _program(source), _program(text)
        if changed in (program, "") or EQUIVALENT.keys() & _new_lines(source, text):
            return None
        return str(text)

    def diff(self) -> str:
        """The lines that differ."""
        old = (ROOT / self.file).read_text("utf-8").splitlines()
        new = (self.text or "").splitlines()
        changed = difflib.unified_diff(old, new, n=0, lineterm="")
        return "\n".join(list(changed)[2:])

    def lines(self) -> range:
        """Those of the innermost statement that differs: of a block its first ones."""
        source = (ROOT / self.file).read_text("utf-8")
        pairs = zip(source.splitlines(), (self.text or "").splitlines(), strict=False)
        changed = next(k for k, (old, new) in enumerate(pairs, 1) if old != new)
        found = range(changed, changed + 1)
        for node in ast.walk(ast.parse(source)):  # outer ones come first
            if isinstance(node, ast.stmt) and node.end_lineno is not None:
                inner = getattr(node, "body", None)
                stop = inner[0].lineno if inner else node.end_lineno + 1
                if node.lineno <= changed < max(stop, node.lineno + 1):
                    found = range(node.lineno, max(stop, node.lineno + 1))
        return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw mutants and run tests against each until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=55)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", nargs="*", choices=ROOMS, default=list(ROOMS))
    asked = parser.parse_args(arguments)
    began = time.monotonic()
    until = began + 60 * asked.minutes
    mutants = [mutant for room in asked.rooms for mutant in mutants_of(room)]
    random.Random(asked.seed).shuffle(mutants)
    with tempfile.TemporaryDirectory() as folder:
        trees = [copy_tree(Path(folder, str(k))) for k in range(os.cpu_count() or 1)]
        own = dict.fromkeys(test for room in asked.rooms for test in TESTS[room])
        suites = (own, *((wide,) for wide in WIDER))
        near = NearTests.of(trees[0], suites, environment(trees[0]))
        if near is None:  # all mutants would be taken for dead
            print("tests fail without any mutant")
            return 2
        print(f"watched after {time.monotonic() - began:.0f} s", flush=True)
        found = judge(mutants, trees, near, until)
    survivors = [mutant for mutant, survives in found if survives]
    share = 100 * len(survivors) / max(len(found), 1)
    words = f"{len(survivors)} of {len(found)} mutants survive ({share:.1f} %), of"
    lines = [f"{words} {len(mutants)} in all; seed {asked.seed}"]
    lines += [f"\n{one.file}: {one.kind}\n{one.diff()}" for one in survivors]
    (ROOT / "mutants.txt").write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))
    return int(share > 5)


def judge(
    mutants: Sequence[Mutant], trees: Sequence[Path], near: NearTests, until: float
) -> list[tuple[Mutant, bool]]:
    """Which mutants survive, as far as the time goes; a thread for each tree."""
    coming, taking = iter(mutants), threading.Lock()
    found: list[tuple[Mutant, bool]] = []

    def work(tree: Path) -> None:
        while time.monotonic() < until:
            with taking:
                mutant = next((one for one in coming if one.text is not None), None)
                few = near.tests(mutant.file, mutant.lines()) if mutant else []
            if mutant is None:
                return
            survives = lives(mutant, tree, few)
            with taking:
                found.append((mutant, survives))
                state = "SURVIVES" if survives else "dead"
                line = f"{len(found):4}  {state:8}  {mutant.kind}  {mutant.file}"
                print(line, flush=True)

    threads = [threading.Thread(target=work, args=(tree,)) for tree in trees]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def mutants_of(room: str) -> Iterator[Mutant]:
    """Every mutant of the files of a room."""
    from cosmic_ray.ast import ast_nodes, get_ast  # noqa: PLC0415 - as above
    from cosmic_ray.plugins import get_operator  # noqa: PLC0415 - the same

    for path in sorted((ROOT / "src" / "windrow" / room).rglob("*.py")):
        nodes = list(ast_nodes(get_ast(path.read_text("utf-8"))))
        for kind in KINDS:
            operator = get_operator(f"core/{kind}")()
            found = sum(len(list(operator.mutation_positions(n))) for n in nodes)
            for place in range(found):
                yield Mutant(path.relative_to(ROOT), kind, place)


def lives(mutant: Mutant, tree: Path, few: Sequence[str]) -> bool:
    """Whether no test notices, the few that ran its line first."""
    target = tree / mutant.file
    original = target.read_text("utf-8")
    target.write_text(mutant.text or "", "utf-8")
    try:
        if few and not passes(few, tree, _PATIENCE_OF_FEW):
            return False
        suites = (TESTS[mutant.file.parts[2]], WIDER)
        return all(passes(tests, tree, _PATIENCE) for tests in suites)
    finally:
        target.write_text(original, "utf-8")


def passes(tests: Sequence[str], tree: Path, patience: int) -> bool:
    """Whether tests pass in that tree, interpreted and without Spark."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    try:
        answer = subprocess.run(
            [*command, *tests],
            cwd=tree,
            env={**os.environ, **environment(tree)},
            capture_output=True,
            check=False,
            timeout=_DEADLOCK,
            preexec_fn=functools.partial(_be_patient, patience),
        )
    except subprocess.TimeoutExpired:
        return False
    return answer.returncode == 0


def environment(tree: Path) -> dict[str, str]:
    """What makes tests run in that tree, without Spark."""
    return {
        "PYTHONPATH": str(tree / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "WINDROW_CACHE_DIR": str(tree / "cache"),
        "WINDROW_TEST_PROFILE": "mutants",
    }


def _be_patient(seconds: int) -> None:
    """Count processor time, so that a busy machine kills no mutant."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def copy_tree(folder: Path) -> Path:
    """A copy of what tests need, in which files can be changed."""
    for name in ("src", "bench", "tests", "docs", "examples", "tools"):
        skipped = shutil.ignore_patterns("__pycache__", "*.egg-info", "report.html")
        shutil.copytree(ROOT / name, folder / name, ignore=skipped)
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "mkdocs.yml"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def _new_lines(source: str, text: str) -> set[str]:
    return {line.strip() for line in {*text.splitlines()} - {*source.splitlines()}}


def _program(source: str) -> str:
    """What of a text runs here: no annotations, no SQL; "" if it is no program."""
    try:
        tree: Any = ast.parse(source)
    except SyntaxError:  # a star among parameters is no multiplication
        return ""
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                setattr(node, name, ast.Constant(None))
        if isinstance(node, ast.FunctionDef) and node.name.endswith("_sql"):
            node.body = [ast.Pass()]
    return ast.dump(tree)


if __name__ == "__main__":
    sys.exit(main())
