"""Whether two answers are the same, row for row, in any order.

Whole numbers, text and instants must be equal; floats within 1e-9 of each other,
relatively, because a sum in another order rounds otherwise; NaN equals NaN and null
equals null.  Types are compared too.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

RELATIVE = 1e-9


def differences(actual: pa.Table, expected: pa.Table) -> list[str]:
    """What differs, in words; nothing where the answers are the same."""
    actual, expected = _laid_out(actual), _laid_out(expected)
    if actual.column_names != expected.column_names:
        return [f"columns {actual.column_names}, not {expected.column_names}"]
    types = [
        f"{name} is of type {mine}, not {theirs}"
        for name, mine, theirs in zip(
            actual.column_names, actual.schema.types, expected.schema.types, strict=True
        )
        if mine != theirs
    ]
    if types:
        return types
    if actual.num_rows != expected.num_rows:
        return [f"{actual.num_rows:,} rows, not {expected.num_rows:,}"]
    return [
        f"{name} differs"
        for name in actual.column_names
        if not _same(actual[name], expected[name])
    ]


def _laid_out(table: pa.Table) -> pa.Table:
    """Structs as columns of their own, rows ordered by what must be equal, then floats.

    A row is found by its key and window, which are exact, so floats that differ in
    their last digits do not change the order of two different rows.
    """
    flat = table.flatten()
    floats = [f.name for f in flat.schema if pa.types.is_floating(f.type)]
    exact = [name for name in flat.column_names if name not in floats]
    return flat.sort_by([(name, "ascending") for name in exact + floats])


def _same(mine: pa.ChunkedArray, theirs: pa.ChunkedArray) -> bool:
    """One column against another."""
    if not pa.types.is_floating(mine.type):
        return bool(mine.equals(theirs))
    if not pc.is_null(mine).equals(pc.is_null(theirs)):
        return False
    pair = (mine.drop_null().to_numpy(), theirs.drop_null().to_numpy())
    return bool(np.allclose(*pair, rtol=RELATIVE, atol=0, equal_nan=True))
