"""Merges the partials of several aggregates into one product, for one pass.

    mean(x)           (count, total)           -- serves sum(x) and count() as well
    max(x)            (max)
    -----------------------------------------
    product           (count, total, max)      one tuple, one loop

A request whose fields are all in another's partial is lowered from there; a range is
the partials of a minimum and a maximum.  Where a
result may be null the product also has a count of values, once for each set of
nullable columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from windrow.aggregates import Law, find

from .product import DTYPES, Output, Product, ProductPart, Request


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
    wanted = [part for request in requests for part in _halves(request)]
    for request in sorted([*wanted, *counts], key=lambda r: -len(_keys(r))):
        keys = _keys(request)
        if not all(key in index for key in keys):
            offset = parts[-1].stop if parts else 0
            parts.append(ProductPart(request, offset, _dtypes(request)))
            for position, key in enumerate(keys, offset):
                index.setdefault(key, position)
    outputs = tuple(_output(request, index, may_be_empty) for request in requests)
    return Product(tuple(parts), outputs)


COUNT = find("count")


def _halves(request: Request) -> list[Request]:
    """A request for each half of a partial that has some, so that each goes its way."""
    halves = request.aggregate.halves
    return [replace(request, aggregate=half) for half in halves] or [request]


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
