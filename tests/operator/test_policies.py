"""Every eviction policy with every trigger, in every algorithm that allows it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from plain_policies import results
from windrow.algorithms import CATALOGUE
from windrow.loops import interpreting

EVICT = {
    "count": (("count", 3), 3),
    "time": (("time", 7), "7"),
    "delta": (("delta", 4), wr.delta("d", 4)),
    "mark": (("mark",), wr.punctuation("mark")),
}
TRIGGER = {
    "count": (("count", 2), 2),
    "time": (("time", 5), "5"),
    "delta": (("delta", 3), wr.delta("d", 3)),
    "mark": (("mark",), wr.punctuation("mark")),
}
ALGORITHMS = [one.name for one in CATALOGUE if one.steps is not None]
LISTS = wr.Aggregate(
    name="lists",
    lift=lambda value: (value,),
    combine=lambda older, newer: older + newer,
    lower=list,
)
events = st.lists(
    st.tuples(
        st.integers(0, 9), st.integers(0, 3), st.sampled_from([False] * 3 + [True])
    )
)


def stream(steps: list[tuple[int, int, bool]]) -> list[dict[str, Any]]:
    found, t, d = [], 0, 0
    for number, (later, further, mark) in enumerate(steps):
        t, d = t + later, d + further
        found.append({"x": number, "t": t, "d": d, "mark": mark})
    return found


def window(evict: str, trigger: str) -> Any:
    def number(policy: Any) -> Any:
        return wr.windows.Duration(policy, number=int(policy))

    given = [EVICT[evict][1], TRIGGER[trigger][1]]
    given = [number(one) if isinstance(one, str) else one for one in given]
    if evict == trigger == "count":
        return wr.rows(3, every=2, partial=True)
    return wr.window(evict=given[0], trigger=given[1])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("trigger", TRIGGER)
@pytest.mark.parametrize("evict", EVICT)
@given(steps=events, cut=st.integers(0, 10), single=st.booleans())
def test_results_fall_due_as_the_policies_say(
    evict, trigger, algorithm, steps, cut, single
):
    folds = {"slick_deque": max, "subtract_on_evict": sum, "slick_deque_inv": sum}
    lower = folds.get(algorithm, list)
    kept = {name: getattr(wr, fold.__name__)("x") for name, fold in folds.items()}
    given = stream(steps)
    timed = "time" in (evict, trigger)
    if algorithm == "pba" and evict not in ("count", "time"):
        return
    with interpreting():
        operator = wr.Operator(
            window(evict, trigger),
            kept.get(algorithm, LISTS("x")),
            algorithm=algorithm,
        )
        found: list[Any] = []
        for event in given[:cut] if not single else given:
            operator.insert(event, at=event["t"] if timed else None)
        rest = [] if single else given[cut:]
        if rest:
            columns = {name: [event[name] for event in rest] for name in rest[0]}
            fed = operator.feed(columns, at=columns["t"] if timed else None)
            found += [one.value for one in fed]
        found += [one.value for one in operator.trigger()]

    expected = results(given, EVICT[evict][0], TRIGGER[trigger][0])
    if evict == trigger == "count":
        expected = [(max(end - 3, 0), end) for end in range(1, len(given) + 1, 2)]
    assert found == [lower([e["x"] for e in given[a:b]]) for a, b in expected]


def test_a_window_that_reports_now_and_then_can_be_asked_at_any_moment():
    with interpreting():
        op = wr.Operator(wr.rows(4, every=2), wr.max())

        op.insert(3.0)
        op.insert(2.0)

        assert op.query() == 3.0
        op.feed([1.0, 0.0, -1.0])
        assert op.query() == 2.0
