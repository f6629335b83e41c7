"""Decides whether rows are folded where they stand, into a cell for each key and slice.

Sorting rows by key takes longer than all else where there are few keys.  Where a table
of keys x slices is small beside the rows, these are folded into it as they come, and
windows slide over the cells that hold a row.  All else is sorted, for a reason that
`explain` prints.
"""

from __future__ import annotations

from windrow._later import dataclass
from windrow.aggregates import Law
from windrow.kernels import Product
from windrow.slicing import CellTable

from .aggregate import Plan

MOST_PARTIALS = 1 << 25  # of one field on the stacks of all cells; few are touched


@dataclass(frozen=True)
class CellFacts:
    """The numbers of keys, slices and rows, and whether rows are in order of time.

    `slices` is None where there are more than the plan allows.
    """

    keys: int
    slices: int | None
    rows: int
    in_order: bool


def why_sorted(plan: Plan, product: Product, facts: CellFacts) -> str | None:
    """Why rows are sorted by key; None where they are folded into cells."""
    if plan.must_sort is not None:
        return plan.must_sort
    if product.interpreted:
        return "functions in plain Python are called row by row"
    if not facts.in_order and Law.COMMUTATIVE not in product.laws:
        return f"rows are not in order of time, and {plan.label} depends on order"
    slices = "more" if facts.slices is None else f"{facts.slices:,}"
    cells = None if facts.slices is None else facts.keys * facts.slices
    table = f"{facts.keys:,} keys x {slices} slices for {facts.rows:,} rows"
    if cells is None or cells > plan.most_cells(facts.rows):
        return f"{table} would be mostly empty"
    levels = 0 if product.is_lattice else CellTable.levels(facts.rows)
    if cells * levels > MOST_PARTIALS:
        return f"{table} would take too much memory"
    return None
