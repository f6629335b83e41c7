"""Count windows: a number of rows of a key, moved on by a number of rows.

wr.rows(1000, every=10)      window i of a key covers its rows [10 i, 10 i + 1000)
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable
from typing import ClassVar

from windrow._later import dataclass
from windrow.errors import WindowError

from .clock import Clock
from .policy_numbers import COUNT, PolicyNumbers
from .rule import Even, EvenRule
from .spec import Ties, Window, check_no_gap, check_positive, tie_names


@dataclass(frozen=True)
class Rows(Window):
    """A count window W[range, slide] over the rows of a key.

    `partial` answers every window that holds a row, clipped at both ends;
    otherwise only complete windows come out.
    """

    kind: ClassVar[str] = "count"

    range: int
    slide: int
    partial: bool = False
    on: str | None = None
    ties: tuple[str, ...] = ()
    name: str | None = None

    def __str__(self) -> str:
        partial = " partial" if self.partial else ""
        return f"rows {self.range} slide {self.slide}{partial}"

    @property
    def is_timed(self) -> bool:
        """Rows are counted in whatever order they have."""
        return False

    @property
    def step(self) -> int:
        return self.slide

    @property
    def identity(self) -> Hashable:
        return self.kind, self.range, self.slide, self.partial, self.on, self.ties

    def policies(self) -> PolicyNumbers:
        """Events leave beyond `range` rows; results fall due every `slide` rows."""
        first = (self.range - 1) % self.slide + 1 if self.partial else self.range
        since = self.slide - first
        return PolicyNumbers(COUNT, COUNT, self.range, self.slide, since=since)

    def rule(self, name: str | int, clock: Clock | None) -> Counted:
        del clock
        even = Even(self.range, self.slide, 0)
        return Counted(name, str(self), even, not self.partial)


@dataclass(frozen=True)
class Counted(EvenRule):
    """Count windows: instants are places of rows within their key."""

    is_complete: bool = True
    counts_rows = True

    def fingerprint(self) -> str:
        clipped = "" if self.is_complete else " partial"
        return f"rows range {self.even.range} slide {self.even.slide}{clipped}"


def rows(
    range: int,
    *,
    every: int = 1,
    partial: bool = False,
    on: str | None = None,
    ties: Ties = None,
    name: str | None = None,
) -> Rows:
    """A window of `range` rows, moved on by `every` rows.

    Rows stand in arrival order, or in the order of the column `on`; `ties` names the
    columns that order rows at one instant.  Only complete windows come out; with
    `partial` every window that holds a row, clipped at both ends.  `name` is what the
    column `query` of a list of windows says.

    >>> str(rows(1000, every=10))
    'rows 1000 slide 10'
    """
    for label, value in (("range", range), ("slide", every)):
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise WindowError.because(
                f"cannot make a rows window with {label} {value!r}",
                f"it is of type {type(value).__name__}, not a whole number",
                "count rows, as in rows(1000, every=10); "
                "for time write sliding('1 hour', every='1 minute')",
            )
        check_positive(label, str(value), int(value))
    check_no_gap(str(range), str(every), int(range), int(every))
    return Rows(int(range), int(every), bool(partial), on, tie_names(ties), name)
