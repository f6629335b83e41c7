"""Generates `code_of(source, numbers, i)`, which numbers the key of a row.

    code of one column     rank[value], or the value less the least; a null is 0
    code of several        ((a * size of b) + b) * size of c + c

It is text, because which columns a query has, and which of them may be null, decides
what is read; least values and sizes are in `numbers`, so that tables share a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class KeyText:
    """Where a key column stands in `source`, and its least value and size in `numbers`.

    `value` is an expression over row i.  With `rank` it is looked up there; with
    `valid` codes of values begin at 1, and the least value is one less.
    """

    value: str
    low: int
    size: int
    rank: int | None = None
    valid: str | None = None

    @property
    def code(self) -> str:
        """The expression of the code."""
        code = f"(np.int64({self.value}) - read(numbers, {self.low}))"
        if self.rank is not None:
            code = f"np.int64(read(source[{self.rank}], {self.value}))"
        if self.valid is not None:
            code = f"select({self.valid}, {code}, np.int64(0))"
        return code

    @staticmethod
    def code_of(keys: Sequence[KeyText], left_in: str | None = None) -> str:
        """The function; rows for which the expression `left_in` is false are out."""
        text = keys[0].code
        for key in keys[1:]:
            text = f"({text}) * read(numbers, {key.size}) + {key.code}"
        if left_in is not None:
            text = f"select({left_in}, {text}, np.int64(-1))"
        return f"def code_of(source, numbers, i):\n    return {text}"
