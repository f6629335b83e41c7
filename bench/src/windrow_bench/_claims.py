"""Ways to judge a claim, from rows to a verdict, with the numbers that decide.

    ahead      one series against the best of others, at every place or on average
    level      a series keeps its rate over all places: least / most
    linear     a series grows as its place does: cores, rows
    between    a number of ours lies between two bounds

A claim of a paper is of its machine; here it holds if its sense does: who is ahead,
what is flat, what grows.  Within SLACK of a tie nobody is behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from .experiment import NotMeasured, Place, RowSet, Verdict

SLACK = 0.03

Where = Callable[[Place], bool]


def everywhere(_: Place) -> bool:
    """At all places."""
    return True


@dataclass(frozen=True)
class Among:
    """At places of these names: a claim speaks of all of them, measured or not."""

    names: tuple[str, ...]

    def __call__(self, x: Place) -> bool:
        """Whether it is one of them."""
        return x in self.names


def among(*names: str) -> Where:
    """At places of these names."""
    return Among(names)


def from_(least: float, most: float = float("inf")) -> Where:
    """At places of `least` and more."""
    return lambda x: isinstance(x, (int, float)) and least <= x <= most


def ahead(
    panel: str,
    mine: str,
    others: Sequence[str],
    *,
    times: float = 1.0,
    where: Where = everywhere,
    less: bool = False,
    on_average: bool = False,
) -> Callable[[RowSet], Verdict]:
    """`mine` is at least `times` the best of `others`; `less`: small is better."""

    def judge(rows: RowSet) -> Verdict:
        found: dict[Place, float] = {}
        for x in places(rows, panel, where):
            theirs = rows.present(panel, x, others)
            if not theirs:
                raise NotMeasured(f"none of {', '.join(others)} at {x} was measured")
            best = (min if less else max)(theirs.values())
            value = rows.value(panel, x, mine)
            found[x] = best / value if less else value / best
        worst = min(found, key=lambda x: found[x])
        mean = geometric_mean(found.values())
        ours = (
            f"{mean:.2f}x on average, {found[worst]:.2f}x at the worst ({_at(worst)})"
        )
        decides = mean if on_average else found[worst]
        return Verdict(ours, decides >= times * (1.0 - SLACK))

    return judge


def level(
    panel: str,
    series: Sequence[str],
    *,
    at_least: float = 0.5,
    where: Where = everywhere,
) -> Callable[[RowSet], Verdict]:
    """The least value of each is at least so much of its most."""

    def judge(rows: RowSet) -> Verdict:
        found: dict[str, float] = {}
        for one in series:
            values = [rows.value(panel, x, one) for x in places(rows, panel, where)]
            found[one] = min(values) / max(values)
        worst = min(found, key=lambda one: found[one])
        ours = f"least to most: {found[worst]:.2g} at the worst ({worst})"
        return Verdict(ours, found[worst] >= at_least)

    return judge


def linear(
    panel: str,
    series: Sequence[str] | None = None,
    *,
    up_to: float,
    share: float = 0.75,
) -> Callable[[RowSet], Verdict]:
    """From place 1 on each grows by at least `share` of what its place has grown."""

    def judge(rows: RowSet) -> Verdict:
        found: dict[tuple[str, Place], float] = {}
        for x in places(rows, panel, from_(1.001, up_to)):
            for one in series or rows.series(panel):
                grown = rows.value(panel, x, one) / rows.value(panel, 1, one)
                found[one, x] = grown / float(x)
        worst = min(found, key=lambda at: found[at])
        who, x = worst
        mean = geometric_mean(found.values())
        ours = (
            f"{mean:.2f} of linear growth on average, {found[worst]:.2f} at the worst "
            f"({who} {_at(x)})"
        )
        return Verdict(ours, found[worst] >= share)

    return judge


def between(
    number: Callable[[RowSet], float],
    words: str,
    at_least: float = float("-inf"),
    at_most: float = float("inf"),
) -> Callable[[RowSet], Verdict]:
    """Some number of ours lies in a range; `words` has {} for it."""

    def judge(rows: RowSet) -> Verdict:
        found = number(rows)
        return Verdict(words.format(f"{found:.2f}"), at_least <= found <= at_most)

    return judge


def places(rows: RowSet, panel: str, where: Where = everywhere) -> list[Place]:
    """The places of a panel that count; none at all cannot be judged."""
    found = rows.xs(panel, where=where)
    if not found:
        raise NotMeasured(f"no place of {panel} that counts was measured")
    return found


def _at(x: Place) -> str:
    return x if isinstance(x, str) else f"at {x:,.10g}"
