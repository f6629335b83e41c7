"""Truth and bits. Partials: (any), (all), (bit_and), (bit_or), (bit_xor)."""

from dataclasses import replace

from ._aggregate import Aggregate, Field, Law
from .functions import lift_value, lower_first
from .words import select


def _truth_lift(value):
    return (select(value != 0, 1, 0),)


def _any_combine(older, newer):
    return (older[0] | newer[0],)


def _all_combine(older, newer):
    return (older[0] & newer[0],)


ANY = Aggregate(
    name="any",
    fields=(Field("any", "int", native="max(if({value} != 0, 1, 0))"),),
    identity=(0,),
    lift=_truth_lift,
    combine=_any_combine,
    lower=lower_first,
    laws=Law.COMMUTATIVE | Law.SELECTIVE | Law.IDEMPOTENT,
    accepts="truth",
    result="truth",
    summary="whether some value is true",
    sql="max({value} != 0)",
)

ALL = replace(
    ANY,
    name="all",
    fields=(Field("all", "int", native="min(if({value} = 0, 0, 1))"),),
    identity=(1,),
    combine=_all_combine,
    summary="whether every value is true",
    sql="min({value} != 0)",
)


def _and_combine(older, newer):
    return (older[0] & newer[0],)


def _or_combine(older, newer):
    return (older[0] | newer[0],)


def _xor_combine(older, newer):
    return (older[0] ^ newer[0],)


BIT_AND = Aggregate(
    name="bit_and",
    fields=(Field("bit_and", "int", native="bit_and({value})"),),
    identity=(-1,),
    lift=lift_value,
    combine=_and_combine,
    lower=lower_first,
    laws=Law.COMMUTATIVE | Law.IDEMPOTENT,
    accepts="whole",
    result="value",
    summary="bits set in all values",
    sql="bit_and({raw})",
)

BIT_OR = replace(
    BIT_AND,
    name="bit_or",
    fields=(Field("bit_or", "int", native="bit_or({value})"),),
    identity=(0,),
    combine=_or_combine,
    summary="bits set in some value",
    sql="bit_or({raw})",
)

BIT_XOR = replace(
    BIT_AND,
    name="bit_xor",
    fields=(Field("bit_xor", "int", native="bit_xor({value})"),),
    identity=(0,),
    combine=_xor_combine,
    inverse=_xor_combine,
    laws=Law.COMMUTATIVE | Law.INVERTIBLE,
    summary="bits set in an odd number of values",
    sql="bit_xor({raw})",
)
