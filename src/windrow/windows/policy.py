"""Windows by policy: what makes events leave, and what makes results fall due.

    wr.window(evict="24 hours", trigger=100, on="ts")    a day, told every 100 rows
    wr.window(evict=wr.delta("odometer", 5.0))           the last five miles
    wr.window(evict=wr.punctuation("last"), trigger=wr.punctuation("last"))

    evict                     an event leaves when
    1000                      a thousand newer ones have come
    "24 hours"                it is not later than the newest event less 24 hours
    wr.delta(column, d)       the newest event's column is more than d past its own
    wr.punctuation(column)    a marked event has come: all leave, that one too

    trigger                   a result falls due when
    100                       100 events have come since the last
    "1 minute"                a full minute passes
    wr.delta(column, d)       the column has moved on by more than d since the last
    wr.punctuation(column)    a marked event has come

Two durations are `wr.sliding`, two whole numbers `wr.rows`.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable
from typing import Any, ClassVar

from windrow._later import dataclass
from windrow.errors import BadInput, WindowError

from .clock import Clock
from .counted import Rows, rows
from .duration import Duration, parse_duration
from .periodic import Sliding, sliding
from .policy_numbers import BY_HAND, COUNT, DELTA, PUNCTUATION, TIME, PolicyNumbers
from .rule import Rule
from .spec import Ties, Window, tie_names


@dataclass(frozen=True)
class Delta:
    """How far a column that never falls has moved on."""

    column: str
    distance: float

    def __str__(self) -> str:
        return f"{self.column} by {self.distance:g}"


@dataclass(frozen=True)
class Punctuation:
    """A mark: a column that is true, or `Operator.punctuate()` where there is none."""

    column: str | None = None

    def __str__(self) -> str:
        return "punctuation" + (f" {self.column}" if self.column else "")


Policy = int | Duration | Delta | Punctuation
_KINDS = {
    type(None): BY_HAND, int: COUNT, Duration: TIME,
    Delta: DELTA, Punctuation: PUNCTUATION,
}  # fmt: skip


@dataclass(frozen=True)
class PolicyWindow(Window):
    """A window by policy; either is None where that is done by hand.

    Its bounds follow from the rows and not from a rule: it is not numbered.
    """

    kind: ClassVar[str] = "policy"
    is_numbered: ClassVar[bool] = False

    evict: Policy | None
    trigger: Policy | None
    on: str | None = None
    ties: tuple[str, ...] = ()
    name: str | None = None

    def __str__(self) -> str:
        return f"evict {_word(self.evict)} trigger {_word(self.trigger)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that policies look at, time apart."""
        policies = (self.evict, self.trigger)
        names = (getattr(policy, "column", None) for policy in policies)
        return tuple(dict.fromkeys(name for name in names if name is not None))

    @property
    def is_timed(self) -> bool:
        return bool(self.lengths)

    @property
    def lengths(self) -> tuple[Duration, ...]:
        policies = (self.evict, self.trigger)
        return tuple(policy for policy in policies if isinstance(policy, Duration))

    @property
    def identity(self) -> Hashable:
        return self.kind, self.evict, self.trigger, self.on, self.ties

    def policies(self) -> PolicyNumbers:
        evict, trigger, lengths = self.evict, self.trigger, self.lengths
        return PolicyNumbers(
            _KINDS[type(evict)],
            _KINDS[type(trigger)],
            _amount(evict),
            _amount(trigger),
            furthest=evict.distance if isinstance(evict, Delta) else 0.0,
            step=trigger.distance if isinstance(trigger, Delta) else 0.0,
            mark=evict.column if isinstance(evict, Delta) else None,
            signal=trigger.column if isinstance(trigger, Delta) else None,
            flag=_flag(evict, trigger),
            numeric=not lengths[0].is_time if lengths else None,
        )

    def rule(self, name: str | int, clock: Clock | None) -> Rule:
        """Refused: there are no numbered windows."""
        del name, clock
        raise WindowError.because(
            f"cannot slide a window ({self}) here",
            "a window by policy has no numbers that could be slid over",
            "use wr.sliding or wr.rows",
        )


def delta(column: str, distance: float) -> Delta:
    """A policy by how far `column` has moved on: by `distance`; it must never fall.

    >>> str(window(evict=delta("km", 100), trigger=delta("km", 10)))
    'evict km by 100 trigger km by 10'
    """
    cause = "a distance is zero or more, and finite"
    if isinstance(distance, bool) or not isinstance(distance, numbers.Real):
        cause = f"it is of type {type(distance).__name__}, not a number"
    elif 0 <= distance < math.inf:
        return Delta(column, float(distance))
    raise WindowError.because(
        f"cannot measure {column!r} by {distance!r}",
        cause,
        "give a distance, as in wr.delta('odometer', 5.0)",
    )


def punctuation(column: str | None = None) -> Punctuation:
    """A policy by marks: a row whose boolean `column` is true ends something.

    `column=None` is a mark that an operator is given by hand, by its method
    `punctuate`; tables have no such mark.

    >>> str(window(evict=punctuation("is_last"), trigger=1))
    'evict punctuation is_last trigger 1 rows'
    """
    return Punctuation(column)


def window(
    evict: Any = None,
    trigger: Any = 1,
    *,
    on: str | None = None,
    ties: Ties = None,
    name: str | None = None,
) -> PolicyWindow | Sliding | Rows:
    """A window by what makes events leave it, and what makes its results fall due.

    `evict` says when an event leaves, `trigger` when a result falls due: whole numbers
    count rows, durations are time, `wr.delta` and `wr.punctuation` are what they say.
    None is by hand, which only an operator can have.  For `on`, `ties`
    and `name` see `wr.sliding`.

    >>> str(window(evict="24 hours", trigger=100, on="ts"))
    'evict 24 hours trigger 100 rows'
    >>> window(evict=1000, trigger=10) == rows(1000, every=10)
    True
    """
    leaves, falls = _policy(evict, "evict"), _policy(trigger, "trigger")
    if isinstance(leaves, Duration) and isinstance(falls, Duration):
        return sliding(leaves, every=falls, on=on, ties=ties, name=name)
    if isinstance(leaves, int) and isinstance(falls, int):
        return rows(leaves, every=falls, on=on, ties=ties, name=name)
    return PolicyWindow(leaves, falls, on, tie_names(ties), name)


def _policy(policy: Any, what: str) -> Policy | None:
    if policy is None or isinstance(policy, (Delta, Punctuation)):
        return policy
    try:
        length = parse_duration(policy, what=what)
    except WindowError:
        raise WindowError.because(
            f"cannot {what} by {policy!r}",
            f"it is of type {type(policy).__name__}, and not a policy",
            "give a number of rows, a duration such as '24 hours', "
            "wr.delta(column, d) or wr.punctuation(column)",
        ) from None
    if length.amount <= 0:
        raise WindowError.because(
            f"cannot {what} by {length.text}",
            "it must be more than zero",
            "count rows from 1, or give a duration such as '1 minute'",
        )
    return length.amount if isinstance(policy, numbers.Integral) else length


def _word(policy: Policy | None) -> str:
    if policy is None:
        return "by hand"
    if isinstance(policy, Duration):
        return policy.text
    return f"{policy} rows" if isinstance(policy, int) else str(policy)


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
