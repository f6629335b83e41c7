"""Runs a pass of CQL queries: one aggregation, and what each query asks of it.

    rows      number, filter, join, compute columns
    windows   wr.aggregate
    results   having, istream, the select list

The steps before and after `wr.aggregate` are functions of `batch/relation.py`, and of
`spark/relation.py` where the stream is a DataFrame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pyarrow as pa

from windrow import batch
from windrow._back_ends import spark_back_end
from windrow._dispatch import aggregate, explain
from windrow._later import dataclass
from windrow.batch import relation as table_relation
from windrow.batch.row_loop import loop_rows
from windrow.errors import BadInput
from windrow.plan import Explanation, plan_windows, resolve
from windrow.plan.aggregate import Plan
from windrow.plan.cql import TOTAL, Member, Pass, loop_steps, why_not_in_loop
from windrow.plan.facts import Facts
from windrow.plan.resolved import Resolved
from windrow.query.tree import Apply, ColumnName, Expression, Literal


def run_pass(
    inputs: Mapping[str, Any], pass_: Pass, options: Mapping[str, Any]
) -> list[tuple[int, Any]]:
    """The result of each query of a pass, with its place in the text.

    `options` are those of `wr.aggregate` on Spark.
    """
    data = inputs[pass_.rows.stream]
    back_end = back_end_of(data)
    result = _run_in_loop(inputs, pass_)
    if result is None:
        result = _prepare_rows(inputs, pass_)
        if pass_.windows:
            result = _aggregate_rows(result, pass_, options)
    if len(pass_.members) > 1:
        result = back_end.persist(result)
    results = [
        _select_results(back_end, result, member, pass_) for member in pass_.members
    ]
    if not is_spark(data):
        results = [batch.give(table, data) for table in results]
    return list(zip([member.place for member in pass_.members], results, strict=True))


@dataclass(frozen=True, eq=False)
class _Planned:
    """The plan of a pass, by which what is resolved of it is kept."""

    plan: Plan


@lru_cache(maxsize=256)
def _plan(pass_: Pass, schema: pa.Schema) -> _Planned:
    """The plan of a pass over rows of that schema, which is the same each time."""
    arguments = pass_.arguments
    calls = arguments.pop("aggregates")
    return _Planned(plan_windows(schema, **arguments, calls=calls, algorithm="auto"))


@lru_cache(maxsize=256)
def _resolve_cells(planned: _Planned, facts: Facts) -> Resolved | None:
    """How rows are folded into cells, if they are; the same each time for such facts.

    Facts that a sort would tell have no say in that.
    """
    if facts.cells is None:
        return None
    alone = replace(facts, cells=None)
    resolved = resolve(planned.plan, replace(facts, after_sort=lambda: alone))
    return resolved if resolved.cells is not None else None


def _run_in_loop(inputs: Mapping[str, Any], pass_: Pass) -> pa.Table | None:
    """The windows of a pass whose rows are filtered, joined and computed as they are
    folded; None if they cannot be, or there is nothing of that to do.
    """
    data = inputs[pass_.rows.stream]
    if is_spark(data) or not loop_steps(pass_) or why_not_in_loop(pass_):
        return None
    found = loop_rows(inputs, pass_)
    if isinstance(found, str):
        return None
    planned = _plan(pass_, found.schema)
    if planned.plan.must_sort is not None:
        return None
    job = found.open(planned.plan)
    try:
        facts = job.facts
    except BadInput:  # perhaps for a time that where leaves out
        return None
    resolved = _resolve_cells(planned, facts)
    return None if resolved is None else job.run(resolved)


def _aggregate_rows(rows: Any, pass_: Pass, options: Mapping[str, Any]) -> Any:
    """The windows of a pass over rows that are filtered and joined."""
    if is_spark(rows):
        return aggregate(rows, **pass_.arguments, **options)
    if any(call.where is not None for call in pass_.calls.values()):
        return aggregate(rows, **pass_.arguments)
    planned = _plan(pass_, rows.schema.remove_metadata())
    plan = planned.plan
    job = batch.open_job(rows.select(plan.reads), plan)
    facts = job.facts
    resolved = _resolve_cells(planned, replace(facts, after_sort=None))
    return job.run(resolved or resolve(plan, facts))


def _prepare_rows(inputs: Mapping[str, Any], pass_: Pass) -> Any:
    """The columns that the aggregation of a pass reads."""
    relation, data = pass_.rows, inputs[pass_.rows.stream]
    back_end, where = back_end_of(data), relation.where
    rows = data if is_spark(data) else batch.read(data, pass_.own_reads)
    if relation.numbered is not None:
        rows = back_end.number_rows(rows, relation.time, relation.numbered)
    if where is not None and relation.filters_first:
        rows = back_end.filter_rows(rows, where)
    for join in relation.joins:
        payload = [pair for pair in join.columns if pair[0] in pass_.reads]
        rows = back_end.join_table(rows, inputs[join.table], join, payload)
    if where is not None and not relation.filters_first:
        rows = back_end.filter_rows(rows, where)
    return back_end.select_columns(rows, pass_.columns)


def run_together(
    inputs: Mapping[str, Any], passes: Sequence[Pass], options: Mapping[str, Any]
) -> Any:
    """The rows of all queries over a stream as one streaming DataFrame."""
    back_end: Any = spark_back_end("relation")
    frames = []
    for pass_ in passes:
        result = _prepare_rows(inputs, pass_)
        if pass_.windows:
            result = aggregate(result, **pass_.arguments, **options)
        chosen = {
            member.place: (_conditions(member, pass_), dict(member.bound.items))
            for member in pass_.members
        }
        frames.append(back_end.tell_apart(result, chosen))
    return back_end.union(frames)


def _conditions(member: Member, pass_: Pass) -> list[Expression]:
    """What a row of a pass must be to belong to one query."""
    bound = member.bound
    conditions: list[Expression] = [] if bound.having is None else [bound.having]
    if len(pass_.windows) > 1:
        conditions.append(Apply("=", (ColumnName("query"), Literal(member.window))))
    return conditions


def _select_results(back_end: Any, result: Any, member: Member, pass_: Pass) -> Any:
    """The rows of one query, from the results of its pass."""
    bound, conditions = member.bound, _conditions(member, pass_)
    if bound.rows.numbered is not None:  # only windows that are complete
        start, end = (Apply(side, (ColumnName("window"),)) for side in ("start", "end"))
        conditions.append(Apply(">=", (start, Literal(0))))
        conditions.append(Apply("<=", (end, ColumnName(TOTAL))))
    for condition in conditions:
        result = back_end.filter_rows(result, condition)
    if bound.query.output == "istream" and bound.window is not None:
        result = back_end.new_results(result, bound, pass_.keys)
    if bound.query.output == "dstream" and bound.window is not None:
        result = back_end.gone_results(result, bound, pass_.keys)
    return back_end.select_columns(result, dict(bound.items))


def explain_pass(
    inputs: Mapping[str, Any], pass_: Pass, options: Mapping[str, Any]
) -> Explanation | None:
    if not pass_.windows:
        return None
    if not is_spark(inputs[pass_.rows.stream]):  # the columns are enough
        inputs = {
            name: batch.schema_of(value).empty_table() for name, value in inputs.items()
        }
    return explain(_prepare_rows(inputs, pass_), **pass_.arguments, **options)


def why_prepared(inputs: Mapping[str, Any], pass_: Pass) -> str | None:
    """Why the rows of a pass are prepared before they are folded, whatever they hold.

    It is asked of one row for each input, with nulls beside the numbers of joins.
    """
    reason = why_not_in_loop(pass_)
    if reason is not None or is_spark(inputs[pass_.rows.stream]):
        return reason
    paired = {(join.table, own) for join in pass_.rows.joins for _, own in join.pairs}
    samples = {}
    for name, data in inputs.items():
        columns = {
            field.name: pa.array([0], field.type)
            if (name, field.name) in paired and pa.types.is_integer(field.type)
            else pa.nulls(1, field.type)
            for field in batch.schema_of(data)
        }
        samples[name] = pa.table(columns)
    found = loop_rows(samples, pass_)
    return (
        found if isinstance(found, str) else _plan(pass_, found.schema).plan.must_sort
    )


def is_spark(data: Any) -> bool:
    return batch.library(data) == "pyspark"


def is_stream(data: Any) -> bool:
    return is_spark(data) and bool(data.isStreaming)


def back_end_of(data: Any) -> Any:
    return spark_back_end("relation") if is_spark(data) else table_relation
