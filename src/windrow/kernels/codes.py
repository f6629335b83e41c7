"""Generates `code_of(source, numbers, i)`, which numbers the key of a row.

Also `is_left_in(source, i)`, by which rows are left out before they have one.

    code of one column     rank[value], or the value less the least; a null is 0
    code of several        ((a * size of b) + b) * size of c + c
    code of none           0

It is text, because which columns a query has, and which of them may be null, decides
what is read; least values and sizes are in `numbers`, so that tables share a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow._later import dataclass


@dataclass(frozen=True)
class KeyText:
    """How a key column is read, and its least value and size in `numbers`.

    `value` is an expression over row i.  With `rank` it is looked up there; with
    `valid` codes of values begin at 1, as ranks do.
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
        elif self.valid is not None:  # the least less one may be below 64 bits
            code = f"({code} + np.int64(1))"
        if self.valid is not None:
            code = f"select({self.valid}, {code}, np.int64(0))"
        return code

    @staticmethod
    def is_left_in(condition: str | None) -> str:
        """The function that tells which rows stay, and so which need a code."""
        return f"def is_left_in(source, i):\n    return {condition or True}"

    @staticmethod
    def code_of(keys: Sequence[KeyText], tests: Sequence[str] = ()) -> str:
        """The function; rows for which one of the `tests` is false have no code."""
        lines = [f"key{n} = {key.code}" for n, key in enumerate(keys)]
        code = "key0" if keys else "np.int64(0)"
        for n, key in enumerate(keys[1:], 1):
            code = f"({code}) * read(numbers, {key.size}) + key{n}"
        if tests:
            code = f"select({' & '.join(tests)}, {code}, np.int64(-1))"
        body = "".join(f"    {line}\n" for line in (*lines, f"return {code}"))
        return f"def code_of(source, numbers, i):\n{body.rstrip()}"
