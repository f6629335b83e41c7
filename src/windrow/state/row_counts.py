"""How many rows of each key are final: positions go on from one step to the next.

    kept    k0   known              of the key's rows, the last that are kept are
            a    17                 numbers known - 1, known - 2, ...
            b     3

A tally never forgets a key: without its count, its next row would have no number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.keys import key_codes

from .codec import pack, unpack
from .store import Store

Array = np.ndarray[Any, Any]

TALLY = 1  # its number in the store
KNOWN = "known"


def add_to_tally(
    store: Store, by: Sequence[str], keys: pa.Table, new: Array
) -> tuple[Array, Array]:
    """The count of each key before and after `new[i]` rows of key i became final."""
    names = [f"k{i}" for i in range(len(by))]
    listed = keys.select(list(by)).rename_columns(names)
    kept, known = _read(store, names, listed)
    codes, all_keys = _codes(kept, listed, names, len(known), len(new))
    counts = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    counts[codes[: len(known)]] = known
    mine = codes[len(known) :]
    before = counts[mine]
    after = before + new
    if new.any():
        counts[mine] = after
        there = counts > 0
        columns = {name: all_keys.column(name) for name in names}
        table = pa.table({**columns, KNOWN: counts}).filter(pa.array(there))
        store.put(TALLY, pack(table.combine_chunks(), "rows", small=True))
    return before, after


def _read(
    store: Store, names: Sequence[str], listed: pa.Table
) -> tuple[pa.Table, Array]:
    blob = store.get(TALLY)
    if blob is None:
        return listed.slice(0, 0), np.empty(0, np.int64)
    table, _ = unpack(blob, "rows")
    return table.select(list(names)).cast(listed.schema), table.column(KNOWN).to_numpy()


def _codes(
    kept: pa.Table, listed: pa.Table, names: Sequence[str], old: int, new: int
) -> tuple[Array, pa.Table]:
    """One code for each key kept, then for each key listed; and all keys by code."""
    if not names:
        return np.zeros(old + new, np.int64), pa.table({})
    return key_codes(pa.concat_tables([kept, listed]).combine_chunks(), names)


__all__ = ["add_to_tally"]
