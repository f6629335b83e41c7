"""Turns a window's policies into the numbers that an operator's loop goes by."""

from __future__ import annotations

from dataclasses import dataclass

from windrow.errors import BadInput
from windrow.windows import Duration, Rows, Sliding
from windrow.windows.policy import (
    BY_HAND,
    COUNT,
    DELTA,
    PUNCTUATION,
    TIME,
    Delta,
    Policy,
    Punctuation,
    Reactive,
)

EXACT = 2**53  # a delta is measured in floats, which are exact up to here


@dataclass(frozen=True)
class PolicyNumbers:
    """Both policies: their kinds, lengths, and the columns they look at.

    `numeric` says that instants are plain numbers; None where there are none.
    `waits` says that results fall due now and then, and wait to be taken; elsewhere
    each event has its own, and only the last is ever asked for.
    """

    evict: int
    trigger: int
    range: int = 0
    every: int = 0
    anchor: int = 0
    since: int = 0
    furthest: float = 0.0
    step: float = 0.0
    mark: str | None = None
    signal: str | None = None
    flag: str | None = None
    numeric: bool | None = None

    @property
    def timed(self) -> bool:
        """Whether events need an instant."""
        return self.numeric is not None

    @property
    def aligned(self) -> bool:
        """Whether windows are [end - range, end) at ends `every` apart."""
        return self.evict == TIME and self.trigger == TIME

    @property
    def waits(self) -> bool:
        """Whether results wait to be taken."""
        return self.trigger != BY_HAND and not (
            self.trigger == COUNT and self.every == 1
        )

    @property
    def every_row(self) -> bool:
        """Whether it is a window of rows that reports every row, once it is full."""
        count = self.evict == COUNT and self.trigger == COUNT and self.every == 1
        return count and self.since == 1 - self.range

    @property
    def punctuated(self) -> bool:
        """Whether a punctuation has a meaning."""
        return PUNCTUATION in (self.evict, self.trigger)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that policies look at."""
        names = (self.mark, self.signal, self.flag)
        return tuple(dict.fromkeys(name for name in names if name is not None))


def policy_numbers(window: Sliding | Rows | Reactive | None) -> PolicyNumbers:
    """The policies of a window; None is all by hand."""
    if window is None:
        return PolicyNumbers(BY_HAND, BY_HAND)
    if isinstance(window, Rows):
        first = (
            (window.range - 1) % window.slide + 1 if window.partial else window.range
        )
        since = window.slide - first
        return PolicyNumbers(COUNT, COUNT, window.range, window.slide, since=since)
    if isinstance(window, Sliding) and window.span is not None:
        raise BadInput.because(
            "cannot take in events with a duration one at a time",
            "an operator's window holds points, and span= names two columns",
            "use wr.aggregate(table, window, ...)",
        )
    if isinstance(window, Sliding):
        return PolicyNumbers(
            TIME,
            TIME,
            window.range.amount,
            window.slide.amount,
            anchor=window.shift.amount + window.range.amount,
            numeric=not window.range.is_time,
        )
    if isinstance(window, Reactive):
        return _reactive(window)
    raise BadInput.because(
        f"cannot keep {window!r} as a window",
        f"it is of type {type(window).__name__}",
        "make one with wr.rows(...), wr.sliding(...) or wr.window(...), or give None",
    )


def _reactive(window: Reactive) -> PolicyNumbers:
    evict, trigger = window.evict, window.trigger
    times = [policy for policy in (evict, trigger) if isinstance(policy, Duration)]
    return PolicyNumbers(
        _kind(evict),
        _kind(trigger),
        _amount(evict),
        _amount(trigger),
        furthest=evict.distance if isinstance(evict, Delta) else 0.0,
        step=trigger.distance if isinstance(trigger, Delta) else 0.0,
        mark=evict.column if isinstance(evict, Delta) else None,
        signal=trigger.column if isinstance(trigger, Delta) else None,
        flag=_flag(evict, trigger),
        numeric=not times[0].is_time if times else None,
    )


def _kind(policy: Policy | None) -> int:
    kinds = {int: COUNT, Duration: TIME, Delta: DELTA, Punctuation: PUNCTUATION}
    return BY_HAND if policy is None else kinds[type(policy)]


def _amount(policy: Policy | None) -> int:
    if isinstance(policy, Duration):
        return policy.amount
    return policy if isinstance(policy, int) else 0


def _flag(evict: Policy | None, trigger: Policy | None) -> str | None:
    names = {
        policy.column
        for policy in (evict, trigger)
        if isinstance(policy, Punctuation) and policy.column is not None
    }
    if len(names) > 1:
        raise BadInput.because(
            "cannot follow two punctuations",
            f"eviction and trigger name {' and '.join(sorted(names))}",
            "use one column for both",
        )
    return names.pop() if names else None


__all__ = ["EXACT", "PolicyNumbers", "policy_numbers"]
