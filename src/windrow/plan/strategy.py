"""Chooses the strategy of a parallel aggregation tree by name, as LightSaber writes it.

    P→Window                         Catalyst copies rows into their windows
    P→Pane, I→Window                 tasks fold rows; panes slide where their key is
    P→Pane, I→Sash, P→Window         panes to fragments by chunks of time, then merged
    S→Pane, I→Window                 rows are shuffled, and folded where their key is

LightSaber's own word is P→Pane, I→Sash, P*S→Window: any number of parallel merges and
a last sequential one.  Here the fragments of a window are merged in one step, in the
task where it opens, so that P→Window is what runs; its word is taken for that too.
Of other words of the paper (SABER's I→Sash, PS→Window; Flink's I→Window) nothing runs
here, and they are refused.
"""

from __future__ import annotations

from windrow.errors import BadInput

from .aggregate import Plan
from .catalyst import catalyst_can

ALONE, PANES, SASHES, ROWS = STRATEGIES = (
    "P→Window",
    "P→Pane, I→Window",
    "P→Pane, I→Sash, P→Window",
    "S→Pane, I→Window",
)
FORCED = "asked for by name"


def find_strategy(name: str) -> str:
    """A strategy by its word; spaces, commas and the form of arrows do not matter."""
    known = {_bare(word): word for word in STRATEGIES}
    known[_bare("P→Pane, I→Sash, P*S→Window")] = SASHES
    if _bare(name) not in known:
        raise BadInput.because(
            f"cannot run the strategy {name!r}",
            "nothing on Spark has that form",
            f"it is one of {'; '.join(STRATEGIES)}",
        )
    return known[_bare(name)]


def _bare(word: str) -> str:
    for mark in (" ", ",", "(", ")", "->", "→"):
        word = word.replace(mark, "")
    return word.lower()


def check_strategy(plan: Plan, strategy: str, level1: str) -> None:
    """Refuse a strategy that a plan cannot run by."""
    why = None
    if strategy == ALONE and not (catalyst_can(plan) and plan.is_even):
        why = "Spark's own aggregates do not give every result"
    if strategy in (PANES, SASHES) and level1 == "rows":
        why = "its rows cannot be folded before the shuffle"
    if strategy == SASHES and (plan.span is not None or not plan.is_even):
        why = "its windows are not put together from fragments"
    if strategy == SASHES and any(bound.aggregate.sketch for bound in plan.calls):
        why = "sketches are merged as slices"
    if strategy == ROWS and plan.span is not None:
        why = "events with a duration are folded by tasks"
    if why is not None:
        raise BadInput.because(
            f"cannot run this query by {strategy}",
            why,
            "leave strategy= to the planner; wr.explain says what it takes",
        )
