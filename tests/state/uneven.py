"""A rule whose windows are of many lengths, for tests: nothing in it is arithmetic.

    edges       0   1       5   7                20   21      25   27 ...
    windows     [---k=0-----)                         each begins at an edge, and ends
                    [---k=1-----)                     `reach` edges further on
                            [---k=2--------------)

The edges repeat with a period, so that there is a window around every instant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from windrow.windows import Rule


@dataclass(frozen=True)
class Uneven(Rule):
    """Window k begins at edge k and ends at edge k + reach."""

    edges: tuple[int, ...]
    period: int
    reach: int
    name: str | int = 0
    text: str = "uneven"

    @property
    def longest(self) -> int:
        return max(self.end(k) - self.begin(k) for k in range(len(self.edges)))

    @property
    def step(self) -> int:
        return min(self.begin(k + 1) - self.begin(k) for k in range(len(self.edges)))

    @property
    def overlap(self) -> int:
        return self.reach

    def begin(self, k: Any) -> Any:
        count = len(self.edges)
        if isinstance(k, np.ndarray):
            return k // count * self.period + np.array(self.edges)[k % count]
        return k // count * self.period + self.edges[k % count]

    def end(self, k: Any) -> Any:
        return self.begin(k + self.reach)

    def last_over(self, t: Any) -> Any:
        within = (t - self.edges[0]) % self.period + self.edges[0]
        found = np.searchsorted(np.array(self.edges), within, side="right") - 1
        if not isinstance(t, np.ndarray):
            found = int(found)
        return (t - self.edges[0]) // self.period * len(self.edges) + found

    def first_over(self, t: Any) -> Any:
        return self.last_over(t) - self.reach + 1

    def cut(self, t: Any) -> Any:
        return self.begin(self.last_over(t))

    def next_cut(self, t: Any) -> Any:
        return self.begin(self.last_over(t) + 1)

    def cut_sql(self, column: str) -> str:
        raise NotImplementedError(column)

    def end_sql(self, start: str) -> str:
        raise NotImplementedError(start)

    def fingerprint(self) -> str:
        return f"edges {self.edges} period {self.period} reach {self.reach}"
