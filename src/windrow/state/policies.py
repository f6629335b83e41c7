"""A bucket of windows by policy, which keeps the rows of each key's window.

    rows kept      + + + + | . . . | . . .       + seen already, . still to come
    closed, now            |       |
    seen now                 . . .               time in [closed, now)
    results              [------)  [------)      as policies say, row by row

Policies go over the rows of a key in order of time, so a row is seen once the watermark
has passed it.  Of each key those rows stay from which policies go on as if they had
seen all (`tasks/policies.py` says which); beside them a tally:

    k0   known   kept   done   due
    a       17      4     15    60      17 rows seen, the last 4 of them are kept,
                                        results up to row 15 are out, and where time
                                        triggers one falls due at 60, if no row comes

With `early` results over rows that the watermark has not passed come out too, and again
when a row that comes before them changes them.  What was told is kept until the
watermark has passed it, and compared with what is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.batch.policy_windows import open_policy
from windrow.batch.sorted_rows import sort_rows
from windrow.plan.by_policy import PolicyPlan
from windrow.plan.facts import Facts
from windrow.plan.resolve import resolve
from windrow.plan.resolved import ResolvedPolicy
from windrow.windows.policy_numbers import TIME
from windrow.windows.rule import Array

from .codec import Store, pack, unpack
from .due import MOST
from .key_table import KNOWN, KeyTally, place_keys
from .row_pages import RowPages
from .rows import PagedBucket

TOLD = -2  # its number in the store: beside the blobs that a bucket numbers itself
_USUAL = {KNOWN: 0, "kept": 0, "done": 0, "due": MOST}


@dataclass(frozen=True)
class PolicyBucket(PagedBucket):
    """A bucket of `wr.aggregate` whose state is the window of each key.

    Out come k0, k1, ... (keys), start, end (places within the key), r0, r1, ...
    """

    plan: PolicyPlan
    early: bool = False

    @cached_property
    def resolved(self) -> ResolvedPolicy:
        """The plan as every step executes it, whatever the rows."""
        return resolve(self.plan, Facts())

    def keeps_header(self, pages: RowPages) -> bool:
        """Places of rows go on where they were."""
        return pages.known

    def results(self, pages: RowPages) -> Iterator[pa.Table]:
        """The results that fell due as the watermark moved on, then early ones."""
        tally = KeyTally.read(pages.store, self.plan, _USUAL)
        told = _read_told(pages.store) if self.early else None
        table = pages.gather_final()
        if table is None and tally.counts[-1].min(initial=MOST) <= pages.now:
            table = pages.gather_seen()
        if table is not None and len(table):
            steps = _PolicyRun(self, table, pages.closed)
            is_open = steps.note_due(tally, pages.now)
            results, needed = steps.go_on(tally, is_open)
            pages.settle_final(needed)
            tally.write(pages.store)
            yield from _not_told(results, told, len(self.plan.by))
        rows = pages.gather(lambda _: True) if self.early else None
        if rows is not None and len(rows) and (table is not None or pages.has_new):
            results, _ = _PolicyRun(self, rows, pages.now).go_on(tally, None)
            yield from _not_told(results, told, len(self.plan.by))
            pages.store.put(TOLD, pack(results, "rows", small=True))


class _PolicyRun:
    """Policies that go on over the rows of some keys, new from an instant on."""

    def __init__(self, bucket: PolicyBucket, table: pa.Table, since: int) -> None:
        plan = bucket.plan
        self.bucket, self.table = bucket, table
        self.rows = sort_rows(table, plan.by, plan.clock, plan.ties)
        assert self.rows.times is not None
        is_new = (self.rows.times >= since).astype(np.int64)
        self.new = np.add.reduceat(is_new, self.rows.firsts)

    def note_due(self, tally: KeyTally, now: int) -> Array:
        """Where time triggers a result of a key's last rows, whether that is to come.

        The tally then says when.
        """
        plan, rows = self.bucket.plan, self.rows
        places = tally.find(rows.keys)
        if plan.policies.trigger != TIME:
            return np.zeros(len(places), bool)
        every = plan.policies.every
        assert rows.times is not None
        ends = (rows.times[rows.lasts - 1] // every + 1) * every
        is_open: Array = ends > now
        tally.counts[-1, places] = np.where(is_open, ends, MOST)
        return is_open

    def go_on(self, tally: KeyTally, is_open: Array | None) -> tuple[pa.Table, Array]:
        """The results, and which rows of the table are needed from now on.

        The tally goes on with them; if None `is_open`, it stays as it was.
        """
        places = tally.find(self.rows.keys)
        known, kept, done, _ = tally.counts[:, places]
        # dead rows may lie in pages that have living ones: they stand before those
        living = self._last(kept + self.new)
        table = self.table if living.all() else self.table.filter(pa.array(living))
        job = open_policy(table, self.bucket.plan)
        keeps_tally = is_open is None
        if is_open is None:
            is_open = np.zeros(len(places), bool)
        found = job.results_after(known - kept, done, is_open)
        left = kept + self.new - found.carried
        if not keeps_tally:
            tally.counts[:3, places] = known + self.new, left, found.dones
        return pa.table(job.columns(self.bucket.resolved, found)), self._last(left)

    def _last(self, counts: Array) -> Array:
        """Whether each row of the table is among the last so many of its key."""
        rows = self.rows
        behind = np.repeat(rows.lasts, rows.lengths) - np.arange(len(rows))
        is_last = behind <= np.repeat(counts, rows.lengths)
        return is_last if rows.place is None else is_last[rows.place]


def _read_told(store: Store) -> pa.Table | None:
    blob = store.get(TOLD)
    return None if blob is None else unpack(blob, "rows")[0]


def _not_told(
    results: pa.Table, told: pa.Table | None, keys: int
) -> Iterator[pa.Table]:
    """The results that were not told as they are."""
    if told is not None and len(told) and len(results):
        names = [*(f"k{i}" for i in range(keys)), "end"]
        places, new = place_keys(told, results, names)
        old = told.take(pa.array(np.where(new, 0, places)))
        for name in results.column_names:
            new = new | _differ(results.column(name), old.column(name))
        results = results.filter(pa.array(new))
    if len(results):
        yield results


def _differ(left: pa.ChunkedArray, right: pa.ChunkedArray) -> Array:
    """Whether values differ, row by row; nulls are alike, and so are NaNs."""
    if pat.is_nested(left.type):
        pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
        return np.array([repr(a) != repr(b) for a, b in pairs], bool)
    both = pa.chunked_array([*left.chunks, *right.cast(left.type).chunks], left.type)
    codes = both.combine_chunks().dictionary_encode().indices.fill_null(-1).to_numpy()
    differs: Array = codes[: len(left)] != codes[len(left) :]
    return differs
