"""What an experiment is: a card, what it tries, and what it claims.

    Experiment --trials(size)--> Trial, Trial, ...      a trial is one place on the
                                   |                    x-axis of one panel
                                 run()                  all contenders, in turns
                                   |
                                  Row, Row, ...         what is kept, as data
                                   |
    Claim.judge(RowSet) --------> Verdict               holds, or not, or no telling

A trial is what a run resumes at: it is kept whole or not at all, so that contenders
that are compared have been measured side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

T = TypeVar("T")

Place = float | str
"""Where on the x-axis: a number, or a word for places without an order."""

Kind = Literal["lines", "bars", "boxes", "table", "map"]


@dataclass(frozen=True)
class Size:
    """How large a run is: `seconds` is what one experiment aims at, `rounds` repeats.

    Compiling is apart from both.
    """

    name: str
    seconds: float
    rounds: int

    @property
    def quick(self) -> bool:
        """Whether this run is for a first look."""
        return self.name == "quick"

    def pick(self, quick: T, full: T) -> T:
        """The first in a quick run, the second in a full one."""
        return quick if self.quick else full


QUICK = Size("quick", 12.0, 5)
FULL = Size("full", 240.0, 9)
SIZES = {one.name: one for one in (QUICK, FULL)}


@dataclass(frozen=True)
class Row:
    """One number: the median of `repeats`, with the least and the most of them."""

    panel: str
    x: Place
    series: str
    value: float
    low: float
    high: float
    repeats: int
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """One place on the x-axis; `run` is told how many seconds it may take."""

    panel: str
    x: Place
    run: Callable[[float], list[Row]]

    @property
    def key(self) -> str:
        """What it is called among the experiment's trials."""
        return f"{self.panel} | {self.x}"


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One picture of a figure, or one table.

    lines     value over x                      log axes where the paper has them
    bars      groups by x, a bar for each series
    boxes     x is least, 25 %, median, 75 %, ... in this order: a box a series
    table     x down the side, series across
    map       facts["y"] over x: the name of the best series in each cell
    """

    name: str
    x: str
    y: str
    kind: Kind = "lines"
    log_x: bool = False
    log_y: bool = False
    more_is_better: bool = True
    map_y: str = ""


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds here; None: it cannot be judged, and `why` says so."""

    ours: str
    holds: bool | None
    why: str = ""


@dataclass(frozen=True)
class Claim:
    """What the paper says, in one sentence, with its number, and how to tell.

    `why` is a cause that is supposed where it does not hold here; `tried` tells what
    was changed, one thing alone, to find it, and what that gave: without it the cause
    is not found out.
    """

    text: str
    theirs: str
    judge: Callable[[RowSet], Verdict]
    why: str = ""
    tried: str = ""


class NotMeasured(LookupError):
    """A claim asks for a place that this run has not: no memory, no library."""


class RowSet:
    """The measured rows of an experiment, as claims read them.

    They remember what was read, which is what a claim speaks of: single places,
    conditions on all places of a panel, and who was named and `absent` at a place.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self.all = list(rows)
        self.absent: dict[tuple[str, Place], list[str]] = {}
        self._read: set[tuple[str, Place]] = set()
        self._used: set[tuple[str, Place, str]] = set()
        self._conditions: list[tuple[str, Callable[[Place], bool]]] = []
        self._at = {(row.panel, row.x, row.series): row for row in self.all}

    def row(self, panel: str, x: Place, series: str) -> Row:
        """One of them."""
        self._read.add((panel, x))
        self._used.add((panel, x, series))
        try:
            return self._at[panel, x, series]
        except KeyError:
            raise NotMeasured(f"{series} at {x} was not measured") from None

    def value(self, panel: str, x: Place, series: str) -> float:
        """Its number."""
        return self.row(panel, x, series).value

    def ratio(self, panel: str, x: Place, one: str, other: str) -> float:
        """One series to another, at one place."""
        return self.value(panel, x, one) / self.value(panel, x, other)

    def xs(
        self,
        panel: str,
        series: str | None = None,
        where: Callable[[Place], bool] = lambda _: True,
    ) -> list[Place]:
        """The places of a panel, or of one of its series, in the order of measuring."""
        self._conditions.append((panel, where))
        self._read |= {(panel, x) for x in getattr(where, "names", ())}
        found = [
            row.x
            for row in self.all
            if row.panel == panel and series in (None, row.series) and where(row.x)
        ]
        return list(dict.fromkeys(found))

    def present(
        self, panel: str, x: Place, names: Sequence[str], *, best: bool = False
    ) -> dict[str, float]:
        """The numbers of those who took part at a place; slow ones may have sat out.

        Who is named and did not is `absent` there.  Where the `best` of the names is
        asked for, who took part nowhere in the panel is not missed: it could only have
        been better.
        """
        self._read.add((panel, x))
        there = {name for name in names if (panel, x, name) in self._at}
        missed = self.series(panel) if best else names
        if lacking := [n for n in names if n in missed and n not in there]:
            self.absent.setdefault((panel, x), []).extend(lacking)
        return {name: self.value(panel, x, name) for name in names if name in there}

    def spoke_of(self, panel: str, x: Place) -> bool:
        """Whether what was read so far would have taken in that place."""
        held = (where(x) for asked, where in self._conditions if asked == panel)
        return (panel, x) in self._read or any(held)

    @property
    def panels_read(self) -> list[str]:
        """Panels of which something was read, or asked for."""
        read = [panel for panel, _ in sorted(self._read, key=repr)]
        return list(dict.fromkeys([*(panel for panel, _ in self._conditions), *read]))

    def never_measured(self) -> list[str]:
        """Places that were asked for by name and have no row, as keys of trials."""
        there = {(row.panel, row.x) for row in self.all}
        return [f"{p} | {x}" for p, x in sorted(self._read, key=repr)
                if (p, x) not in there]  # fmt: skip

    @property
    def under_grain(self) -> bool:
        """Whether a number that was read is no more than the clock's grain."""
        used = (self._at[at] for at in self._used if at in self._at)
        return any(row.value <= row.facts.get("grain", 0.0) for row in used)

    def series(self, panel: str) -> list[str]:
        """Who took part in a panel."""
        return list(dict.fromkeys(r.series for r in self.all if r.panel == panel))


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """The card of an experiment.

    `needs` are libraries besides Windrow's own: without one it is left out, and the
    report says so.  `threads` it may run on: 0, all there are; `share` is how much of
    the usual time it takes.
    """

    name: str
    paper: str
    shows: str
    title: str
    workload: str
    panels: tuple[Panel, ...]
    claims: tuple[Claim, ...]
    trials: Callable[[Size], list[Trial]]
    needs: tuple[str, ...] = ()
    threads: int = 1
    share: float = 1.0

    def panel(self, name: str) -> Panel:
        """One of its pictures."""
        return next(one for one in self.panels if one.name == name)
