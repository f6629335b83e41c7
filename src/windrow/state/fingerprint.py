"""Describes a query, so that state which another query wrote is refused.

State means something only to the query that wrote it.  Its header holds a description
of that query: all that changes an answer, in words that a person can compare.  A
query that finds another description is refused with what differs.

    windows      fingerprints of their rules, and names where there are several
    aggregates   columns, types, options and frames
    functions    of a user's own aggregates, by a digest of their code
    the rest     keys, time, ties=, late=, slicer, buckets, how the state is laid out

A digest of code can be compared within one minor version of Python only.  Version 0.1
remembered less: its state is taken over if all that it says fits, with a warning where
the query has something that it could not say.  State from before late rows counted is
taken over as it is.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from typing import Any

from windrow._later import dataclass
from windrow.aggregates import functions_fingerprint
from windrow.errors import StateError, StateWarning
from windrow.plan.aggregate import Plan
from windrow.plan.as_of import AsOfPlan
from windrow.plan.bind import BoundCall
from windrow.plan.by_policy import PolicyPlan
from windrow.plan.frame import Frame, is_count_of_values
from windrow.plan.over import OverPlan
from windrow.plan.table import TablePlan
from windrow.windows import Rule

FORM, FORM_NUMBER = "the form of this description", 3
FUNCTIONS = "the functions of your own aggregates"
LAYOUT = "the layout of the state"


@dataclass(frozen=True)
class QueryDescription:
    """A query in words: those that are remembered, and those of version 0.1.

    `unsaid` is what the query has and version 0.1 did not remember.
    """

    words: dict[str, Any]
    former_words: dict[str, Any]
    unsaid: tuple[str, ...]


def describe(
    plan: Plan | OverPlan | PolicyPlan,
    *,
    buckets: int,
    layout: str,
    late: str = "count",
    pace: Mapping[str, str] | None = None,
) -> QueryDescription:
    """What must stay the same as long as the state is kept.

    `layout` is how the state is kept, which follows from the rest, unless a later
    version decides otherwise; `pace` is what moves its time, beside the watermark.
    """
    types = {name: str(plan.schema.field(name).type) for name in plan.reads}
    common: dict[str, Any] = {
        "the keys": [f"{name} {types[name]}" for name in plan.by],
        "ties=": list(plan.ties),
        "the number of buckets": buckets,
        LAYOUT: layout,
    }
    calls = {
        bound.name: f"{bound.name}={bound.call.label} of "
        f"{', '.join(map(str, bound.types))}{_form_words(bound)}"
        for bound in plan.calls
    }
    clock = plan.clock
    words = {
        FORM: FORM_NUMBER,
        "the aggregates": [calls[b.name] + _option_words(b) for b in plan.calls],
        FUNCTIONS: [
            [bound.name, _python(), functions_fingerprint(bound.aggregate)]
            for bound in _own_calls(plan)
        ],
        "the time column": None
        if clock is None
        else f"{clock.column} {types[clock.column]} in ticks of {clock.instant}",
        "late=": late,
        **(pace or {}),
        **common,
    }
    former = {
        "the aggregates": list(calls.values()),
        "the time column": None if clock is None else clock.column,
        **common,
    }
    if isinstance(plan, Plan):
        words["the windows"] = [_rule_words(plan, rule) for rule in plan.rules]
        former["the windows"] = [_former_text(rule) for rule in plan.rules]
        words["the slicer"] = former["the slicer"] = plan.slicer.name
        if plan.span is not None:
            words["the span"] = former["the span"] = list(plan.span)
    elif isinstance(plan, PolicyPlan):
        words["the policies"] = plan.policies.words()
    else:
        words["the frames"] = [
            f"{bound.name} over the last {_frame_words(frame)}"
            for frame, bounds in plan.frames.items()
            for bound in bounds
            if not is_count_of_values(bound)
        ]
        if isinstance(plan, AsOfPlan):
            words["the delay"] = former["the delay"] = plan.delay
        former["the frames"] = [
            f"{f.text} {f.closed if f.rows is None else 'both'}" for f in plan.frames
        ]
    return QueryDescription(words, former, tuple(_unsaid(plan)))


def _form_words(bound: BoundCall) -> str:
    """The form of its partial, where an earlier version kept other fields."""
    form = bound.aggregate.partial_form
    return f" in form {form}" if form > 1 else ""


def _rule_words(plan: Plan, rule: Rule) -> str:
    """A window by its fingerprint, and where window 0 begins, as chunks do.

    Its name is seen where several are listed.
    """
    name = f"{rule.name}: " if plan.listed else ""
    return f"{name}{rule.fingerprint()} counted from {int(rule.begin(0))}"


def _former_text(rule: Rule) -> str:
    """A window as version 0.1 wrote it: without its offset and its time zone."""
    return rule.text.partition(" offset ")[0].partition(" in ")[0]


def _frame_words(frame: Frame) -> str:
    if frame.of_labels:
        length = f"{frame.ticks} ticks" if frame.rows is None else f"{frame.rows} rows"
        return f"{length} closed {frame.closed} before its instant"
    if frame.rows is not None:
        return f"{frame.rows} rows{'' if frame.near else ' closed left'}"
    return f"{frame.ticks} ticks closed {frame.closed}"


def _own_calls(plan: TablePlan) -> list[BoundCall]:
    """The calls of aggregates that are not built in."""
    return [
        bound
        for bound in plan.calls
        if functions_fingerprint(bound.aggregate) != bound.aggregate.name
    ]


def _option_words(bound: BoundCall) -> str:
    """The options of a call that are not as they would be by themselves."""
    usual = bound.aggregate.options
    return "".join(
        f" {name}={list(value) if isinstance(value, tuple) else value!r}"
        for name, value in sorted(bound.call.options.items())
        if name not in usual or usual[name] != value
    )


def _python() -> str:
    return f"Python {sys.version_info.major}.{sys.version_info.minor}"


def _unsaid(plan: TablePlan) -> list[str]:
    """What the query has that version 0.1 did not remember."""
    unsaid = []
    if isinstance(plan, Plan):
        if any(_former_text(rule) != rule.text for rule in plan.rules):
            unsaid.append("where its windows begin (offset=, tz=)")
        if plan.listed and any(isinstance(rule.name, str) for rule in plan.rules):
            unsaid.append("what its windows are called (name=)")
    own = [bound.aggregate.name for bound in _own_calls(plan)]
    if own:
        unsaid.append(f"the functions of {', '.join(dict.fromkeys(own))}")
    tuned = [bound.call.label for bound in plan.calls if _option_words(bound)]
    if tuned:
        unsaid.append(f"the options of {', '.join(tuned)}")
    return unsaid


def is_laid_out_as(stored: Mapping[str, Any], query: QueryDescription) -> bool:
    """Whether state that was written is laid out as a query would."""
    return bool(stored.get(LAYOUT) == query.words[LAYOUT])


def check_same(stored: Mapping[str, Any], query: QueryDescription) -> None:
    """Refuse state that another query wrote; warn where that cannot be told."""
    words: dict[str, Any] = query.words
    stored, unsaid = _brought_up(stored, words), []
    if stored == words:
        return
    if FORM not in stored:
        words, unsaid = query.former_words, list(query.unsaid)
        by = "version 0.1 wrote it"
    elif _is_other_python(stored[FUNCTIONS], words[FUNCTIONS]):
        by = f"{stored[FUNCTIONS][0][1]} wrote it, and this is {_python()}"
        unsaid = ["whether the functions of your own aggregates are the same"]
        words = {**words, FUNCTIONS: stored[FUNCTIONS]}
    differences = [
        f"{what} {_in_words(stored.get(what))} there and "
        f"{_in_words(words.get(what))} here"
        for what in dict.fromkeys([*stored, *words])
        if stored.get(what) != words.get(what)
    ]
    if differences:
        raise StateError.because(
            "cannot go on from this checkpoint",
            f"another query wrote it: {'; '.join(differences)}",
            "start this query with a checkpoint of its own, or run the one that wrote "
            "it",
        )
    if unsaid:
        warnings.warn(
            f"this checkpoint does not say {' nor '.join(unsaid)}: {by}\n"
            "Hint: make sure that the query is the one that was stopped; from now on "
            "the checkpoint remembers it",
            StateWarning,
            stacklevel=2,
        )


def _brought_up(stored: Mapping[str, Any], words: dict[str, Any]) -> Mapping[str, Any]:
    """A description of form 2, when rows behind the watermark were all dropped.

    Such state is that of a stream to which no late row came yet.
    """
    if stored.get(FORM) != FORM_NUMBER - 1:
        return stored
    late = stored["late="]
    if late == "drop" and words["late="] == "count":
        late = "count"
    return {**stored, FORM: FORM_NUMBER, "late=": late}


def _is_other_python(stored: list[list[str]], mine: list[list[str]]) -> bool:
    """Whether the same calls have functions that two versions of Python compiled."""
    names = [name for name, _, _ in stored] == [name for name, _, _ in mine]
    return names and any(a[1] != b[1] for a, b in zip(stored, mine, strict=True))


def _in_words(value: Any) -> str:
    if isinstance(value, list):
        parts = [part if isinstance(part, str) else _short(*part) for part in value]
        return f"are {', '.join(parts)}" if parts else "are none"
    return "is none" if value is None else f"is {value}"


def _short(name: str, python: str, digest: str) -> str:
    return f"{name} {digest[:8]} ({python})"
