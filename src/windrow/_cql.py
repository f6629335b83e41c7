"""Runs queries in CQL: parses, checks and groups them; each pass is one aggregation.

text   query/parse.py         tokens, then trees
trees  plan/cql/              names and types; queries put into passes
pass   number rows, filter, join, compute columns
       wr.aggregate
       having, istream, the select list

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
from windrow.aggregates import Aggregate
from windrow.batch import relation as table_relation
from windrow.batch.row_loop import loop_rows
from windrow.errors import BadInput, QueryError
from windrow.plan import Explanation, plan_windows, resolve
from windrow.plan.cql import (
    TOTAL,
    BoundQuery,
    Member,
    Pass,
    bind_query,
    explain_passes,
    passes_of,
    why_not_in_loop,
)
from windrow.plan.where import load_parser
from windrow.query import QueryTree
from windrow.query.tree import Apply, ColumnName, Expression, Literal


def cql(
    text: str,
    /,
    *,
    time: str | Mapping[str, str] | None = None,
    streams: Mapping[str, Any] | None = None,
    **named: Any,
) -> Any:
    """Run a query in CQL; several give a list of results in the order of the text.

    Streams and tables are given by name, and so are aggregates of your own; names that
    are not words, or are `time` or `streams`, go into `streams=`.  Streams are tables
    as `wr.aggregate` takes them, or Spark DataFrames; each result is of the kind of its
    stream.  Queries over the same rows and keys share one pass.  Several over a Spark
    stream give one streaming DataFrame, so that they share one state too: the column
    `query` has the place of a query in the text, and `q0`, `q1`, ... its rows.

    `time` names the time column of all streams, or of each by a mapping.  Left out, it
    is the only column of timestamps or dates, or one called timestamp, ts or time.

    `docs/query-language.md` has the language.

    >>> import pyarrow as pa
    >>> calls = pa.table({"ts": [1, 4, 6, 11], "len": [3, 9, 2, 5]})
    >>> import windrow as wr
    >>> text = "select ts, max(len) as longest from Calls [range 10 slide 5]"
    >>> wr.cql(text, Calls=calls).to_pylist()[0]
    {'ts': 5, 'longest': 9}
    """
    session = _Session(text, time, {**named, **(streams or {})})
    results = session.run(queries_of(text, session.aggregates))
    return results[0] if len(results) == 1 else results


def explain_cql(
    text: str,
    /,
    *,
    time: str | Mapping[str, str] | None = None,
    streams: Mapping[str, Any] | None = None,
    **named: Any,
) -> Explanation:
    """Explain a text in CQL: the tree of each query, and the plan of each pass.

    `text`, `time`, `streams` and the tables by name are those of `wr.cql`.

    >>> import pyarrow as pa
    >>> import windrow as wr
    >>> calls = pa.table({"ts": [1, 4, 6], "len": [3, 9, 2]})
    >>> plan = wr.explain_cql("select max(len) as top from Calls [rows 2]", Calls=calls)
    >>> "max(len)" in plan.text
    True
    """
    session = _Session(text, time, {**named, **(streams or {})}, empty=True)
    return session.explain(queries_of(text, session.aggregates))


def queries_of(
    text: str, aggregates: Mapping[str, Aggregate] | None = None
) -> tuple[QueryTree, ...]:
    """Parse a text into trees, checked as far as they can be without data."""
    if not isinstance(text, str):
        raise BadInput.because(
            "cannot read a query",
            f"it is of type {type(text).__name__}, not text",
            'write wr.cql("select ... from Calls [range 60 slide 1]", Calls=calls)',
        )
    queries: tuple[QueryTree, ...]
    if not aggregates:
        return _parsed(text)
    queries = load_parser().parse(text, aggregates)
    return queries


@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple[QueryTree, ...]:
    """The trees of a text, which are the same each time that it is run."""
    queries: tuple[QueryTree, ...] = load_parser().parse(text)
    return queries


@lru_cache(maxsize=256)
def _text_passes(
    text: str, schemas: tuple[tuple[str, pa.Schema], ...], times: tuple[str | None, ...]
) -> tuple[Pass, ...]:
    """The passes of a text over inputs of those schemas, which are the same each time.

    `times` are the time columns that were named, one for each query.
    """
    queries = zip(_parsed(text), times, strict=True)
    bound = [bind_query(text, query, dict(schemas), time) for query, time in queries]
    return tuple(passes_of(bound))


@lru_cache(maxsize=256)
def _plan(pass_: Pass, schema: pa.Schema) -> Any:
    """The plan of a pass over rows of that schema, which is the same each time."""
    arguments = pass_.arguments
    calls = arguments.pop("aggregates")
    return plan_windows(schema, **arguments, calls=calls, algorithm="auto")


class _Session:
    """The inputs of one text; inner queries add their results to them.

    With `empty` tables of this process are read for their columns alone.
    """

    def __init__(
        self,
        text: str,
        time: str | Mapping[str, str] | None,
        named: Mapping[str, Any],
        *,
        empty: bool = False,
    ) -> None:
        self._text, self._time, self._empty = text, time, empty
        users = {n: value for n, value in named.items() if isinstance(value, Aggregate)}
        self.aggregates = users
        self._inputs = {n: value for n, value in named.items() if n not in users}
        self._inner: list[Explanation] = []

    def run(self, queries: Sequence[QueryTree]) -> list[Any]:
        """The result of each query."""
        passes = self._passes(queries)
        inputs = {name: _materialise(data) for name, data in self._inputs.items()}
        bound = [member.bound for pass_ in passes for member in pass_.members]
        if _are_together(inputs, bound):
            return [_run_together(inputs, passes)]
        results: list[Any] = [None] * len(queries)
        for pass_ in passes:
            for place, result in _run(inputs, pass_):
                results[place] = result
        return results

    def explain(self, queries: Sequence[QueryTree]) -> Explanation:
        """The trees of queries and the plan of each pass, inner queries first."""
        bound = self._bind(queries)
        passes = _passes(self._inputs, bound)
        plans = [_explain(self._inputs, pass_) for pass_ in passes]
        on_spark = any(map(_is_spark, self._inputs.values()))
        explained = explain_passes(passes, plans, on_spark)
        parts = [*map(str, self._inner), str(explained)]
        return Explanation("\n".join(parts))

    def _passes(self, queries: Sequence[QueryTree]) -> Sequence[Pass]:
        """The passes of queries; those of a plain text are kept for the next run."""
        is_inner = self.aggregates or queries is not _parsed(self._text)
        has_inner = any(query.stream.inner is not None for query in queries)
        if is_inner or has_inner or any(map(_is_spark, self._inputs.values())):
            return _passes(self._inputs, self._bind(queries))
        schemas = {name: _schema(data) for name, data in self._inputs.items()}
        times = tuple(self._time_of(query, schemas) for query in queries)
        return _text_passes(self._text, tuple(schemas.items()), times)

    def _bind(self, queries: Sequence[QueryTree]) -> list[BoundQuery]:
        queries = [self._with_inner(query) for query in queries]
        schemas = {name: _schema(data) for name, data in self._inputs.items()}
        bound = []
        for query in queries:
            time = self._time_of(query, schemas)
            own = self.aggregates
            bound.append(bind_query(self._text, query, schemas, time, own))
            data = self._inputs[bound[-1].rows.stream]
            if _is_stream(data):
                _back_end(data).check_stream(self._text, bound[-1])
        return bound

    def _with_inner(self, query: QueryTree) -> QueryTree:
        """The query over the results of its inner query, which are computed now."""
        source, inputs = query.stream, dict(self._inputs)
        if source.inner is None:
            return query
        if any(map(_is_stream, self._inputs.values())):
            expected = "a table or a DataFrame that is not streaming in an inner query"
            hint = "run the inner query as a stream of its own, and give its result"
            raise QueryError.at(self._text, *source.inner.stream.at, expected, hint)
        for name, data in inputs.items():
            if self._empty and not _is_spark(data):
                inputs[name] = batch.schema_of(data).empty_table()
            else:
                inputs[name] = _materialise(data)
        named = {**inputs, **self.aggregates}
        (result,) = _Session(self._text, self._time, named).run([source.inner])
        if self._empty:
            session = _Session(self._text, self._time, named, empty=True)
            self._inner.append(session.explain([source.inner]))
        name = source.name
        while name in self._inputs:
            name += "'"
        self._inputs[name] = result
        return replace(query, stream=replace(source, name=name))

    def _time_of(
        self, query: QueryTree, schemas: Mapping[str, pa.Schema]
    ) -> str | None:
        """The time column that was named, if it is for this stream."""
        time, name = self._time, query.stream.name
        if time is not None and not isinstance(time, str):
            return {key.lower(): on for key, on in time.items()}.get(name.lower())
        if query.stream.inner is not None and time not in schemas[name].names:
            return None
        return time


def _run(inputs: Mapping[str, Any], pass_: Pass) -> list[tuple[int, Any]]:
    """The result of each query of a pass, with its place in the text."""
    data = inputs[pass_.rows.stream]
    back_end = _back_end(data)
    result = _run_in_loop(inputs, pass_)
    if result is None:
        result = _prepare_rows(inputs, pass_)
        if pass_.windows:
            result = _aggregate_rows(result, pass_)
    if len(pass_.members) > 1:
        result = back_end.persist(result)
    results = [
        _select_results(back_end, result, member, pass_) for member in pass_.members
    ]
    if not _is_spark(data):
        results = [batch.give(table, data) for table in results]
    return list(zip([member.place for member in pass_.members], results, strict=True))


def _run_in_loop(inputs: Mapping[str, Any], pass_: Pass) -> pa.Table | None:
    """The windows of a pass whose rows are filtered and joined as they are folded.

    None if they cannot be, or none is left out: then there is nothing to gain.
    """
    rows, data = pass_.rows, inputs[pass_.rows.stream]
    if _is_spark(data) or not (rows.where or rows.joins) or why_not_in_loop(pass_):
        return None
    found = loop_rows(inputs, pass_)
    if found is None:
        return None
    plan = _plan(pass_, found.schema)
    job = found.open(plan)
    resolved = resolve(plan, job.facts)
    return job.run(resolved) if resolved.cells is not None else None


def _aggregate_rows(rows: Any, pass_: Pass) -> Any:
    """The windows of a pass over rows that are filtered and joined."""
    if _is_spark(rows) or any(call.where is not None for call in pass_.calls.values()):
        return aggregate(rows, **pass_.arguments)
    plan = _plan(pass_, rows.schema)
    job = batch.open_job(rows.select(plan.reads), plan)
    return job.run(resolve(plan, job.facts))


def _prepare_rows(inputs: Mapping[str, Any], pass_: Pass) -> Any:
    """The columns that the aggregation of a pass reads."""
    relation, data = pass_.rows, inputs[pass_.rows.stream]
    back_end, where = _back_end(data), relation.where
    joined = {name for join in relation.joins for name, _ in join.columns}
    names = [name for name in pass_.reads if name not in joined]
    rows = data if _is_spark(data) else batch.read(data, names)
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


def _run_together(inputs: Mapping[str, Any], passes: Sequence[Pass]) -> Any:
    """The rows of all queries over a stream as one streaming DataFrame."""
    back_end: Any = spark_back_end("relation")
    frames = []
    for pass_ in passes:
        result = _prepare_rows(inputs, pass_)
        if pass_.windows:
            result = aggregate(result, **pass_.arguments)
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


def _explain(inputs: Mapping[str, Any], pass_: Pass) -> Explanation | None:
    if not pass_.windows:
        return None
    if not _is_spark(inputs[pass_.rows.stream]):  # the columns are enough
        inputs = {
            name: batch.schema_of(value).empty_table() for name, value in inputs.items()
        }
    return explain(_prepare_rows(inputs, pass_), **pass_.arguments)


def _passes(inputs: Mapping[str, Any], bound: list[BoundQuery]) -> list[Pass]:
    """The passes of queries; results of a stream that come apart have their own."""
    streams = any(_is_stream(inputs[query.rows.stream]) for query in bound)
    return passes_of(bound, alone=streams and not _are_together(inputs, bound))


def _are_together(inputs: Mapping[str, Any], bound: list[BoundQuery]) -> bool:
    """Whether several queries are all over streams, and so give one result."""
    are_streams = [_is_stream(inputs[query.rows.stream]) for query in bound]
    return len(bound) > 1 and all(are_streams)


def _schema(data: Any) -> pa.Schema:
    reader: Any = spark_back_end("relation") if _is_spark(data) else batch
    schema: pa.Schema = reader.schema_of(data)
    return schema


def _is_spark(data: Any) -> bool:
    return batch.library(data) == "pyspark"


def _is_stream(data: Any) -> bool:
    return _is_spark(data) and bool(data.isStreaming)


def _materialise(data: Any) -> Any:
    """Read data that can be read only once into a table; leave other data alone."""
    if _is_spark(data) or batch.library(data) in ("pandas", "polars"):
        return data
    return data if isinstance(data, pa.Table) else pa.table(data)


def _back_end(data: Any) -> Any:
    return spark_back_end("relation") if _is_spark(data) else table_relation
