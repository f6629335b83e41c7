"""Numbers windows in Spark's SQL, where their bounds are arithmetic.

    number == (t - origin) div slide * spread        of the last window that begins by t
    begin  == number div spread * slide + origin

`spread` keeps numbers apart in Spark's fast map of groups (`slicing/cut.py`).  `div`
rounds towards zero, so that the origin of timestamps is a window's begin before all of
them: that is one division, and the text names the instant once, which Spark analyses as
often as it stands there.  In other columns any 64 bits may come, and what is before the
origin is rounded apart.
"""

from __future__ import annotations

from windrow._later import dataclass

from .rule import Rule

FURTHEST = 1 << 62
"""Microseconds before 1970 that no timestamp is further back: 146,000 years."""


@dataclass(frozen=True)
class SqlNumbers:
    """The numbers of a rule's windows, times `spread`, over a column of instants."""

    rule: Rule
    spread: int
    are_timestamps: bool

    @property
    def _all_after(self) -> bool:
        """Whether all instants are after the origin."""
        return self.are_timestamps and self.rule.even.range < FURTHEST // 4

    @property
    def _origin(self) -> int:
        slide, shift = self.rule.even.slide, self.rule.even.shift
        return shift % slide - (-(-FURTHEST // slide) * slide if self._all_after else 0)

    def last(self, time: str) -> str:
        """The number of the last window that begins by an instant."""
        return f"({self._floor(time, self._origin)} * {self.spread}L)"

    def all(self, first: str, last: str) -> str:
        """The numbers of all windows over [first, last], a row each."""
        range_, slide, _ = self.rule.even
        since = self._floor(first, self._origin + range_ - slide)
        low = f"({since}) * {self.spread}L"
        return f"explode(sequence({low}, {self.last(last)}, {self.spread}L))"

    def begin(self, number: str) -> str:
        """The begin of a window; it is nullable, as what `div` gives is."""
        return self._instant(number, self._origin)

    def end(self, number: str) -> str:
        """The end of a window, also nullable."""
        return self._instant(number, self._origin + self.rule.even.range)

    def _instant(self, number: str, origin: int) -> str:
        plain = f"({number} div {self.spread}L)"
        return f"({_plus(f'{plain} * {self.rule.even.slide}L', origin)})"

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
