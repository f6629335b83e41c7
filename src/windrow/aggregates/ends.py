"""First and last value that is not null. Partials: (first_at) and (last_at).

Only positions pass through the loop, so any column type works.  These two do not
commute: tests with them catch an algorithm that swaps its operands.
"""

from ._aggregate import Aggregate, Field, Law


def _lift(position):
    return (position,)


def _lower(partial):
    return partial[0]


def _first_combine(older, newer):
    return older if older[0] >= 0 else newer


def _last_combine(older, newer):
    return newer if newer[0] >= 0 else older


FIRST = Aggregate(
    name="first",
    fields=(
        Field(
            "first_at",
            "int",
            native="min_by({payload}, if({valid}, {order}, null))",
        ),
    ),
    identity=(-1,),
    lift=_lift,
    combine=_first_combine,
    lower=_lower,
    laws=Law.SELECTIVE | Law.IDEMPOTENT,
    takes=("position",),
    accepts="anything",
    result="position",
    summary="the first value that is not null",
)

LAST = Aggregate(
    name="last",
    fields=(
        Field(
            "last_at",
            "int",
            native="max_by({payload}, if({valid}, {order}, null))",
        ),
    ),
    identity=(-1,),
    lift=_lift,
    combine=_last_combine,
    lower=_lower,
    laws=Law.SELECTIVE | Law.IDEMPOTENT,
    takes=("position",),
    accepts="anything",
    result="position",
    summary="the last value that is not null",
)
