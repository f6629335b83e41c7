"""Queries as text: parsed, checked, put into passes, and each pass one aggregation.

text   query/parse.py         tokens, then trees
trees  plan/cql/              names and types; queries put into passes
pass   batch/relation.py     rows joined, filtered, computed
       wr.aggregate           windows
       batch/relation.py     having, istream, the select list

and `spark/relation.py` where the stream is a DataFrame.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from windrow import batch
from windrow._dispatch import aggregate, explain, spark_back_end
from windrow.batch import relation
from windrow.errors import BadInput, WindrowError
from windrow.plan import Explanation
from windrow.plan.cql import BoundQuery, Pass, bind_query, explain_passes, passes_of
from windrow.query import QueryTree


def cql(
    text: str,
    /,
    *,
    time: str | Mapping[str, str] | None = None,
    streams: Mapping[str, Any] | None = None,
    **named: Any,
) -> Any:
    """The result of a query in CQL; of several, a list in the order of the text.

    Streams and tables are given by name; names that are not words, or are `time` or
    `streams`, go into `streams=`.  They are tables as `wr.aggregate` takes them, or
    Spark DataFrames; each result is of the kind of its stream.  Queries over the same
    rows and keys share one pass.

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
    inputs, bound = _bound(text, time, streams, named)
    inputs = {name: _whole(data) for name, data in inputs.items()}
    results: list[Any] = [None] * len(bound)
    for one in _passes(inputs, bound):
        for place, result in _run(inputs, one):
            results[place] = result
    return results[0] if len(results) == 1 else results


def explain_cql(
    text: str,
    /,
    *,
    time: str | Mapping[str, str] | None = None,
    streams: Mapping[str, Any] | None = None,
    **named: Any,
) -> Explanation:
    """The tree of each query in the text, and the plan of each pass; nothing is run."""
    inputs, bound = _bound(text, time, streams, named)
    passes = _passes(inputs, bound)
    return explain_passes(passes, [_explained(inputs, one) for one in passes])


def queries_of(text: str) -> tuple[QueryTree, ...]:
    """The trees of a text, checked as far as they can be without data."""
    if not isinstance(text, str):
        raise BadInput.because(
            "cannot read a query",
            f"it is of type {type(text).__name__}, not text",
            'write wr.cql("select ... from Calls [range 60 slide 1]", Calls=calls)',
        )
    queries: tuple[QueryTree, ...] = _parser().parse(text)
    return queries


def _run(inputs: Mapping[str, Any], one: Pass) -> list[tuple[int, Any]]:
    data = inputs[one.rows.stream]
    back_end = _back_end(data)
    result = back_end.prepared(inputs, one)
    if one.windows:
        result = aggregate(result, **one.arguments)
    if len(one.members) > 1:
        result = back_end.kept(result)
    return [
        (member.place, _given(back_end.finished(result, member, one.keys), data))
        for member in one.members
    ]


def _explained(inputs: Mapping[str, Any], one: Pass) -> Explanation | None:
    if not one.windows:
        return None
    data = inputs[one.rows.stream]
    if not _is_spark(data):  # the columns are enough
        inputs = {
            name: batch.schema_of(value).empty_table() for name, value in inputs.items()
        }
    return explain(_back_end(data).prepared(inputs, one), **one.arguments)


def _bound(
    text: str,
    time: str | Mapping[str, str] | None,
    streams: Mapping[str, Any] | None,
    named: Mapping[str, Any],
) -> tuple[dict[str, Any], list[BoundQuery]]:
    queries = queries_of(text)
    inputs = {**named, **(streams or {})}
    schemas = {name: _schema(data) for name, data in inputs.items()}
    bound = []
    for query in queries:
        one = bind_query(text, query, schemas, _time_of(query, time))
        if _is_stream(inputs[one.rows.stream]):
            _spark_relation().check_stream(text, one)
        bound.append(one)
    return inputs, bound


def _passes(inputs: Mapping[str, Any], bound: list[BoundQuery]) -> list[Pass]:
    """A stream's queries run apart: each has a checkpoint and a state of its own."""
    alone = any(_is_stream(inputs[one.rows.stream]) for one in bound)
    return passes_of(bound, alone=alone)


def _time_of(query: QueryTree, time: str | Mapping[str, str] | None) -> str | None:
    if time is None or isinstance(time, str):
        return time
    return {name.lower(): on for name, on in time.items()}.get(
        query.stream.name.lower()
    )


def _schema(data: Any) -> pa.Schema:
    schema: pa.Schema = _back_end(data).schema_of(data)
    return schema


def _is_spark(data: Any) -> bool:
    return batch.library(data) == "pyspark"


def _is_stream(data: Any) -> bool:
    return _is_spark(data) and bool(data.isStreaming)


def _whole(data: Any) -> Any:
    """What can be read once, as a table that several passes can read."""
    if _is_spark(data) or batch.library(data) in ("pandas", "polars"):
        return data
    return data if isinstance(data, pa.Table) else pa.table(data)


def _given(result: Any, data: Any) -> Any:
    return result if _is_spark(data) else batch.give(result, data)


def _back_end(data: Any) -> Any:
    return _spark_relation() if _is_spark(data) else relation


def _spark_relation() -> Any:
    return spark_back_end().relation


def _parser() -> Any:
    """The parser, loaded with sqlglot when the first text comes."""
    if importlib.util.find_spec("sqlglot") is None:
        raise WindrowError.because(
            "cannot read a query",
            f"sqlglot cannot be imported by {sys.executable}",
            "run pip install 'windrow[cql]'",
        )
    return importlib.import_module("windrow.query.parse")
