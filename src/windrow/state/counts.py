"""A bucket of count windows, whose last rows are kept from step to step.

Rows of a key are numbered in order of time, ties, arrival, once their time is behind
the watermark: then nothing can come before them.  A window comes out when its last row
has its number, and a row is late if its time is behind the watermark of the step
before.  The last rows of a key and its count stay for ever, since more rows of it may
come, which go on from the count:

    tally    k0   known          of the key's rows, the last that are kept are
             a    17             numbers known - 1, known - 2, ...
             b     3

With partial=True windows that are clipped at the beginning come out as soon as all
their rows are final; none is clipped at the end, for a stream has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa

from windrow.batch.columns import key_codes
from windrow.plan.aggregate import Plan
from windrow.plan.resolve import Facts, Resolved, resolve
from windrow.windows.rule import Array

from .codec import Store, pack, unpack
from .due import KernelRows, due_by_count, first_needed
from .paged_bucket import PagedBucket
from .row_pages import RowPages

TALLY = 1  # its number in the store
KNOWN = "known"


@dataclass(frozen=True)
class CountBucket(PagedBucket):
    """A bucket of `wr.aggregate` whose state is the last rows and count of each key."""

    plan: Plan

    keeps_header: ClassVar[bool] = True

    @cached_property
    def resolved(self) -> Resolved:
        """The plan as every step executes it, whatever the rows."""
        return resolve(self.plan, Facts(), inputs="ranges")

    def results(self, pages: RowPages) -> Iterator[pa.Table]:
        """The count windows whose last row came to lie behind `now`."""
        plan = self.plan
        table = pages.gather_final()
        if table is None:
            return
        rows = KernelRows.of(table, plan, self.resolved.slots)
        stream = rows.stream
        assert stream.times is not None
        is_new = (stream.times >= pages.closed).astype(np.int64)
        new = np.add.reduceat(is_new, stream.firsts)
        keys = stream.keys.rename_columns([f"k{i}" for i in range(len(plan.by))])
        before, known = _add_to_tally(pages.store, keys, new)
        for number, rule in enumerate(plan.rules):
            due = due_by_count(stream, rule, before, known)
            yield from rows.windows(self.resolved, number, due)
        left = known - first_needed(plan.rules, known)
        needed = rows.behind <= np.repeat(left, stream.lasts - stream.firsts)
        pages.settle_final(rows.as_arrived(needed))


def _add_to_tally(store: Store, keys: pa.Table, new: Array) -> tuple[Array, Array]:
    """The count of each key before and after `new[i]` rows of key i became final."""
    names = keys.column_names
    old, known = keys.slice(0, 0), np.empty(0, np.int64)
    blob = store.get(TALLY)
    if blob is not None:
        table, _ = unpack(blob, "rows")
        old = table.select(names).cast(keys.schema)
        known = table.column(KNOWN).to_numpy()
    codes, all_keys = np.zeros(len(known) + len(new), np.int64), pa.table({})
    if names:
        both = pa.concat_tables([old, keys]).combine_chunks()
        codes, all_keys = key_codes(both, names)
    counts = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    counts[codes[: len(known)]] = known
    mine = codes[len(known) :]
    before = counts[mine]
    after = before + new
    if new.any():
        counts[mine] = after
        columns = {name: all_keys.column(name) for name in names}
        table = pa.table({**columns, KNOWN: counts}).filter(pa.array(counts > 0))
        store.put(TALLY, pack(table.combine_chunks(), "rows", small=True))
    return before, after
