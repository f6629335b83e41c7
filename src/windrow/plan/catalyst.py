"""Decides which windows Catalyst computes by itself, without a visit to Python.

    tumbling    groupBy(keys, window)                        each row is in one window
    few         explode(windows), groupBy(keys, window)      each row is in a few

Catalyst can where every call has its result in SQL.  It should where nothing slides,
and where copies cost less than what slices cost on their way to Python and back.
Measured over three frames, two cores, seconds, beside Spark's own `window()`:

    windows of a row                         2          3          6          12
    337,000 flights, 3 keys    copies      0.48       0.40       0.52       0.65
                               slices      1.03       0.83       0.75       0.68
                               window()    0.48       0.54       0.62       0.85
    2M rows, 300 in a slice    copies      0.64       0.84       1.11       1.92
                               slices      0.68       0.52       0.56       0.49
                               window()    0.81       0.92       1.61       2.95
    60,000 keys, 200,000 rows  copies      0.52       0.80       1.28       2.58
                               slices      1.14       0.87       1.03       1.49
                               window()    0.60       0.89       1.25       2.76

(the least of three runs on a busy machine, copies written by hand).  Up to COPIES,
slices may lose to `window()`; copies are ahead of it or level.  An event that lasts
is in as many windows more as it lasts slides: the hint `lasting` says how many these
are, and without it fewer speak for copies.
"""

from __future__ import annotations

from pyarrow import types as pat

from windrow.aggregates import WIDE_SUM, Law
from windrow.aggregates.types import reading
from windrow.errors import BadInput
from windrow.windows import parse_duration

from .aggregate import Plan
from .bind import BoundCall
from .requests import may_overflow

COPIES = 6
SPAN_COPIES = 3

_NATIVE = "Spark's own aggregates give every result, and nothing visits Python"


def catalyst_reason(plan: Plan, lasting: object = None) -> str | None:
    """The reason why Catalyst computes all windows by itself; None if it does not.

    Events with a duration last about as long as `lasting`, if that is known.
    """
    rule = plan.rules[0]
    copies = None if lasting is None else _copies(plan, lasting)
    if not catalyst_can(plan):
        return None
    if plan.span is None and rule.tumbles:
        return f"the window tumbles: {_NATIVE}"
    if not rule.is_even:
        return None
    if copies is not None:
        less = f"is in about {copies} windows, and copies cost less than slices"
        reason = f"an event that lasts {lasting} {less} up to {COPIES}: {_NATIVE}"
        return reason if copies <= COPIES else None
    if rule.overlap > (COPIES if plan.span is None else SPAN_COPIES):
        return None
    if plan.span is not None:
        return (
            f"each event is copied into its windows, {rule.overlap} and one more for "
            f"each slide that it lasts: {_NATIVE}; where events last for many slides, "
            "say how long with lasting=, and each is sent as one row"
        )
    return (
        f"each row is copied into its {rule.overlap} windows, which costs less than "
        f"slices up to {COPIES}: {_NATIVE}"
    )


def catalyst_can(plan: Plan) -> bool:
    """Whether Catalyst is able to compute all windows by itself, cheap or not."""
    return (
        len(plan.rules) == 1
        and not plan.counts_rows
        and plan.algorithm == "auto"
        and plan.slicer.whole_windows
        and all(_has_sql(plan, bound) for bound in plan.calls)
    )


def _copies(plan: Plan, lasting: object) -> int:
    """In how many windows an event is that lasts so long."""
    if plan.span is None:
        raise BadInput.because(
            f"cannot plan for events that last {lasting}",
            "windows over on= hold points, which last no time",
            "leave out lasting=, or name both bounds with span=('start', 'end')",
        )
    assert plan.clock is not None
    length = plan.clock.ticks(parse_duration(lasting, what="how long events last"))
    rule = plan.rules[0]
    return rule.overlap + max(length, 0) // max(rule.step, 1)


def result_sql(bound: BoundCall) -> str | None:
    """The result of a call in SQL, in the words of `Field.native`, or None."""
    aggregate = bound.aggregate
    kind = bound.types[0] if bound.types else None
    if kind is None or aggregate.name not in ("sum", "mean", "range"):
        return aggregate.sql
    if aggregate.name == "range":
        return aggregate.sql if _is_difference_exact(bound) else None
    if pat.is_decimal(kind):
        return "sum({raw})" if aggregate.name == "sum" else "avg({raw})"
    if aggregate.name == "sum" and reading(kind) == "instant":
        return "sum({raw})"
    if aggregate.name == "sum" and may_overflow(bound):
        return WIDE_SUM.sql
    return aggregate.sql


def words_sql(bound: BoundCall) -> dict[str, str]:
    """The fields, in SQL, that the result of a call is made of where it says so.

    Only an exact sum does: its two words are named often, and Spark analyses each text
    of a sum as often as it stands there.
    """
    if result_sql(bound) != WIDE_SUM.sql:
        return {}
    return {field.name: str(field.native) for field in WIDE_SUM.fields}


def reads_time(plan: Plan) -> bool:
    """Whether the result of a call, in SQL, names the instants of rows."""
    texts = [result_sql(bound) or "" for bound in plan.calls]
    return any(word in text for text in texts for word in ("{time}", "{order}"))


def _is_difference_exact(bound: BoundCall) -> bool:
    """Whether max - min is a number of its type: of 64 bits it may not be.

    The distance of instants depends on the session's time zone in Spark.
    """
    kind = bound.types[0]
    if pat.is_decimal(kind) or reading(kind) != "number":
        return False
    return bool(pat.is_floating(kind)) or kind.bit_width < 64


def _has_sql(plan: Plan, bound: BoundCall) -> bool:
    """Whether a call has its result in SQL, with the order that the plan asks for."""
    if plan.span is not None and Law.COMMUTATIVE not in bound.aggregate.laws:
        return False
    if plan.ties and bound.aggregate.name in ("arg_min", "arg_max"):
        return False
    return result_sql(bound) is not None
