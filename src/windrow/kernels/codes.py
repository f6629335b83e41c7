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
    `valid` codes of values begin at 1, as ranks do.  With `length`, the number of
    ranks, the value less the least is looked up, and rows that have no rank, or no
    value, have no code.
    """

    value: str
    low: int
    size: int
    rank: int | None = None
    valid: str | None = None
    length: int | None = None

    @property
    def code(self) -> str:
        """The expression of the code; negative if there is none."""
        code = f"(np.int64({self.value}) - read(numbers, {self.low}))"
        if self.length is not None:
            inside = f"({code} >= 0) & ({code} < read(numbers, {self.length}))"
            if self.valid is not None:
                inside = f"{self.valid} & {inside}"
            place = f"select({inside}, {code}, np.int64(0))"
            rank = f"np.int64(read(source[{self.rank}], {place}))"
            return f"select({inside}, {rank}, np.int64(-1))"
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
    def code_of(keys: Sequence[KeyText], tests: Sequence[KeyText] = ()) -> str:
        """The function; rows are left out where a code of a key or of one of the
        `tests` is negative.
        """
        lines = [f"key{n} = {key.code}" for n, key in enumerate((*keys, *tests))]
        code = "key0" if keys else "np.int64(0)"
        for n, key in enumerate(keys[1:], 1):
            code = f"({code}) * read(numbers, {key.size}) + key{n}"
        texts = []
        for n, key in enumerate((*keys, *tests)):
            texts += [f"(key{n} >= 0)"] if key.length is not None else []
        if texts:
            code = f"select({' & '.join(texts)}, {code}, np.int64(-1))"
        body = "".join(f"    {line}\n" for line in (*lines, f"return {code}"))
        return f"def code_of(source, numbers, i):\n{body.rstrip()}"
