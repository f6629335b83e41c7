"""Claims that several panels decide together.

    cells       (panel, place) -> how much faster some are than others
    always      some are ahead in every cell
    changes     they are further ahead in some cells than in others
    steady      one has about the same rate everywhere

Who is ahead is told of the best of `mine`, or of `each` of them, against the best of
`others`; whoever was not measured at a place is left out there, and a claim that holds
so is told to hold where it was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import geometric_mean

from ._claims import SLACK, Where, everywhere
from .experiment import NotMeasured, Place, RowSet, Verdict

Cell = tuple[str, Place]
Judge = Callable[[RowSet], Verdict]


def cells(
    rows: RowSet,
    panels: Sequence[str],
    mine: Sequence[str],
    others: Sequence[str],
    *,
    where: Where = everywhere,
    each: bool = False,
) -> dict[Cell, float]:
    """How much faster `mine` are than the best of `others`, where it counts."""
    found: dict[Cell, float] = {}
    for panel in panels:
        for x in rows.xs(panel, where=where):
            ours = rows.present(panel, x, mine, best=not each).values()
            theirs = rows.present(panel, x, others).values()
            if ours and theirs:
                found[panel, x] = (min if each else max)(ours) / max(theirs)
    if not found:
        raise NotMeasured(f"{mine[0]} was not measured beside {others[0]}")
    return found


def always(
    panels: Sequence[str],
    mine: Sequence[str],
    others: Sequence[str],
    *,
    times: float = 1.0,
    where: Where = everywhere,
    each: bool = False,
) -> Judge:
    """`mine` are at least `times` as fast in every cell."""

    def judge(rows: RowSet) -> Verdict:
        found = cells(rows, panels, mine, others, where=where, each=each)
        return in_all(found, times=times)

    return judge


def in_all(found: dict[Cell, float], *, times: float = 1.0) -> Verdict:
    """The least of some cells is at least `times`."""
    worst = min(found, key=lambda cell: found[cell])
    mean = geometric_mean(found.values())
    ours = f"{mean:.2f}x on average, {found[worst]:.2f}x at the worst {at(worst)}"
    return Verdict(ours, found[worst] >= times * (1.0 - SLACK))


def changes(
    before: Callable[[RowSet], dict[Cell, float]],
    after: Callable[[RowSet], dict[Cell, float]],
    words: str,
    *,
    least: float = 1.0,
) -> Judge:
    """The mean of some cells is above that of others; `words` has {} for both."""

    def judge(rows: RowSet) -> Verdict:
        was = geometric_mean(before(rows).values())
        now = geometric_mean(after(rows).values())
        return Verdict(words.format(f"{was:.2f}", f"{now:.2f}"), now > least * was)

    return judge


def rates(
    panels: Sequence[str], names: Sequence[str], where: Where = everywhere
) -> Callable[[RowSet], dict[Cell, float]]:
    """Plain rates, a cell for each name, panel and place."""

    def look(rows: RowSet) -> dict[Cell, float]:
        found: dict[Cell, float] = {
            (f"{name}, {panel}", x): value
            for panel in panels
            for x in rows.xs(panel, where=where)
            for name, value in rows.present(panel, x, names).items()
        }
        if not found:
            raise NotMeasured(f"{names[0]} was not measured where it counts")
        return found

    return look


def steady(
    panels: Sequence[str],
    name: str,
    *,
    at_least: float = 0.5,
    apart: bool = False,
) -> Judge:
    """The least rate of one is at least so much of its most; `apart`: in each panel."""

    def judge(rows: RowSet) -> Verdict:
        found: dict[str, float] = {}
        for some in ([one] for one in panels) if apart else (list(panels),):
            rate = rates(some, [name])(rows).values()
            found[some[0]] = min(rate) / max(rate)
        worst = min(found, key=lambda one: found[one])
        ours = f"least to most: {found[worst]:.2f}"
        ours += f" at the worst ({worst})" if apart else ""
        return Verdict(ours, found[worst] >= at_least)

    return judge


def at(cell: Cell) -> str:
    """A cell in words."""
    panel, x = cell
    place = x if isinstance(x, str) else f"{x:,.10g}"
    return f"({panel}, at {place})"
