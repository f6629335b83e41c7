"""What can be asked of a table: columns of every type, and calls that fit them.

    column types     int, float, decimal, truth, text, date, stamp
    a call           label -> (aggregate, columns, options), as the oracle takes it

The table always has `key`, `at` (instants, seconds), and two columns of each type,
`int_1`, `int_2` and so on, of which a query uses some.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import windrow as wr
from strategies import shaped, small, special_floats, texts, with_nulls
from windrow.aggregates import CATALOGUE, find

DAY_ZERO = dt.date(1970, 1, 1)
EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - a column without a zone

TYPES: dict[str, tuple[pa.DataType, Any]] = {
    "int": (pa.int64(), small),
    "float": (pa.float64(), special_floats),
    "decimal": (pa.decimal128(10, 2), small.map(lambda v: Decimal(v * 25).scaleb(-2))),
    "truth": (pa.bool_(), st.booleans()),
    "text": (pa.string(), texts),
    "weight": (pa.int64(), st.sampled_from([0, 1, 2, 3])),
    "date": (pa.date32(), small.map(lambda v: DAY_ZERO + dt.timedelta(days=v))),
    "stamp": (pa.timestamp("us"), small.map(lambda v: EPOCH + dt.timedelta(hours=v))),
}

_NUMBERS = ("int", "float", "decimal", "truth")
_ACCEPTED = {
    "number": _NUMBERS,
    "distance": ("int", "float", "decimal", "date", "stamp"),
    "ordered": tuple(kind for kind in TYPES if kind != "weight"),
    "anything": tuple(kind for kind in TYPES if kind != "weight"),
    "text": ("text",),
    "whole": ("int",),
    "truth": ("truth", "int"),
}

# sketches have no exact answer to compare with: tests/sketches
NAMES = [a.name for a in CATALOGUE if not a.sketch and "own" not in a.takes]
"""Of windows; `OWN` are those of rows in their frames."""
OWN = [aggregate.name for aggregate in CATALOGUE if "own" in aggregate.takes]

QUANTILES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
BETWEEN = ("linear", "continuous", "midpoint")
ONE_OF = ("lower", "higher", "nearest", "discrete")


@st.composite
def calls(draw: Any, name: str) -> tuple[Any, ...]:
    """A call of that aggregate over columns of types that it has a meaning for."""
    aggregate = find(name)
    first = draw(st.sampled_from(_ACCEPTED[aggregate.accepts]))
    if name == "count" and draw(st.booleans()):
        return ("count", ())
    if name in ("arg_min", "arg_max"):
        second = draw(st.sampled_from(_ACCEPTED["anything"]))
        return (name, (f"{first}_1", f"{second}_2"))
    if aggregate.columns[0] == 2:
        kinds = ("weight",) if name == "weighted_median" else _NUMBERS
        return (name, (f"{first}_1", f"{draw(st.sampled_from(kinds))}_2"))
    return (name, (f"{first}_1",), draw(options(name, first)))


@st.composite
def options(draw: Any, name: str, kind: str) -> dict[str, Any]:
    """Options of an aggregate over a column of that type."""
    if name == "concat":
        return {"separator": draw(st.sampled_from(["", ", "]))}
    if name.endswith("_k"):
        return {"k": draw(st.sampled_from([1, 2, 7]))}
    if name in ("quantile", "percentile_disc"):
        ways = (*BETWEEN, *ONE_OF) if kind in _NUMBERS else ONE_OF
        if name == "percentile_disc":
            ways = ("discrete",)
        q = draw(st.one_of(QUANTILES, st.lists(QUANTILES, min_size=1, max_size=3)))
        return {"q": q, "interpolation": draw(st.sampled_from(ways))}
    if name in OWN:
        down = {"descending": draw(st.booleans())}
        ties = {"method": draw(st.sampled_from(["min", "max", "average"]))}
        return down if name == "percent_rank" else {**down, **ties}
    return {}


@st.composite
def queries(draw: Any, most: int = 4) -> dict[str, tuple[Any, ...]]:
    """Several calls, which then share fields of one partial."""
    chosen = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=most))
    return {f"r{number}": draw(calls(name)) for number, name in enumerate(chosen)}


def asked(call: tuple[Any, ...], **frame: Any) -> Any:
    """The same call in the words of the public API."""
    name, columns, *options = call
    return getattr(wr, name)(*columns, **(options[0] if options else {}), **frame)


def used(wanted: Any) -> list[str]:
    """The columns that calls read."""
    return sorted({column for call in wanted for column in call[1]})


@st.composite
def columns(draw: Any, wanted: Any, n: int) -> dict[str, list[Any]]:
    """n values for each column that the calls read, nulls among them or not."""
    found = {}
    for column in used(wanted):
        _, values = TYPES[column.rpartition("_")[0]]
        one = st.lists(values, min_size=n, max_size=n)
        if column.startswith(("int", "float")):
            one = shaped(values, most=n).map(lambda v: (v * n)[:n] if v else [None] * n)
        found[column] = draw(st.one_of(one, with_nulls(one)))
    return found


def table_of(columns: dict[str, list[Any]], types: dict[str, pa.DataType]) -> pa.Table:
    """An Arrow table; types of the typed columns come from their names."""
    return pa.table(
        {
            name: pa.array(values, types.get(name) or TYPES[name.rpartition("_")[0]][0])
            for name, values in columns.items()
        }
    )


def rows_of(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """The same as a list of dicts, for the oracle."""
    n = len(next(iter(columns.values())))
    return [{name: values[i] for name, values in columns.items()} for i in range(n)]


def seconds(value: Any) -> Any:
    """A clock reading as the oracle counts it: whole seconds, or days of dates."""
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(dt.UTC).replace(tzinfo=None)
        return (value - EPOCH) // dt.timedelta(seconds=1)
    return value


def flat(result: pa.Table) -> list[dict[str, Any]]:
    """Result rows with the window's bounds as plain numbers."""
    rows = []
    for row in result.to_pylist():
        window = row.pop("window")
        row["start"], row["end"] = seconds(window["start"]), seconds(window["end"])
        rows.append({name: _plain(value) for name, value in row.items()})
    return rows


def _plain(value: Any) -> Any:
    """A sketch, which is a struct, as the tuple of its fields."""
    return tuple(value.values()) if isinstance(value, dict) else value
