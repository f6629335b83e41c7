"""Why lines of the library were not run by tests: each belongs to one of REASONS.

    lines that coverage missed  ->  by file, by statement  ->  table in docs/testing.md

A line's file decides, else whether it belongs to a refusal: a `raise`, or what is said
before one in the same block.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

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


def count_reasons(missed: Mapping[str, Iterable[int]], source: Path) -> Counter[str]:
    """How many lines each reason has; files are named below `source`."""
    counts: Counter[str] = Counter()
    for file, lines in missed.items():
        refusing = refusing_lines((source / file).read_text("utf-8"))
        counts.update(reason_of(file, line, refusing) for line in lines)
    return counts


def write_table(page: Path, share: float, of: int, counts: Counter[str]) -> None:
    """Put the table into a page, in place of what stood there."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    rows = [f"| {counts[reason]:,} | {reason} |" for reason in REASONS]
    words = (
        f"{share:.1f} % of {of:,} statements are run. Of the {counts.total():,} others"
    )
    table = "\n".join([f"{words}:", "", "| lines | which |", "| --- | --- |", *rows])
    page.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", "utf-8")
