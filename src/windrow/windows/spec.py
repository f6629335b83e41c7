"""What a user writes as a window, before any data is seen.

Each kind of window has a file of its own, with what the user writes (a `Window`) and
what that means on a clock (its `Rule`).  All bounds are half-open.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, ClassVar, Self

from windrow.errors import BadInput, WindowError

from .clock import Clock
from .duration import Duration
from .policy_numbers import PolicyNumbers
from .rule import Rule

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

Ties = str | list[str] | tuple[str, ...] | None


class Window(ABC):
    """A window as the user writes it; immutable, and equal to one written alike.

    `kind` is a word for messages; windows of one list are of one kind.  Those that are
    numbered have a rule.  `on` names the time column, `ties` break ties of equal
    times, `name` labels the results.
    """

    kind: ClassVar[str]
    is_numbered: ClassVar[bool] = True
    on: str | None
    ties: tuple[str, ...]
    name: str | None
    span: tuple[str, str] | None = None

    @property
    def is_timed(self) -> bool:
        """Whether rows need a time to be placed in it."""
        return True

    @property
    def lengths(self) -> tuple[Duration, ...]:
        """The durations that a clock must count in whole ticks."""
        return ()

    @property
    def step(self) -> Duration | int | None:
        """How far apart windows begin; None where that varies."""
        return None

    @property
    @abstractmethod
    def identity(self) -> Hashable:
        """What windows that hold the same rows have in common: names do not count."""

    def replaced(self, **fields: Any) -> Self:
        """The same window with other fields, such as its name or its time column."""
        return dataclasses.replace(self, **fields)  # type: ignore[type-var]

    def policies(self) -> PolicyNumbers:
        """What makes events leave, and results fall due, one event at a time."""
        raise BadInput.because(
            f"cannot keep a window ({self}) one event at a time",
            f"{self.kind} windows have no policy that an operator follows",
            "use wr.aggregate(table, window, ...)",
        )

    def check_ticks(self, ticks: int) -> None:
        """Refuse a length of too many ticks."""
        if ticks >= 2**62:
            raise WindowError.because(
                f"cannot slide a {self}",
                "it is too long for 64-bit time",
                "use a shorter one",
            )

    @abstractmethod
    def rule(self, name: str | int, clock: Clock | None) -> Rule:
        """What the window means on that clock; `name` is its own, or its index."""


def tie_names(ties: Ties) -> tuple[str, ...]:
    """The columns that break ties, from what a user may write."""
    if ties is None:
        return ()
    return (ties,) if isinstance(ties, str) else tuple(ties)


def check_positive(label: str, text: str, amount: int) -> None:
    """Refuse a length of zero or less."""
    if amount <= 0:
        raise WindowError.because(
            f"cannot make a window with {label} {text}",
            f"a {label} must be more than zero",
            "use a positive length, such as '1 minute' or 60",
        )


def check_no_gap(range_text: str, slide_text: str, range_: int, slide: int) -> None:
    """Refuse a slide that is longer than the range."""
    if slide > range_:
        raise WindowError.because(
            f"cannot slide a range of {range_text} every {slide_text}",
            "the slide is longer than the range, so rows between windows would be lost",
            f"use a slide of at most {range_text}",
        )


def find_zone(name: str) -> ZoneInfo:
    """The time zone of that IANA name."""
    import zoneinfo  # noqa: PLC0415 - 2 ms, and few windows name a zone

    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise WindowError.because(
            f"cannot align to time zone {name!r}",
            "no such zone is known here",
            "use an IANA name such as 'Europe/Berlin'",
        ) from error
