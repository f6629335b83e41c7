"""How long a run will still take, by how it has gone so far.

    left  =  planned seconds to come  x  (spent + PRIOR) / (planned for that + PRIOR)

PRIOR is faith in the plan: one trial that compiled for long does not yet make all
others long.

>>> pace = Pace(120.0)
>>> pace.left
120.0
>>> pace.spend(planned=60.0, actual=125.0)  # twice as slow as planned
>>> round(pace.left)
116
"""

from __future__ import annotations

PRIOR = 10.0  # seconds


class Pace:
    """Of a run that was planned to take so many seconds."""

    def __init__(self, planned: float) -> None:
        self._to_come = planned
        self._planned = self._spent = PRIOR

    def spend(self, planned: float, actual: float) -> None:
        """A trial is over that was to take `planned` and took `actual` seconds."""
        self._to_come = max(self._to_come - planned, 0.0)
        self._planned += planned
        self._spent += actual

    @property
    def left(self) -> float:
        """Seconds to come, never less than none."""
        return self._to_come * self._spent / self._planned
