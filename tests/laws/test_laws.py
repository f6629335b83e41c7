"""Every law an aggregate declares holds; every law it does not declare fails.

A planner that trusts a law too many gives wrong answers, one that knows a law too
few gives slow ones: so a flag that is missing is a failure here as well, shown by
the absence of a counterexample.

Partials are folds of one to three lifted rows, in stream order: a before b before
c.  Whole numbers are exact; partials that hold logarithms or centred powers agree
to 1e-9, relative and absolute.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import alike
from strategies import (
    INT_LEAST,
    INT_MOST,
    edge_integers,
    small,
    special_floats,
    whole_floats,
)
from windrow.aggregates import CATALOGUE, WIDE_SUM, Law

TOLERANCE = 1e-9
ROUNDED_FIELDS = {"mean", "mean_x", "log_total", "s1"}
"""A partial with one of these rounds, and has no agreed form once it is not finite."""

# Sums, and no more, are cancelled by subtraction.  These could be as well, but
# their partials are floats, which the planner never subtracts; `last` could be told
# from an empty newer part by its position, but no algorithm would gain by that.
INVERTIBLE_BUT_NOT_WORTH_IT = {
    "skew", "kurtosis", "covariance", "covariance_population", "correlation", "last",
}  # fmt: skip


class Case(NamedTuple):
    """An aggregate with the kind of its "value" fields."""

    aggregate: Any
    kind: str


def _kinds(aggregate: Any) -> tuple[str, ...]:
    if aggregate is WIDE_SUM or aggregate.accepts == "whole":
        return ("int",)
    return ("int", "float")


def _label(aggregate: Any) -> str:
    return "wide_sum" if aggregate is WIDE_SUM else aggregate.name


def _param(case: Case, *more: Any) -> Any:
    words = [_label(case.aggregate), case.kind, *(str(word) for word in more)]
    return pytest.param(case, *more, id="-".join(words))


ALL = [
    Case(aggregate, kind)
    for aggregate in (*CATALOGUE, WIDE_SUM)
    for kind in (() if aggregate.sketch else _kinds(aggregate))
]


def having(law: Law) -> list[Any]:
    """The cases that declare a law."""
    return [_param(case) for case in ALL if law in case.aggregate.laws]


# --- partials -------------------------------------------------------------------


def lift(aggregate: Any, value: Any, position: int) -> tuple[Any, ...]:
    """The partial of one row; its second column is made from the first."""
    other = float(position % 5) - value
    roles = {"value": value, "other": other, "position": position}
    taken = [role for role in aggregate.takes if role != "own"]
    return aggregate.lift(*(roles[role] for role in taken))


def fold(aggregate: Any, partials: list[Any]) -> Any:
    """Partials combined from the oldest on."""
    whole = partials[0]
    for partial in partials[1:]:
        whole = aggregate.combine(whole, partial)
    return whole


def identity_of(case: Case) -> tuple[Any, ...]:
    """The partial of nothing, for this kind."""
    identity = case.aggregate.identity
    return identity[case.kind] if isinstance(identity, dict) else identity


def values_for(case: Case, *, finite: bool) -> Any:
    """What the law is tried on: NaN and infinities, and the ends of int64."""
    names = {field.name for field in case.aggregate.fields}
    if case.kind == "float":
        rounds = finite or names & ROUNDED_FIELDS
        return whole_floats if rounds else special_floats
    compares = Law.SELECTIVE in case.aggregate.laws or names & {"min", "max"}
    return st.one_of(small, edge_integers) if compares or not names else small


def stretches(case: Case, count: int, *, finite: bool = False) -> Any:
    """`count` partials of neighbouring stretches of a stream."""
    one = st.lists(values_for(case, finite=finite), min_size=1, max_size=3)

    def partials(parts: list[list[Any]]) -> list[Any]:
        positions = itertools.count()
        return [
            fold(
                case.aggregate, [lift(case.aggregate, v, next(positions)) for v in part]
            )
            for part in parts
        ]

    return st.lists(one, min_size=count, max_size=count).map(partials)


def same(a: Any, b: Any) -> bool:
    """Equal as partials."""
    return alike(a, b, TOLERANCE)


# --- the laws that are declared -----------------------------------------------


@pytest.mark.parametrize("case", [_param(case) for case in ALL])
@given(data=st.data())
def test_combine_is_associative(case, data):
    a, b, c = data.draw(stretches(case, 3))
    combine = case.aggregate.combine

    actual = combine(combine(a, b), c)

    expected = combine(a, combine(b, c))
    assert same(actual, expected)


@pytest.mark.parametrize("case", [_param(case) for case in ALL])
@given(data=st.data())
def test_the_identity_changes_nothing_on_either_side(case, data):
    (a,) = data.draw(stretches(case, 1))
    nothing, combine = identity_of(case), case.aggregate.combine

    actual = combine(nothing, a), combine(a, nothing), combine(nothing, nothing)

    expected = a, a, nothing
    assert same(actual, expected)


@pytest.mark.parametrize("case", having(Law.COMMUTATIVE))
@given(data=st.data())
def test_a_commutative_aggregate_does_not_see_the_order(case, data):
    a, b = data.draw(stretches(case, 2))

    actual = case.aggregate.combine(b, a)

    expected = case.aggregate.combine(a, b)
    assert same(actual, expected)


@pytest.mark.parametrize("case", having(Law.INVERTIBLE))
@given(data=st.data())
def test_the_inverse_takes_off_the_oldest(case, data):
    a, b = data.draw(stretches(case, 2, finite=True))
    aggregate = case.aggregate

    actual = aggregate.inverse(aggregate.combine(a, b), a)

    expected = b
    assert same(actual, expected)


@pytest.mark.parametrize("case", having(Law.INVERTIBLE))
@given(data=st.data())
def test_the_inverse_of_all_there_is_leaves_nothing(case, data):
    (a,) = data.draw(stretches(case, 1, finite=True))

    actual = case.aggregate.inverse(a, a)

    expected = identity_of(case)
    assert same(actual, expected)


@pytest.mark.parametrize("case", having(Law.SELECTIVE))
@given(data=st.data())
def test_a_selective_aggregate_gives_one_of_the_two(case, data):
    a, b = data.draw(stretches(case, 2))

    actual = case.aggregate.combine(a, b)

    expected = (a, b)
    assert any(same(actual, one) for one in expected)


@pytest.mark.parametrize("case", having(Law.IDEMPOTENT))
@given(data=st.data())
def test_an_idempotent_aggregate_does_not_see_repetition(case, data):
    (a,) = data.draw(stretches(case, 1))

    actual = case.aggregate.combine(a, a)

    expected = a
    assert same(actual, expected)


@pytest.mark.parametrize("case", [_param(case) for case in ALL])
def test_only_holistic_partials_grow_with_the_window(case):
    partials = [lift(case.aggregate, value, value) for value in range(1, 9)]

    actual = len(fold(case.aggregate, partials))

    holistic = Law.HOLISTIC in case.aggregate.laws
    expected = 8 if holistic else len(case.aggregate.fields)
    assert actual == expected


# --- the laws that are not -------------------------------------------------------


def _pool(case: Case) -> list[Any]:
    """Partials of a few short stretches, later ones further down the stream."""
    cast = float if case.kind == "float" else int
    rows = [cast(value) for value in (0, 1, 1, 2, 3, -1, 2, 0)]
    singles = [lift(case.aggregate, value, at) for at, value in enumerate(rows)]
    pairs = [case.aggregate.combine(*pair) for pair in itertools.pairwise(singles)]
    return [*singles, *pairs]


# Twelve numbers and twelve others with equal power sums to 11 (Kuosa, Myrignac and
# Shuwen's solution of the Prouhet-Tarry-Escott problem), moved below zero, where
# the sketch keeps no logarithms.
ONE_SET, OTHER_SET = (
    [sign * value - 200 for value in half for sign in (1, -1)]
    for half in ((22, 61, 86, 127, 140, 151), (35, 47, 94, 121, 146, 148))
)


def _in_order(case: Case) -> list[tuple[Any, Any]]:
    """(a, b) with b newer than a, and b empty as well."""
    if case.aggregate.name == "moment_sketch":
        outside, *insides = (
            fold(case.aggregate, [lift(case.aggregate, v, 0) for v in values])
            for values in ([-400, 0], ONE_SET, OTHER_SET)
        )
        return [(outside, inside) for inside in insides]
    rows = _pool(case)[:8]
    pairs = list(itertools.combinations(rows, 2))
    return pairs + [(row, identity_of(case)) for row in rows]


def _breaks_commutative(case: Case) -> bool:
    combine = case.aggregate.combine
    return any(
        not same(combine(a, b), combine(b, a))
        for a, b in itertools.product(_pool(case), repeat=2)
    )


def _breaks_invertible(case: Case) -> bool:
    """Two newer parts that give the same whole: no inverse could tell them apart."""
    combine = case.aggregate.combine
    return any(
        same(combine(a, b), combine(a2, b2)) and same(a, a2) and not same(b, b2)
        for (a, b), (a2, b2) in itertools.combinations(_in_order(case), 2)
    )


def _breaks_selective(case: Case) -> bool:
    combine = case.aggregate.combine
    return any(
        not same(combine(a, b), a) and not same(combine(a, b), b)
        for a, b in itertools.product(_pool(case), repeat=2)
    )


def _breaks_idempotent(case: Case) -> bool:
    return any(not same(case.aggregate.combine(a, a), a) for a in _pool(case))


BREAKS = {
    Law.COMMUTATIVE: _breaks_commutative,
    Law.INVERTIBLE: _breaks_invertible,
    Law.SELECTIVE: _breaks_selective,
    Law.IDEMPOTENT: _breaks_idempotent,
}

UNDECLARED = [
    _param(case, law.name.lower())
    for case in ALL
    for law in BREAKS
    if law not in case.aggregate.laws
    and not (
        law is Law.INVERTIBLE and case.aggregate.name in INVERTIBLE_BUT_NOT_WORTH_IT
    )
]


@pytest.mark.parametrize(("case", "law"), UNDECLARED)
def test_a_law_that_is_not_declared_does_not_hold(case, law):
    refuted = BREAKS[Law[law.upper()]]

    actual = refuted(case)

    assert actual, f"{_label(case.aggregate)} seems to be {law}: declare it"


@pytest.mark.parametrize("name", sorted(INVERTIBLE_BUT_NOT_WORTH_IT))
def test_no_excuse_is_kept_that_is_not_needed(name):
    case = next(case for case in ALL if case.aggregate.name == name)

    actual = _breaks_invertible(case), Law.INVERTIBLE in case.aggregate.laws

    expected = (False, False)
    assert actual == expected


# --- fields that are shared ------------------------------------------------------


def _names(aggregate: Any) -> tuple[str, ...]:
    return tuple(field.name for field in aggregate.fields)


SHARED = [
    pytest.param(small_, large, id=f"{small_.name}-in-{large.name}")
    for small_, large in itertools.permutations(CATALOGUE, 2)
    if small_.fields and set(_names(small_)) <= set(_names(large))
]


@pytest.mark.parametrize(("part", "whole"), SHARED)
@given(data=st.data())
def test_a_field_of_one_name_means_one_number(part, whole, data):
    kind = data.draw(st.sampled_from(_kinds(part)))
    values = data.draw(
        st.lists(values_for(Case(whole, kind), finite=True), min_size=1, max_size=6)
    )
    places = [_names(whole).index(name) for name in _names(part)]

    lifted = [lift(whole, value, at) for at, value in enumerate(values)]
    actual = [fold(whole, lifted)[place] for place in places]
    nothing = [identity_of(Case(whole, kind))[place] for place in places]

    expected = fold(part, [lift(part, value, at) for at, value in enumerate(values)])
    assert same(actual, list(expected))
    assert same(nothing, list(identity_of(Case(part, kind))))


def test_wide_sums_carry_what_64_bits_cannot():
    values = [INT_MOST, INT_MOST, INT_MOST, INT_LEAST, INT_MOST]
    partials = [lift(WIDE_SUM, value, at) for at, value in enumerate(values)]

    high, low = fold(WIDE_SUM, partials)

    assert high * 2**32 + low == sum(values)
    assert 0 <= low < 2**32
