"""Why lines of the library were not run by tests: each belongs to one of REASONS.

    lines that coverage missed  ->  by file, by statement  ->  docs/missed-lines.csv
                                                           ->  table in docs/testing.md

A line's file decides, else whether it belongs to a refusal: a `raise`, or what is said
before one in the same block.  What is left is listed with the functions it stands in.
"""

from __future__ import annotations

import ast
import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

BEGIN, END = "<!-- coverage: begin -->", "<!-- coverage: end -->"
WORKERS = "run in Spark's Python workers, processes that are not watched"
COMMANDS = "run by a command in a process of its own: the demo, the doctor, streams"
MACHINE = "stand for machine code: what types it, and its words as plain Python"
REFUSALS = "refuse an input, or pass on the error of a library"
REST = "a rare branch, one to eleven lines in a file"
REASONS = (COMMANDS, WORKERS, MACHINE, REFUSALS, REST)
ROOMS = {"cli": COMMANDS}
FILES = {
    "spark/worker.py": WORKERS,
    "spark/functions.py": WORKERS,
    "spark/processor.py": WORKERS,
    "spark/ship.py": WORKERS,
    "tasks/blocks.py": WORKERS,
    "tasks/sashes.py": WORKERS,
    "tasks/stream.py": WORKERS,
    "tasks/task.py": WORKERS,
    "aggregates/words.py": MACHINE,
    "kernels/infer.py": MACHINE,
    "loops/memory.py": MACHINE,
    "loops/plain.py": MACHINE,
    "selection/block_order.py": MACHINE,
}


class MissedLines(NamedTuple):
    """How many lines of a file have one reason; for rare branches, where they stand."""

    file: str
    lines: int
    reason: str
    where: str = ""


def reason_of(file: str, line: int, refusing: set[int]) -> str:
    """The reason of one line of a file below `src/windrow`."""
    by_place = FILES.get(file) or ROOMS.get(file.partition("/")[0])
    return by_place or (REFUSALS if line in refusing else REST)


def refusing_lines(source: str) -> set[int]:
    """First lines of statements that raise, and of those before them in a block."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            last = _last_raise(block) if isinstance(block, list) else -1
            if isinstance(block, list) and last >= 0:
                found |= {statement.lineno for statement in block[: last + 1]}
                found |= {node.lineno} if isinstance(node, ast.ExceptHandler) else set()
    return found


def _last_raise(block: list[ast.stmt]) -> int:
    places = (i for i, one in enumerate(block) if isinstance(one, ast.Raise))
    return max(places, default=-1)


def list_reasons(
    missed: Mapping[str, Iterable[int]], source: Path
) -> list[MissedLines]:
    """What was missed in each file, by reason; files are named below `source`."""
    found = []
    for file, lines in sorted(missed.items()):
        text = (source / file).read_text("utf-8")
        refusing, functions = refusing_lines(text), _functions(text)
        by_reason: dict[str, list[int]] = {}
        for line in lines:
            by_reason.setdefault(reason_of(file, line, refusing), []).append(line)
        for reason in REASONS:
            mine = by_reason.get(reason, [])
            names = [functions.get(line, "module") for line in mine]
            where = " ".join(dict.fromkeys(names)) if reason == REST else ""
            found += [MissedLines(file, len(mine), reason, where)] if mine else []
    return found


def _functions(source: str) -> dict[int, str]:
    """The innermost function or class of each line that stands in one."""
    found: dict[int, str] = {}

    def name(node: ast.AST, above: str) -> None:
        for inner in ast.iter_child_nodes(node):
            within = above
            if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                within = f"{above}.{inner.name}".strip(".")
                last = inner.end_lineno or inner.lineno
                found.update(dict.fromkeys(range(inner.lineno, last + 1), within))
            name(inner, within)

    name(ast.parse(source), "")
    return found


def count_reasons(listed: Iterable[MissedLines]) -> Counter[str]:
    """How many lines each reason has."""
    counts: Counter[str] = Counter()
    for one in listed:
        counts[one.reason] += one.lines
    return counts


def write_list(path: Path, listed: Sequence[MissedLines]) -> None:
    """Write all of it as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([MissedLines._fields, *listed])


def read_list(path: Path) -> list[MissedLines]:
    """What `write_list` wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        MissedLines(row["file"], int(row["lines"]), row["reason"], row["where"])
        for row in rows
    ]


def write_table(page: Path, share: float, of: int, counts: Counter[str]) -> None:
    """Put the table into a page, in place of what stood there."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    rows = [f"| {counts[reason]:,} | {reason} |" for reason in REASONS]
    words = (
        f"{share:.1f} % of {of:,} statements are run. Of the {counts.total():,} others"
    )
    table = "\n".join([f"{words}:", "", "| lines | which |", "| --- | --- |", *rows])
    by_file = (
        "File by file, with the functions of rare branches: [a list](missed-lines.csv)."
    )
    page.write_text(f"{before}{BEGIN}\n\n{table}\n\n{by_file}\n\n{END}{after}", "utf-8")
