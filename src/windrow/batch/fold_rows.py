"""Rows folded into slices, as a table that can be sorted, shipped and merged.

keys | pane: the instant at which the slice begins | rows in it | partial
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from windrow.plan.aggregate import Plan
from windrow.plan.requests import Asked, Slots
from windrow.plan.resolve import Resolved

from .job import Job
from .kernel_inputs import read_inputs
from .partials import PartialField, Partials, partial_fields, write_partials
from .slices import cut_slices
from .sorted_rows import check_room, stream_of

PANE = "pane"
ROWS = "rows"


@dataclass(frozen=True)
class Folding:
    """A plan whose partials do not depend on the rows they are made of."""

    plan: Plan
    asked: Asked
    slots: Slots

    @cached_property
    def fields(self) -> list[PartialField]:
        """The columns of the partial."""
        return partial_fields(self.asked, self.slots)

    def fold(self, table: pa.Table) -> pa.Table:
        """The slices of those rows, by key and pane, each once; keys as k0, k1, ..."""
        plan = self.plan
        stream = stream_of(table, plan.by, plan.clock, plan.ties)
        check_room(stream.times, 0 if plan.counts_rows else plan.longest)
        inputs = read_inputs(table, stream, self.slots)
        none = (None,) * len(plan.rules)
        resolved = Resolved(plan, self.asked, self.slots, "slices", none)
        job = Job(resolved, stream, inputs.arrays)
        slices = cut_slices(job, always=True)
        assert slices.partials is not None
        assert stream.times is not None
        times = stream.times[slices.edges[:-1]]
        pane = plan.cuts.begins(times)
        ranked = {
            index: inputs.columns[field.ranked, False].ranked
            for index, field in enumerate(self.fields)
            if field.ranked is not None
        }
        payloads = {
            field.column(payload): stream.gather_arrow(table.column(payload))
            for field in self.fields
            for payload in field.payloads
        }
        partials = Partials(pa.table(payloads), self.fields, slices.partials, ranked)
        runs = np.repeat(np.arange(len(slices.runs) - 1), np.diff(slices.runs))
        keys = stream.keys.take(pa.array(runs))
        return pa.table(
            {
                **{f"k{i}": keys.column(n) for i, n in enumerate(plan.by)},
                PANE: pa.array(pane),
                ROWS: pa.array(np.diff(slices.edges)),
                **write_partials(partials, slices.partials),
            }
        )


__all__ = ["PANE", "ROWS", "Folding"]
