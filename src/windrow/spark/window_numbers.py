"""Numbers windows in Spark's SQL, where their bounds are arithmetic.

    number == (t - origin) div slide * spread        of the last window that begins by t
    begin  == number div spread * slide + origin

Numbers are spread over the fast map of groups (`spread_of`).  `div` rounds towards
zero, so that the origin of timestamps is a window's begin before all of them: that is
one division, and the text names the instant once, which Spark analyses as often as it
stands there.  In other columns any 64 bits may come, and what is before the origin is
rounded apart.
"""

from __future__ import annotations

from pyspark.sql.types import DataType, TimestampNTZType, TimestampType

from windrow._later import dataclass
from windrow.slicing import spread_of
from windrow.windows import Rule

FURTHEST = 1 << 62
"""Microseconds before 1970 that no timestamp is further back: 146,000 years."""


@dataclass(frozen=True)
class WindowNumbers:
    """The numbers of a rule's windows over columns of a type."""

    rule: Rule
    kind: DataType

    @property
    def _all_after(self) -> bool:
        """Whether all instants are after the origin."""
        are_timestamps = isinstance(self.kind, (TimestampType, TimestampNTZType))
        return are_timestamps and self.rule.even.range < FURTHEST // 4

    @property
    def _origin(self) -> int:
        slide, shift = self.rule.even.slide, self.rule.even.shift
        return shift % slide - (-(-FURTHEST // slide) * slide if self._all_after else 0)

    @property
    def _spread(self) -> int:
        return spread_of(self.rule.even.slide)

    def last(self, time: str) -> str:
        """The number of the last window that begins by an instant."""
        return f"({self._floor(time, self._origin)} * {self._spread}L)"

    def all(self, first: str, last: str) -> str:
        """The numbers of all windows over [first, last], a row each."""
        range_, slide, _ = self.rule.even
        since = self._floor(first, self._origin + range_ - slide)
        low = f"({since}) * {self._spread}L"
        return f"explode(sequence({low}, {self.last(last)}, {self._spread}L))"

    def begin(self, number: str, later: int = 0) -> str:
        """The begin of a window, or an instant some ticks later; it is nullable."""
        slide, plain = self.rule.even.slide, f"({number} div {self._spread}L)"
        return f"({_plus(f'{plain} * {slide}L', self._origin + later)})"

    def _floor(self, time: str, origin: int) -> str:
        ticks, slide = f"({_plus(time, -origin)})", f"{self.rule.even.slide}L"
        if self._all_after:
            return f"{ticks} div {slide}"
        before = f"({ticks} + 1L) div {slide} - 1L"
        return f"if({ticks} >= 0L, {ticks} div {slide}, {before})"


def _plus(text: str, ticks: int) -> str:
    if not ticks:
        return text
    return f"{text} {'-' if ticks < 0 else '+'} {abs(ticks)}L"
