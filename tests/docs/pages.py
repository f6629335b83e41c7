"""The pages of the docs, and the examples on them.

    ```python
    print(1 + 1)          run, in the order of the page, in one namespace for it
    ```

    ```text
    2                     what the block right above it prints, if it is one of Python
    ```

A page whose examples begin with a SparkSession needs one.
"""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    path.name: path.read_text("utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)


class Example(NamedTuple):
    """A block of Python, the line of the page that it begins at, what it prints."""

    code: str
    line: int
    printed: str


def examples(page: str) -> list[Example]:
    """The examples of a page, in order."""
    text = PAGES[page]
    return [
        Example(
            found["code"],
            text.count("\n", 0, found.start("code")) + 1,
            found["printed"] or "",
        )
        for found in BLOCK.finditer(text)
    ]


def needs_spark(page: str) -> bool:
    """Whether the examples of a page ask for a session."""
    return any("SparkSession" in one.code for one in examples(page))


def compiled(page: str, example: Example) -> object:
    """Code that knows its page and line, and whose source can be looked up.

    Functions of aggregates are taken over as text, so there must be one.
    """
    lines = "\n" * (example.line - 1) + example.code
    name = f"<{page}, line {example.line}>"
    linecache.cache[name] = (len(lines), None, lines.splitlines(keepends=True), name)
    return compile(lines, name, "exec")


__all__ = ["PAGES", "ROOT", "Example", "compiled", "examples", "needs_spark"]
