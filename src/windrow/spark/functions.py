"""Table functions for SQL: `SELECT * FROM windrow_aggregate(TABLE(calls), ...)`.

    analyze     once a query, beside the driver: types in, plan, types out
    eval        once a row: it is put aside
    terminate   once a bucket of keys: the rows as a table, the plan over it, rows out

Rows are dealt out by the hash of their keys, so that all keys of a bucket are one
call.  Spark hands rows over one by one: its functions that take Arrow batches (4.1)
must give the same columns for every call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from windrow import batch
from windrow._version import __version__
from windrow.aggregates import Call
from windrow.batch.expressions import add_masks
from windrow.errors import BadInput
from windrow.plan import plan_over, plan_windows, resolve
from windrow.plan.where import mask_calls
from windrow.query.calls import parse_call
from windrow.windows import Window, calendar, names_months, rows, sliding

from .schema import as_arrow, quoted
from .ship import worker_finder

BUCKETS = 64
"""Calls that the keys are divided between: a few for each task of a small cluster."""

NAMES = ("windrow_aggregate", "windrow_over")
_OPTIONS = {
    "windrow_aggregate": ("window", "every", "rows", "on", "by", "tz", "ties"),
    "windrow_over": ("on", "by", "ties"),
}


@dataclass(frozen=True)
class TableQuery:
    """What a call of a table function computes, over columns of these names."""

    name: str
    window: Window | None
    on: str | None
    by: tuple[str, ...]
    ties: tuple[str, ...]
    calls: Mapping[str, Call]
    schema: pa.Schema

    def run(self, own: pa.Table) -> pa.Table:
        """The result for the rows of some keys."""
        calls, schema, masks = mask_calls(self.calls, own.schema)
        table = add_masks(own, masks)
        plan: Any
        if self.window is None:
            how: dict[str, Any] = {"ties": self.ties, "algorithm": "auto"}
            plan = plan_over(schema, self.on, self.by, calls, **how)
        else:
            how = {"algorithm": "auto", "slicer": "auto", "chunk": 0}
            plan = plan_windows(schema, self.window, self.by, calls, **how)
        job = batch.open_job(table.select(plan.reads), plan, 1)
        result: pa.Table = job.run(resolve(plan, job.facts))
        if self.window is None:
            result = batch.give_with(own, own, result)
        return result


def register(session: Any) -> None:
    """Make the table functions known to a session, classic or of Connect."""
    from pyspark.sql import functions as F  # noqa: PLC0415 - 3.5 has no analysis
    from pyspark.sql import udtf  # noqa: PLC0415 - the same

    if not hasattr(udtf, "SelectedColumn"):
        raise BadInput.because(
            f"cannot register table functions with Spark {session.version}",
            "their columns depend on the call, which Spark allows from 4.0 on",
            "use Spark 4.0 or later, or wr.aggregate(spark.table('calls'), ...), whose "
            "result is a view after .createOrReplaceTempView('windows')",
        )
    for name in NAMES:
        session.udtf.register(name, F.udtf(_handler(name)))


def _handler(name: str) -> type:
    """The class that Spark calls, with nothing of ours in it."""
    find = worker_finder(__version__, "windrow.spark.functions")

    # nested, so that it is pickled by value: it must run where windrow is missing
    class WindrowFunction:
        def __init__(self, analysed: Any) -> None:
            self._query = analysed.query
            self._rows: list[Any] = []

        @staticmethod
        def analyze(data: Any, **options: Any) -> Any:
            return find().analyse(name, data, options)

        def eval(self, data: Any, **options: Any) -> None:  # noqa: ARG002 - Spark's
            self._rows.append(data)

        def terminate(self) -> Iterator[Any]:
            yield from find().results(self._query, self._rows)

    return WindrowFunction


def analyse(name: str, data: Any, options: Mapping[str, Any]) -> Any:
    """What columns a call gives, how rows are dealt out, and which columns it reads."""
    from pyspark.sql import udtf  # noqa: PLC0415 - 3.5 has no analysis

    if not data.isTable:
        raise BadInput.because(
            f"cannot run {name}",
            "its first argument is not a table",
            f"write {name}(TABLE(calls), ...), or TABLE(SELECT ...)",
        )
    query = query_of(name, as_arrow(data.dataType), options)
    gives = from_arrow_schema(
        query.run(query.schema.empty_table()).schema, prefer_timestamp_ntz=True
    )
    keys = ", ".join(map(quoted, query.by))
    bucket = udtf.PartitioningColumn(f"pmod(hash({keys}), {BUCKETS})")

    @dataclass
    class Analysis(udtf.AnalyzeResult):  # Spark keeps what a subclass adds
        query: TableQuery | None = None

    return Analysis(
        schema=gives,
        withSinglePartition=not keys,
        partitionBy=[bucket] if keys else [],
        select=list(_selected(udtf, data.dataType, query.schema.names)),
        query=query,
    )


def _selected(udtf: Any, schema: StructType, names: Sequence[str]) -> Iterator[Any]:
    """The columns that are read; instants as numbers, which no time zone moves."""
    for number, name in enumerate(names):
        text = quoted(name)
        if schema[name].dataType.typeName() == "timestamp":
            text = f"unix_micros({text})"
        yield udtf.SelectedColumn(text, f"s{number}")


def query_of(name: str, schema: pa.Schema, options: Mapping[str, Any]) -> TableQuery:
    """The query that the arguments of a call ask for."""
    known = {one: options[one].value for one in _OPTIONS[name] if one in options}
    calls = {}
    for label, text in options.items():
        if label in _OPTIONS[name]:
            continue
        if not isinstance(text.value, str):
            raise BadInput.because(
                f"cannot read argument {label} of {name}",
                f"it is neither one of {', '.join(_OPTIONS[name])} nor an aggregate",
                f"write {label} => 'max(len)'",
            )
        calls[label] = parse_call(f"{quoted(label)}={text.value}")[1]
    on, by, ties = known.get("on"), _names(known.get("by")), _names(known.get("ties"))
    window = _window(name, known, ties) if name == "windrow_aggregate" else None
    return TableQuery(name, window, on, by, ties, calls, schema)


def _window(name: str, options: Mapping[str, Any], ties: tuple[str, ...]) -> Window:
    length, every = options.get("window"), options.get("every")
    how: dict[str, Any] = {"on": options.get("on"), "ties": ties or None}
    if options.get("rows") is not None:
        return rows(
            int(options["rows"]), every=1 if every is None else int(every), **how
        )
    if length is None:
        raise BadInput.because(
            f"cannot run {name}",
            "no window is given",
            "add window => '24 hours', every => '1 minute', or rows => 1000",
        )
    tz = options.get("tz")
    if tz is not None or names_months(str(length)) or names_months(str(every or "")):
        return calendar(length, every=every, tz=tz, **how)
    return sliding(length, every=every, **how)


def _names(text: Any) -> tuple[str, ...]:
    """Columns from `'a, b'`, or from `array('a', 'b')`."""
    if isinstance(text, str):
        return tuple(name.strip() for name in text.split(",") if name.strip())
    return tuple(map(str, text or ()))


def results(query: TableQuery, rows: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of a bucket's result, from the rows that Spark handed over."""
    if not rows:
        return
    columns = zip(*rows, strict=True)
    arrays = [
        pa.array(column, pa.int64()).cast(field.type)
        if pa.types.is_timestamp(field.type) and field.type.tz is not None
        else pa.array(column, field.type)
        for column, field in zip(columns, query.schema, strict=True)
    ]
    table = query.run(pa.Table.from_arrays(arrays, schema=query.schema))
    yield from zip(*map(_plain_values, table.columns), strict=True)


def _plain_values(column: pa.ChunkedArray) -> list[Any]:
    """Values as Spark takes them; Arrow gives maps as lists of pairs."""
    values: list[Any] = column.to_pylist()
    if not pa.types.is_map(column.type):
        return values
    return [None if pairs is None else dict(pairs) for pairs in values]
