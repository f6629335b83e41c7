"""Rows folded into slices, as a table that can be sorted, shipped and merged.

keys | pane: the instant at which the slice begins | rows in it | partial
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from windrow.plan.plan import Plan
from windrow.plan.requests import Asked, Slots

from .job import open_job
from .partials import PartialField, Partials, partial_fields, write_partials
from .slices import cut_slices

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
        job, read = open_job(table, self.plan, fixed=(self.asked, self.slots))
        slices = cut_slices(job, always=True)
        assert slices.partials is not None
        assert job.stream.times is not None
        times = job.stream.times[slices.edges[:-1]]
        pane = self.plan.cuts.begins(times)
        ranked = {
            index: read[field.ranked, False].ranked
            for index, field in enumerate(self.fields)
            if field.ranked is not None
        }
        payloads = {
            field.column(payload): job.stream.gather_arrow(table.column(payload))
            for field in self.fields
            for payload in field.payloads
        }
        partials = Partials(pa.table(payloads), self.fields, slices.partials, ranked)
        runs = np.repeat(np.arange(len(slices.runs) - 1), np.diff(slices.runs))
        keys = job.stream.keys.take(pa.array(runs))
        return pa.table(
            {
                **{f"k{i}": keys.column(n) for i, n in enumerate(self.plan.by)},
                PANE: pa.array(pane),
                ROWS: pa.array(np.diff(slices.edges)),
                **write_partials(partials, slices.partials),
            }
        )


__all__ = ["PANE", "ROWS", "Folding"]
