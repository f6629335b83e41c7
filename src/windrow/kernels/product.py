"""Merges the partials of several aggregates into one product, for one pass.

    mean(x)           (count, total)           -- serves sum(x) and count() as well
    max(x)            (max)
    -----------------------------------------
    product           (count, total, max)      one tuple, one loop

A request whose fields are all in another's partial is lowered from there.  Where a
result may be null the product also has a count of values, once for each set of
nullable columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from windrow.aggregates import ABSENT, Aggregate, Law, find

DTYPES = {"int": "int64", "float": "float64"}


@dataclass(frozen=True)
class Request:
    """An aggregate with its input columns bound to slots of the kernel's source.

    `slots` are the columns that `lift` reads, in order; `masks` the slots of
    validity arrays, of which all must be true for the row to count.  `kind` is
    the kind of "value" fields.  A user's aggregate has its inferred `schema`, dtypes
    of the fields, then of the result; `on_arrays` says if it can be given arrays.
    """

    aggregate: Aggregate
    kind: str
    slots: tuple[int, ...] = ()
    masks: tuple[int, ...] = ()
    schema: tuple[str, ...] | None = None
    scalar: bool = False
    on_arrays: bool = False
    flagged: bool = False

    @property
    def optional(self) -> bool:
        """Whether the last field of its partial is 0 if there is no value at all.

        So for a user's aggregate without an identity, and for a selective one that is
        alone over nulls: with a count beside it, it would not be selective.
        """
        return self.flagged or self.aggregate.identity is ABSENT


@dataclass(frozen=True)
class ProductPart:
    """One partial inside the product, at fields [offset, offset + len(dtypes))."""

    request: Request
    offset: int
    dtypes: tuple[str, ...]

    @property
    def stop(self) -> int:
        """One past its last field."""
        return self.offset + len(self.dtypes)

    @property
    def optional(self) -> bool:
        """Whether its last field is 0 if there is no value at all."""
        return self.request.optional


@dataclass(frozen=True)
class Output:
    """How one request is lowered: from which fields, into arrays of which types.

    `present_in` is the field that is zero where the result is null; an array of
    validity is written if that, or the aggregate's `defined`, is not None.
    """

    request: Request
    fields: tuple[int, ...]
    dtypes: tuple[str, ...]
    present_in: int | None

    @property
    def nullable(self) -> bool:
        """Whether an array of validity is written."""
        return self.present_in is not None or self.request.aggregate.defined is not None


@dataclass(frozen=True)
class Product:
    """The partial that a kernel computes, and how each result is lowered from it."""

    parts: tuple[ProductPart, ...]
    outputs: tuple[Output, ...]

    @cached_property
    def dtypes(self) -> tuple[str, ...]:
        """One dtype per field of the partial."""
        return tuple(dtype for part in self.parts for dtype in part.dtypes)

    @cached_property
    def out_dtypes(self) -> tuple[str, ...]:
        """One dtype per result array, validity arrays ("bool") among them."""
        return tuple(
            dtype
            for output in self.outputs
            for dtype in (*output.dtypes, *(("bool",) if output.nullable else ()))
        )

    @cached_property
    def laws(self) -> Law:
        """The laws of all parts; a product of several parts is not selective."""
        laws = Law.COMMUTATIVE | Law.INVERTIBLE | Law.SELECTIVE | Law.IDEMPOTENT
        for part in self.parts:
            laws &= part.request.aggregate.laws
        return laws if len(self.parts) == 1 else laws & ~Law.SELECTIVE

    @property
    def exact(self) -> bool:
        """Whether all fields are whole numbers, so that an inverse is exact."""
        return all(dtype == "int64" for dtype in self.dtypes)

    @property
    def is_lattice(self) -> bool:
        """Whether any association gives the same bits.

        So for whole numbers, and where numbers are chosen and never computed.
        """
        return not self.has_users and all(
            Law.IDEMPOTENT in part.request.aggregate.laws
            or all(dtype == "int64" for dtype in part.dtypes)
            for part in self.parts
        )

    @property
    def is_arithmetic(self) -> bool:
        """Whether lift and combine give the same bits in numpy and in machine code.

        Logarithms and exponentials are within one unit of the last place in both.
        """
        aggregates = [part.request.aggregate for part in self.parts]
        functions = [f for each in aggregates for f in (each.lift, each.combine)]
        return not any({"log", "exp"} & {*f.__code__.co_names} for f in functions)

    @property
    def undoable(self) -> bool:
        """Whether there is an exact inverse."""
        return Law.INVERTIBLE in self.laws and self.exact

    @property
    def has_users(self) -> bool:
        """Whether it contains a user's functions."""
        return any(part.request.aggregate.is_users for part in self.parts)

    @property
    def on_arrays(self) -> bool:
        """Whether all its functions can be given arrays."""
        requests = [part.request for part in self.parts]
        return all(r.on_arrays or not r.aggregate.is_users for r in requests)

    @property
    def interpreted(self) -> bool:
        """Whether a user's functions could not be compiled."""
        return "object" in self.dtypes + self.out_dtypes


def product_of(requests: Sequence[Request], *, may_be_empty: bool = False) -> Product:
    """Merge requests into one product; `may_be_empty` if windows may hold no row."""
    return _merge(tuple(requests), may_be_empty)


@lru_cache(maxsize=256)
def _merge(requests: Sequence[Request], may_be_empty: bool) -> Product:
    """The product of those requests, which is the same object in every call."""
    requests = _flag_lone_selective(requests, may_be_empty)
    parts: list[ProductPart] = []
    index: dict[object, int] = {}

    counts = [
        Request(COUNT, "int", masks=request.masks)
        for request in requests
        if _needs_count(request, may_be_empty)
    ]
    for request in sorted([*requests, *counts], key=lambda r: -len(_keys(r))):
        keys = _keys(request)
        if not all(key in index for key in keys):
            offset = parts[-1].stop if parts else 0
            parts.append(ProductPart(request, offset, _dtypes(request)))
            for position, key in enumerate(keys, offset):
                index.setdefault(key, position)
    outputs = tuple(_output(request, index, may_be_empty) for request in requests)
    return Product(tuple(parts), outputs)


COUNT = find("count")


def _flag_lone_selective(
    requests: Sequence[Request], may_be_empty: bool
) -> Sequence[Request]:
    if len(set(requests)) != 1 or not _needs_count(requests[0], may_be_empty):
        return requests
    lone = requests[0]
    if lone.aggregate.is_users or Law.SELECTIVE not in lone.aggregate.laws:
        return requests
    return [replace(lone, flagged=True)] * len(requests)


def _needs_count(request: Request, may_be_empty: bool) -> bool:
    """Whether a count must show nulls; positions and present flags show them anyway."""
    aggregate = request.aggregate
    if aggregate is COUNT or aggregate.result == "position" or request.optional:
        return False
    return bool(request.masks) or may_be_empty


def _keys(request: Request) -> list[object]:
    """A key for each field; equal fields have equal keys."""
    aggregate = request.aggregate
    if aggregate.is_users:
        number = len(request.schema or ()) - 1 + request.optional
        identity = (id(aggregate), request.slots, request.masks)
        return [(identity, i) for i in range(number)]
    names = [(field.name, field.kind) for field in aggregate.fields]
    return [
        (
            name,
            request.kind if kind == "value" else kind,
            () if name == "count" else request.slots,
            request.masks,
        )
        for name, kind in names + [("present", "int")] * request.flagged
    ]


def _dtypes(request: Request) -> tuple[str, ...]:
    aggregate = request.aggregate
    present = ("int64",) if request.optional else ()
    if aggregate.is_users:
        assert request.schema is not None
        return (*request.schema[:-1], *present)
    dtypes = tuple(
        DTYPES[request.kind if field.kind == "value" else field.kind]
        for field in aggregate.fields
    )
    return (*dtypes, *present)


def _output(request: Request, index: dict[object, int], may_be_empty: bool) -> Output:
    fields = tuple(index[key] for key in _keys(request))
    present_in: int | None = None
    if _needs_count(request, may_be_empty):
        present_in = index[("count", "int", (), request.masks)]
    elif request.optional:
        present, fields = fields[-1], fields[:-1]
        present_in = present if request.masks or may_be_empty else None
    return Output(request, fields, _result_dtypes(request), present_in)


def _result_dtypes(request: Request) -> tuple[str, ...]:
    aggregate = request.aggregate
    if aggregate.is_users:
        assert request.schema is not None
        return (request.schema[-1],)
    if aggregate.result in ("count", "position", "truth"):
        return ("int64",)
    if aggregate.result in ("wide", "sketch"):
        return _dtypes(request)
    if aggregate.result in ("value", "total", "difference"):
        return (_dtypes(request)[0],)
    return ("float64",)
