"""Queries in CQL: parses, checks and groups them; each pass is one aggregation.

text   query/parse.py         tokens, then trees
trees  plan/cql/              names and types; queries put into passes
pass   _cql_passes.py         rows, their windows, and what each query asks of them
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pyarrow as pa

from windrow import batch
from windrow._back_ends import spark_back_end
from windrow._cql_passes import (
    back_end_of,
    explain_pass,
    is_spark,
    is_stream,
    run_pass,
    run_together,
    why_prepared,
)
from windrow.aggregates import Aggregate
from windrow.errors import BadInput, QueryError, UnknownName
from windrow.plan import Explanation
from windrow.plan.cql import BoundQuery, Pass, bind_query, explain_passes, passes_of
from windrow.plan.where import load_parser
from windrow.query import QueryTree


def cql(
    text: str,
    /,
    *,
    time: str | Mapping[str, str] | None = None,
    streams: Mapping[str, Any] | None = None,
    hot: bool = False,
    late: str = "count",
    buckets: int | None = None,
    watermark: object = None,
    ahead: object = None,
    idle: object = None,
    **named: Any,
) -> Any:
    """Run a query in CQL; several give a list of results in the order of the text.

    `text` is one query, or several with semicolons between.  Streams and tables are
    given by name, and so are aggregates of your own; names that are not words, or that
    a parameter has, go into `streams=`.  Streams are tables as `wr.aggregate` takes
    them, or Spark DataFrames; each result is of the kind of its stream.  Queries over
    the same rows and keys share one pass.  Several over a Spark stream give one
    streaming DataFrame, so that they share one state too: the column `query` has the
    place of a query in the text, and `q0`, `q1`, ... its rows.

    `time` names the time column of all streams, or of each by a mapping.  Left out, it
    is the only column of timestamps or dates, or one called timestamp, ts or time.

    For Spark, `hot`, `buckets`, `watermark`, `ahead` and `idle` are as in
    `wr.aggregate`, and so is `late`, which is count or drop: a select list has no
    column for late rows.

    `docs/query-language.md` has the language.

    >>> import pyarrow as pa
    >>> calls = pa.table({"ts": [1, 4, 6, 11], "len": [3, 9, 2, 5]})
    >>> import windrow as wr
    >>> text = "select ts, max(len) as longest from Calls [range 10 slide 5]"
    >>> wr.cql(text, Calls=calls).to_pylist()[0]
    {'ts': 5, 'longest': 9}
    """
    own = {"watermark": watermark, "ahead": ahead, "idle": idle}
    options = _on_spark(hot=hot, late=late, buckets=buckets, **own)
    session = _Session(text, time, {**named, **(streams or {})}, options)
    queries = queries_of(text, session.aggregates)
    session.check_time(queries)
    results = session.run(queries)
    return results[0] if len(results) == 1 else results


def explain_cql(
    text: str,
    /,
    *,
    time: str | Mapping[str, str] | None = None,
    streams: Mapping[str, Any] | None = None,
    hot: bool = False,
    late: str = "count",
    buckets: int | None = None,
    watermark: object = None,
    ahead: object = None,
    idle: object = None,
    **named: Any,
) -> Explanation:
    """Explain a text in CQL: the tree of each query, and the plan of each pass.

    `text`, `time`, `streams` and the tables by name are those of `wr.cql`, and so are
    `hot`, `late`, `buckets`, `watermark`, `ahead` and `idle`.

    >>> import pyarrow as pa
    >>> import windrow as wr
    >>> calls = pa.table({"ts": [1, 4, 6], "len": [3, 9, 2]})
    >>> plan = wr.explain_cql("select max(len) as top from Calls [rows 2]", Calls=calls)
    >>> "max(len)" in plan.text
    True
    """
    own = {"watermark": watermark, "ahead": ahead, "idle": idle}
    options = _on_spark(hot=hot, late=late, buckets=buckets, **own)
    session = _Session(text, time, {**named, **(streams or {})}, options, empty=True)
    queries = queries_of(text, session.aggregates)
    session.check_time(queries)
    return session.explain(queries)


def _on_spark(**options: Any) -> dict[str, Any]:
    """The options of `wr.aggregate` that every pass of a text has on Spark."""
    for name, value in options.items():
        if hasattr(value, "columns") or hasattr(value, "__arrow_c_stream__"):
            raise BadInput.because(
                f"cannot take a table as {name}=",
                "that is a parameter of wr.cql",
                f"give it by streams={{{name!r}: ...}}",
            )
    if options["late"] == "keep":
        raise BadInput.because(
            "cannot give late rows back from a text",
            "its columns are those of the select list",
            'use wr.aggregate(..., late="keep"), or count them: late_rows is a metric',
        )
    return options


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


class _Session:
    """The inputs of one text; inner queries add their results to them.

    With `empty` tables of this process are read for their columns alone.
    """

    def __init__(
        self,
        text: str,
        time: str | Mapping[str, str] | None,
        named: Mapping[str, Any],
        options: Mapping[str, Any],
        *,
        empty: bool = False,
    ) -> None:
        self._text, self._time, self._empty = text, time, empty
        self._options = options
        users = {n: value for n, value in named.items() if isinstance(value, Aggregate)}
        self.aggregates = users
        self._inputs = {n: value for n, value in named.items() if n not in users}
        self._inner: list[Explanation] = []

    def check_time(self, queries: Sequence[QueryTree]) -> None:
        """Refuse the time column of a stream that is none."""
        if self._time is None or isinstance(self._time, str):
            return
        known, sources = list(self._inputs), [query.stream for query in queries]
        while sources:
            source = sources.pop()
            known.append(source.name)
            if source.inner is not None:
                sources.append(source.inner.stream)
        for name in self._time:
            if name.lower() not in map(str.lower, known):
                raise UnknownName.among("stream", name, dict.fromkeys(known))

    def run(self, queries: Sequence[QueryTree]) -> list[Any]:
        """The result of each query."""
        passes = self._passes(queries)
        inputs = {name: _materialise(data) for name, data in self._inputs.items()}
        bound = [member.bound for pass_ in passes for member in pass_.members]
        if _are_together(inputs, bound):
            return [run_together(inputs, passes, self._options)]
        results: list[Any] = [None] * len(queries)
        for pass_ in passes:
            for place, result in run_pass(inputs, pass_, self._options):
                results[place] = result
        return results

    def explain(self, queries: Sequence[QueryTree]) -> Explanation:
        """The trees of queries and the plan of each pass, inner queries first."""
        bound = self._bind(queries)
        passes = _passes(self._text, self._inputs, bound)
        plans = [explain_pass(self._inputs, pass_, self._options) for pass_ in passes]
        reasons = [why_prepared(self._inputs, pass_) for pass_ in passes]
        on_spark = any(map(is_spark, self._inputs.values()))
        explained = explain_passes(passes, plans, reasons, on_spark)
        parts = [*map(str, self._inner), str(explained)]
        return Explanation("\n".join(parts))

    def _passes(self, queries: Sequence[QueryTree]) -> Sequence[Pass]:
        """The passes of queries; those of a plain text are kept for the next run."""
        is_inner = self.aggregates or queries is not _parsed(self._text)
        has_inner = any(query.stream.inner is not None for query in queries)
        if is_inner or has_inner or any(map(is_spark, self._inputs.values())):
            return _passes(self._text, self._inputs, self._bind(queries))
        schemas = {name: _schema(data) for name, data in self._inputs.items()}
        times = tuple(self._time_of(query, schemas) for query in queries)
        # without pandas' metadata, for which pyarrow 18 has no hash
        keys = ((name, schema.remove_metadata()) for name, schema in schemas.items())
        return _text_passes(self._text, tuple(keys), times)

    def _bind(self, queries: Sequence[QueryTree]) -> list[BoundQuery]:
        queries = [self._with_inner(query) for query in queries]
        schemas = {name: _schema(data) for name, data in self._inputs.items()}
        bound = []
        for query in queries:
            time = self._time_of(query, schemas)
            own = self.aggregates
            bound.append(bind_query(self._text, query, schemas, time, own))
            data = self._inputs[bound[-1].rows.stream]
            if is_stream(data):
                back_end_of(data).check_stream(self._text, bound[-1])
        return bound

    def _with_inner(self, query: QueryTree) -> QueryTree:
        """The query over the results of its inner query, which are computed now."""
        source, inputs = query.stream, dict(self._inputs)
        if source.inner is None:
            return query
        if any(map(is_stream, self._inputs.values())):
            expected = "a table or a DataFrame that is not streaming in an inner query"
            hint = "run the inner query as a stream of its own, and give its result"
            raise QueryError.at(self._text, *source.inner.stream.at, expected, hint)
        for name, data in inputs.items():
            if self._empty and not is_spark(data):
                inputs[name] = batch.schema_of(data).empty_table()
            else:
                inputs[name] = _materialise(data)
        asked = self._text, self._time, {**inputs, **self.aggregates}, self._options
        (result,) = _Session(*asked).run([source.inner])
        if self._empty:
            session = _Session(*asked, empty=True)
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


def _passes(
    text: str, inputs: Mapping[str, Any], bound: list[BoundQuery]
) -> list[Pass]:
    """The passes of queries; results of a stream that come apart have their own."""
    streams = any(is_stream(inputs[query.rows.stream]) for query in bound)
    together = _are_together(inputs, bound)
    passes = passes_of(bound, alone=streams and not together)
    windowed = [pass_ for pass_ in passes if pass_.windows]
    if together and len(windowed) > 1:
        at = windowed[1].members[0].bound.query.stream.at
        expected = "the stream, joins, where, keys and kind of window of those before"
        hint = "give it a wr.cql of its own: queries over a stream share one state"
        raise QueryError.at(text, *at, expected, hint)
    return passes


def _are_together(inputs: Mapping[str, Any], bound: list[BoundQuery]) -> bool:
    """Whether several queries are all over streams, and so give one result."""
    are_streams = [is_stream(inputs[query.rows.stream]) for query in bound]
    return len(bound) > 1 and all(are_streams)


def _schema(data: Any) -> pa.Schema:
    reader: Any = spark_back_end("relation") if is_spark(data) else batch
    schema: pa.Schema = reader.schema_of(data)
    return schema


def _materialise(data: Any) -> Any:
    """Read data that can be read only once into a table; leave other data alone."""
    if is_spark(data) or batch.library(data) in ("pandas", "polars"):
        return data
    return data if isinstance(data, pa.Table) else pa.table(data)
