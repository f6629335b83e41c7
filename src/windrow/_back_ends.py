"""Finds the back end that a table belongs to, and reads what calls need of it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from windrow import batch
from windrow.aggregates import Call
from windrow.errors import BadInput


def source_of(
    data: Any, calls: dict[str, Call]
) -> tuple[pa.Schema, dict[str, Call], Callable[[Sequence[str]], pa.Table]]:
    """The schema of a table, its calls, and how columns are read; filters are columns.

    What filters need is loaded where there is one.
    """
    schema = batch.schema_of(data)
    if all(call.where is None for call in calls.values()):
        return schema, calls, lambda names: batch.read(data, names)
    where = importlib.import_module("windrow.plan.where")
    expressions = importlib.import_module("windrow.batch.expressions")
    calls, schema, masks = where.mask_calls(calls, schema)

    def read(names: Sequence[str]) -> pa.Table:
        table = batch.read(data, where.unmasked(names, masks))
        wanted = [mask for mask in masks if mask.name in names]
        return expressions.add_masks(table, wanted).select(list(names))

    return schema, calls, read


SPARK_PACKAGES: dict[str, tuple[int, ...]] = {"pyarrow": (18,), "pandas": (2, 2)}
"""The oldest versions with which queries run on Spark, on every Spark alike."""


def spark_back_end(module: str = "entry") -> Any:
    """The Spark back end, which is loaded when the first Spark DataFrame arrives."""
    _check_packages()
    return importlib.import_module(f"windrow.spark.{module}")


@cache
def _check_packages() -> None:
    """Refuse packages that are too old, of which Spark would say less, and later."""
    for name, least in SPARK_PACKAGES.items():
        version = package_version(name)
        if version is None or version_numbers(version) < least:
            oldest = ".".join(map(str, least))
            found = "not installed" if version is None else version
            wanted = f"{name}>={oldest}" + (",<3" if name == "pandas" else "")
            raise BadInput.because(
                "cannot run a query on Spark",
                f"{name} is {found}, and {oldest} or later is needed",
                f"run {sys.executable} -m pip install '{wanted}'",
            )


def package_version(name: str) -> str | None:
    """The version of a package, if it is installed."""
    metadata = importlib.import_module("importlib.metadata")  # 10 ms, for Spark alone
    try:
        version: str = metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
    return version


def version_numbers(version: str) -> tuple[int, ...]:
    """The first three numbers of a version, as they are compared.

    >>> version_numbers("2.2.0rc1")
    (2, 2, 0)
    """
    heads = (part.partition("rc")[0] for part in version.split(".")[:3])
    return tuple(int(head) for head in heads if head.isdigit())


def register(spark: Any) -> None:
    """Make `windrow_aggregate` and `windrow_over` known to the SQL of a Spark session.

    `spark` is a session of Spark 4.0 or later, classic or of Connect.  Both functions
    take a table, the options of `wr.aggregate` and `wr.over` by name, and aggregates as
    text, each under the name of its column:

        SELECT * FROM windrow_aggregate(
            TABLE(SELECT * FROM calls WHERE len > 0),
            window => '24 hours', every => '1 minute', on => 'ts', by => 'antenna',
            longest => 'max(len)', who => 'arg_max(len, caller)')

    Spark hands rows to such functions one by one: for many rows use `wr.aggregate` of
    `spark.table("calls")`, and `createOrReplaceTempView` of its result.

    >>> import windrow as wr
    >>> wr.register(spark)  # doctest: +SKIP
    >>> spark.range(4).createOrReplaceTempView("ids")  # doctest: +SKIP
    >>> two = "windrow_over(TABLE(ids), on => 'id', two => 'sum(id, last=2)')"
    >>> rows = spark.sql(f"SELECT * FROM {two}").sort("id")  # doctest: +SKIP
    >>> [row.two for row in rows.collect()]  # doctest: +SKIP
    [0, 1, 3, 5]
    """
    if not hasattr(spark, "sql"):
        raise BadInput.because(
            "cannot register table functions",
            f"what is given is of type {type(spark).__name__}, not a Spark session",
            "write wr.register(spark)",
        )
    spark_back_end("functions").register(spark)
