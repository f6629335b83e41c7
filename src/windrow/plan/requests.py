"""Turns bound calls into the requests that a kernel answers.

Most calls are one request.  A sum of whole numbers that could pass 2**63 asks for
the two-word form; the mean of decimals is an exact sum and a count, divided after
the loop.  A user's functions are tried on arrays here, or compiled, to learn their
types; if neither works they run interpreted, with one warning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.aggregates import WIDE_SUM, Aggregate, find
from windrow.aggregates.types import value_kind
from windrow.errors import BadInput
from windrow.kernels import (
    NotCompiled,
    Product,
    Request,
    infer_schema,
    interpreted_schema,
    product_of,
    sketch_product,
    warn_interpreted,
)
from windrow.loops import is_interpreting

from .bind import BoundCall
from .selection import Selection, choose_selections

Read = tuple[str, bool]
"""A column, and whether it is read as floats in its own unit: decimals, which are
otherwise read as whole numbers of their last digit, where the result is a float."""


@dataclass(frozen=True)
class Slots:
    """The place of each column, and of its validity, in the kernel's source."""

    columns: dict[Read, int]
    masks: dict[str, int]


@dataclass(frozen=True)
class KernelRequest:
    """A product, and which of its outputs belong to which call.

    `sketches` are the calls of its companions, where windows slide over slices;
    `selections` the methods of calls that need values in order, by result.
    """

    product: Product
    calls: tuple[tuple[BoundCall, tuple[int, ...]], ...]
    selections: Mapping[str, Selection] = field(default_factory=dict)
    sketches: tuple[BoundCall, ...] = ()

    @property
    def count(self) -> int:
        """How many calls it answers from partials."""
        return len(self.calls) + len(self.sketches)


def reads_of(bound: BoundCall) -> tuple[Read, ...]:
    """The columns of a call, as its kernel reads them."""
    as_floats = bound.aggregate.result in ("float", "sketch")
    return tuple(
        (column, as_floats and bool(pat.is_decimal(kind)))
        for column, kind in zip(bound.columns, bound.types, strict=True)
    )


def slots_of(calls: Sequence[BoundCall], nullable: Callable[[str], bool]) -> Slots:
    """Number the columns that kernels read, then the validity arrays."""
    columns: dict[Read, int] = {}
    masks: list[str] = []
    for bound in _with_partials(calls):
        for read in reads_of(bound):
            if "value" in bound.aggregate.takes or "other" in bound.aggregate.takes:
                columns.setdefault(read, len(columns))
            if nullable(read[0]) and read[0] not in masks:
                masks.append(read[0])
    count = len(columns)
    return Slots(columns, {column: count + i for i, column in enumerate(masks)})


def _with_partials(calls: Sequence[BoundCall]) -> list[BoundCall]:
    return [bound for bound in calls if bound.aggregate.in_kernels]


def request_kernel(
    calls: Sequence[BoundCall],
    slots: Slots,
    wide: Callable[[BoundCall], bool] = lambda _: False,
    *,
    may_be_empty: bool = False,
    of_slices: bool = False,
) -> KernelRequest:
    """The product of all calls that are not holistic.

    Sketches are part of it `of_slices`; over rows they are made of the rows themselves.
    """
    requests: list[Request] = []
    owners: list[tuple[BoundCall, tuple[int, ...]]] = []
    for bound in _with_partials(calls):
        first = len(requests)
        requests += _requests(bound, slots, wide(bound))
        owners.append((bound, tuple(range(first, len(requests)))))
    product = product_of(requests, may_be_empty=may_be_empty)
    sketches = tuple(b for b in calls if of_slices and b.aggregate.sketch)
    if sketches:
        companions = tuple(sketch_product(bound.sketch) for bound in sketches)
        product = replace(product, companions=companions)
    return KernelRequest(product, tuple(owners), choose_selections(calls), sketches)


def users_result(bound: BoundCall) -> pa.DataType:
    """The type that a user's functions give for their column; float64 if unknown."""
    request = _user_request(bound, (), ())
    assert request.schema is not None
    types = {"int64": pa.int64(), "bool": pa.bool_()}
    return types.get(request.schema[-1], pa.float64())


def may_overflow(bound: BoundCall) -> bool:
    """Whether the call adds up 64-bit whole numbers, and so could pass 64 bits."""
    if bound.aggregate.name not in ("sum", "mean") or bound.aggregate.is_users:
        return False
    kind = bound.types[0]
    return value_kind(kind) == "int" and (
        pat.is_decimal(kind) or (kind.bit_width == 64 and not pat.is_floating(kind))
    )


def _requests(bound: BoundCall, slots: Slots, wide: bool) -> list[Request]:
    aggregate = bound.aggregate
    columns = dict.fromkeys(bound.columns)
    masks = tuple(slots.masks[name] for name in columns if name in slots.masks)
    reads = reads_of(bound)
    read = tuple(slots.columns[key] for key in reads if key in slots.columns)
    if "value" not in aggregate.takes:
        read = ()
    kind = value_kind(bound.types[0]) if bound.types else "int"
    if (reads and reads[0][1]) or (wide and aggregate.name == "mean"):
        kind = "float"
    if aggregate.is_users:
        return [_user_request(bound, read, masks)]
    if aggregate.name == "mean" and pat.is_decimal(bound.types[0]):
        total = WIDE_SUM if wide else find("sum")
        return [
            Request(total, "int", read, masks),
            Request(find("count"), "int", (), masks),
        ]
    if wide and aggregate.name == "sum":
        return [Request(WIDE_SUM, "int", read, masks)]
    return [Request(aggregate, kind, read, masks)]


_schemas: dict[tuple[int, tuple[str, ...]], tuple[tuple[str, ...], bool, bool]] = {}
_aggregates: list[Aggregate] = []  # kept alive, so that no other gets their ids


def _user_request(
    bound: BoundCall, read: tuple[int, ...], masks: tuple[int, ...]
) -> Request:
    aggregate = bound.aggregate
    kinds = tuple(value_kind(kind) for kind in bound.types)
    key = (id(aggregate), kinds)
    if is_interpreting():
        return Request(aggregate, "object", read, masks, *interpreted_schema())
    if key not in _schemas:
        _aggregates.append(aggregate)
        try:
            _schemas[key] = infer_schema(aggregate, kinds)
        except NotCompiled as error:
            _schemas[key] = interpreted_schema()
            warn_interpreted(aggregate, error)
        except Exception as error:  # a user's function that fails on a plain number
            raise BadInput.because(
                f"cannot use aggregate {aggregate.name!r}",
                f"compiling its functions failed with {error}",
                "check that lift, combine and lower take and give numbers or tuples",
            ) from error
    schema = _schemas[key]
    kind = "object" if schema[0][0] == "object" else kinds[0] if kinds else "int"
    return Request(aggregate, kind, read, masks, *schema)
