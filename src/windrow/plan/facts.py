"""What a scan of the rows can tell the planner: nulls, magnitudes, lengths, numbers.

Facts that nobody has looked for stand for nothing: on Spark the rows are not there yet
when a plan is made, so that sums get two words and columns may hold nulls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from windrow._later import dataclass

from .bind import BoundCall
from .cells import CellFacts
from .requests import KernelRequest, may_overflow
from .selection import EvenWindows, choose_selections
from .spans import Lengths


@dataclass(frozen=True)
class Facts:
    """What a scan of the rows has found out; the defaults stand for nothing.

    `nulls` are the columns that may hold one (None: all of them), `magnitudes` the
    largest absolute values of columns of whole numbers, `longest` is the number of
    rows of the longest key, `spans` says how long events with a duration last, and
    `gapless` that each slide of a time window holds a row of each key that is there.
    `ranges` are the numbers of values that columns of whole numbers lie among, and
    `run` is the number of rows of a key on average; `threads` may work at once.
    `cells` says how many cells rows could be folded into; what a sort would tell beyond
    that is found out by `after_sort`, if rows are sorted.
    """

    nulls: frozenset[str] | None = None
    magnitudes: Mapping[str, int] = field(default_factory=dict)
    longest: int | None = None
    spans: Lengths | None = None
    gapless: bool = False
    threads: int = 1
    ranges: Mapping[str, int] = field(default_factory=dict)
    run: float = 0.0
    cells: CellFacts | None = None
    after_sort: Callable[[], Facts] | None = field(default=None, compare=False)

    def __hash__(self) -> int:
        return hash((self.nulls, self.longest, self.threads, self.cells))

    def select(
        self, request: KernelRequest, calls: Sequence[BoundCall], width: int | None
    ) -> KernelRequest:
        """The request with methods for windows of so many rows that move on by one."""
        if not request.selections:
            return request
        even = None if width is None else EvenWindows(width, self.run)
        known = choose_selections(calls, self.ranges, self.nulls, even)
        return replace(request, selections=known)

    def has_nulls(self, column: str) -> bool:
        """Whether a column may hold a null."""
        return self.nulls is None or column in self.nulls

    def two_words(self, rows: int | None) -> Callable[[BoundCall], bool]:
        """A test whether the sum of a call over `rows` rows could pass 64 bits."""
        counts = [count for count in (rows, self.longest) if count is not None]

        def needs_two_words(bound: BoundCall) -> bool:
            if not may_overflow(bound):
                return False
            most = self.magnitudes.get(bound.columns[0])
            return most is None or not counts or most * (min(counts) + 1) >= 2**63

        return needs_two_words
