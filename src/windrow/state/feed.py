"""Reads the tables that come in a step: which rows are in time, and as which slices.

A bucket of slices takes one of two kinds of tables:

    slices    every aggregate commutes: rows are folded before they are shuffled, and
              pieces of a slice that come apart are combined whenever they meet
    rows      order matters, or late rows are given back: rows wait in the bucket, and
              are sorted and folded when their slice is closed

Buckets that keep rows take rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.batch.columns import array_runs
from windrow.batch.keys import key_codes
from windrow.batch.partials import (
    PANE,
    ROWS,
    Folding,
    Partials,
    read_partials,
    write_partials,
)
from windrow.batch.sorted_rows import times_of
from windrow.errors import StateError
from windrow.slicing import fold
from windrow.windows.rule import Array

from .codec import Store, read_blob


@dataclass(frozen=True)
class Feed:
    """Tables of slices, where rows are `folded` before they come, or of rows.

    `former` is how version 0.1 folded, where its partials were smaller; `beside` are
    columns that tell parts of a slice apart.
    """

    folding: Folding
    folded: bool
    former: Folding | None = None
    beside: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """What blobs of such tables are called."""
        return "slices" if self.folded else "rows"

    @cached_property
    def keys(self) -> list[str]:
        """The key columns of slices."""
        return [f"k{number}" for number in range(len(self.folding.plan.by))]

    @cached_property
    def groups(self) -> list[str]:
        """The columns that slices of one instant differ in, before they are closed."""
        return [*self.keys, *self.beside]

    @cached_property
    def partials(self) -> list[str]:
        """The columns of partials."""
        return _columns_of(self.folding)

    def read(self, store: Store, number: int, kind: str) -> pa.Table:
        """A page of the store; partials of version 0.1 are brought up to date."""
        table = read_blob(store, number, kind)
        if kind == "rows" or set(self.partials) <= set(table.column_names):
            return table
        return self._bring_up_to_date(table)

    def _bring_up_to_date(self, table: pa.Table) -> pa.Table:
        former = [] if self.former is None else _columns_of(self.former)
        both = {*self.partials, *former}
        names = [name for name in table.column_names if name in both]
        if self.former is None or names != former:
            raise StateError.because(
                "cannot go on from this checkpoint",
                f"its partials have the columns {', '.join(names)} and not "
                f"{', '.join(self.partials)}: version 0.1 wrote it, and since then a "
                "column became nullable or is so no more",
                "make the same columns nullable as then, or start this query with a "
                "checkpoint of its own",
            )
        columns: dict[str, Any] = {}
        for name in table.column_names:
            if name not in former:
                columns[name] = table.column(name)
            elif name == former[0]:
                one = pa.array(np.ones(len(table), np.int64))
                for now, then in _former_names(self.folding, self.former).items():
                    columns[now] = one if then is None else table.column(then)
        return pa.table(columns)

    def marks(self, table: pa.Table) -> Array:
        """The instant by which each row is placed."""
        if self.folded:
            panes: Array = table.column(PANE).to_numpy()
            return panes
        assert self.folding.plan.clock is not None
        return times_of(table, self.folding.plan.clock)[0]

    def ends(self, marks: Array) -> Array:
        """The instant at which the slice of each mark is closed."""
        return self.folding.plan.cuts.ends(marks)

    def count_rows(self, table: pa.Table) -> int:
        """How many rows of the stream are in a table."""
        if not self.folded:
            return len(table)
        return int(table.column(ROWS).to_numpy().sum())

    def join(self, tables: Sequence[pa.Table]) -> pa.Table:
        """Several tables as one, in the order in which they came."""
        table = pa.concat_tables(tables).combine_chunks()
        return self._combine(table) if self.folded and len(tables) > 1 else table

    def slices(self, tables: Sequence[pa.Table]) -> pa.Table:
        """The slices of those tables, by key and pane, each once."""
        table = pa.concat_tables(tables).combine_chunks()
        return self._combine(table) if self.folded else self.folding.fold(table)

    def _combine(self, table: pa.Table) -> pa.Table:
        """Slices by key and pane, pieces of one slice made one."""
        panes = table.column(PANE).to_numpy()
        codes = np.zeros(len(table), np.int32)
        keys = pa.table({})
        if self.groups:
            codes, keys = key_codes(table, self.groups)
        order = np.lexsort((panes, codes))
        panes, codes = panes[order], codes[order]
        table = table.take(pa.array(order))
        starts, stops = array_runs(panes, codes)
        if len(starts) == len(table):
            return table
        request, fields = self.folding.request, self.folding.fields
        partials: Partials = read_partials(request, fields, table)
        arrays = fold(request.product, partials.arrays, starts, stops, leaf="slices")
        rows = np.add.reduceat(table.column(ROWS).to_numpy(), starts)
        keys = keys.take(pa.array(codes[starts]))
        return pa.table(
            {
                **{name: keys.column(name) for name in self.groups},
                PANE: pa.array(panes[starts]),
                ROWS: pa.array(rows),
                **write_partials(replace(partials, arrays=arrays), arrays),
            }
        )


def _columns_of(folding: Folding) -> list[str]:
    return [name for field in folding.fields for name in field.columns]


def _former_names(now: Folding, former: Folding) -> dict[str, str | None]:
    """For each column of partials, that of version 0.1 with the same numbers.

    None where there was none: the column tells whether there is a value, or how many,
    which only a nullable column has to tell.  Then at least one is there.
    """
    places = {key: place for place, key in reversed([*enumerate(_meanings(former))])}
    names: dict[str, str | None] = {}
    for field, meaning in zip(now.fields, _meanings(now), strict=True):
        place = places.get(meaning)
        old = None if place is None else former.fields[place]
        olds = [None] * len(field.columns) if old is None else old.columns
        names.update(zip(field.columns, olds, strict=True))
    return names


def _meanings(folding: Folding) -> Iterator[Hashable]:
    """What each field of a partial means, whichever columns may be null."""
    for part in folding.request.product.parts:
        request, fields = part.request, part.request.aggregate.fields
        for number in range(len(part.dtypes)):
            if part.optional and number == len(part.dtypes) - 1:
                yield "present", request.aggregate.name, request.slots
            elif not fields:
                yield id(request.aggregate), number, request.slots
            elif fields[number].name == "count":
                yield "count"
            else:
                yield fields[number].name, request.kind, request.slots
