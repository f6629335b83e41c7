"""Sweeps sorted batches once, and yields windows as soon as they are complete.

    batches   | a a a a | a a b b | b b c |           sorted by key, then time
    stretch   |-------------------|                   enough batches to be worth a call
    open key                b b ->                    more of its rows may come
    carried                 b b                       rows that its next windows cover

Windows of the open key that end at or before its last instant, `now`, are complete;
rows later than `now - range` are carried into the next stretch.  A stretch has at
least as many new rows as are carried, so that each row is read twice at most on
average, and memory is bounded by the window, whatever the key.

Events with a duration are sorted by their starts: none that begins before `now` will
come, and those that have not ended by `now - range` are carried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.batch.aggregate import Solved, Trim
from windrow.batch.assemble import Answer, select_windows
from windrow.batch.columns import run_bounds
from windrow.batch.sorted_rows import SortedRows
from windrow.loops import as_arrow, as_numpy
from windrow.plan.aggregate import Plan
from windrow.windows import Rule
from windrow.windows.rule import Array

Batches = Iterable[pa.RecordBatch]
Times = Callable[[pa.Table], Array]
Solve = Callable[[pa.Table, Trim], Solved]

CHUNK = "__chunk"  # the key column of chunks of time

MOST_BYTES = 1 << 26  # in a stretch
MOST_ROWS = 1 << 16  # in a batch of results


def stretches(
    batches: Batches, enough: Callable[[], int]
) -> Iterator[tuple[pa.Table, bool]]:
    """Yield tables of at least `enough()` rows or many bytes, and if it is the last."""
    pending: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        if rows and (rows >= enough() or size >= MOST_BYTES):
            yield pa.Table.from_batches(pending).combine_chunks(), False
            pending, rows, size = [], 0, 0
        pending.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
    if pending:
        yield pa.Table.from_batches(pending).combine_chunks(), True


def whole_numbers(table: pa.Table, name: str) -> Array:
    """The values of a column of whole numbers: instants, places, numbers of chunks."""
    values = as_numpy(table.column(name).combine_chunks())
    return values.astype(np.int64, copy=False)


def as_batches(
    arrays: Sequence[Any], schema: pa.Schema, most: int = MOST_ROWS
) -> Iterator[pa.RecordBatch]:
    """Yield columns as batches of exactly that schema."""
    cast = [
        array if array.type == field.type else array.cast(field.type)
        for array, field in zip(arrays, schema, strict=True)
    ]
    yield from pa.table(cast, schema=schema).to_batches(max_chunksize=most)


def join_rows(rest: pa.Table | None, table: pa.Table) -> pa.Table:
    """The rows carried from the stretch before, and those of a stretch."""
    return table if rest is None else pa.concat_tables([rest, table]).combine_chunks()


def whole_runs(batches: Batches, by: Sequence[str], enough: int) -> Iterator[pa.Table]:
    """Yield tables in which no run of equal keys is cut; each run fits in memory."""
    rest: pa.Table | None = None
    for table, final in stretches(batches, lambda: enough):
        rows = join_rows(rest, table)
        stop = len(rows) if final else int(run_bounds(rows, by)[0][-1])
        rest = rows.slice(stop)
        if stop:
            yield rows.slice(0, stop)


@dataclass(frozen=True)
class OpenKey:
    """The carried rows of the open key, and the end of its complete windows.

    `since` is an instant, or a position in the key; `base` is the position of the
    first row that is carried.
    """

    rows: pa.Table | None = None
    since: int = 0
    base: int = 0


@dataclass(frozen=True)
class WindowRows:
    """Complete windows of a rule: window i of key `runs[i]` is [begins[i], ends[i])."""

    rule: Rule
    runs: Array
    keys: pa.Table
    begins: Array
    ends: Array
    columns: list[pa.Array]


def sweep(
    batches: Batches,
    plan: Plan,
    solve: Solve,
    times: Times | None,
    lasts: Times | None,
    *,
    enough: int,
    chunks: tuple[str, int] | None,
) -> Iterator[WindowRows]:
    """Yield every window of sorted batches once.

    `times` returns the instants of a table's rows, and is None for count windows; for
    events with a duration these are their first instants, and `lasts` returns the last.
    `chunks` are a key column and a length: a run yields the windows that begin in its
    chunk [number * length, (number + 1) * length).
    """
    how: dict[str, Any] = {"enough": enough, "chunks": chunks}
    for rows, stretch in open_stretches(batches, plan, times, lasts, **how):
        stream, answers, columns = solve(rows, stretch.trim)
        for answer, results in zip(answers, columns, strict=True):
            yield stretch.rows_of(stream, answer, results)


def open_stretches(
    batches: Batches,
    plan: Plan,
    times: Times | None,
    lasts: Times | None,
    *,
    enough: int,
    chunks: tuple[str, int] | None,
) -> Iterator[tuple[pa.Table, Stretch]]:
    """Yield the rows of each stretch, those that are carried too, and its windows."""
    key, carried = OpenKey(), 0
    for table, final in stretches(batches, lambda: max(enough, carried)):  # noqa: B023 - called at once
        rows = join_rows(key.rows, table)
        now = None if times is None else int(times(rows.slice(len(rows) - 1))[0])
        stretch = Stretch(key, now, final, chunks)
        yield rows, stretch
        if not final:
            key = _carry(plan, rows, stretch, times, lasts)
            carried = 0 if key.rows is None else len(key.rows)


@dataclass(frozen=True)
class Stretch:
    """Which windows of a stretch are complete, and have not been yielded before."""

    key: OpenKey
    now: int | None
    final: bool
    chunks: tuple[str, int] | None

    def trim(self, stream: SortedRows, answers: list[Answer]) -> list[Answer]:
        """Remove windows that were yielded before, or are not complete yet."""
        return [self._trim(stream, answer) for answer in answers]

    def _trim(self, stream: SortedRows, answer: Answer) -> Answer:
        counts = answer.counts.copy()
        if not len(counts):
            return answer
        start, stop = 0, len(answer.begins)
        if self.key.rows is not None:
            since = self.key.since - self.key.base
            ends = answer.ends_between(0, counts[0])
            start = int(np.searchsorted(ends, since, side="right"))
        if not self.final:
            last = stop - counts[-1]
            ends = answer.ends_between(last, stop)
            stop = int(last + np.searchsorted(ends, self._now(stream), side="right"))
            stop = max(stop, start)
        counts[-1] -= len(answer.begins) - stop
        counts[0] -= start
        rest = replace(answer.part(slice(start, stop)), counts=counts)
        return rest if self.chunks is None else self._in_chunk(stream, rest)

    def numbers(self, stream: SortedRows, rule: Rule) -> tuple[Array, Array]:
        """The first of them and one past the last, by number, of each run in time."""
        lows = np.full(len(stream.firsts), -(2**63))
        highs = np.full(len(lows), 2**63 - 1)
        if self.chunks is not None:
            name, length = self.chunks
            begins = whole_numbers(stream.keys, name) * length
            lows, highs = (rule.last_over(t - 1) + 1 for t in (begins, begins + length))
        if self.key.rows is not None:
            lows[0] = max(lows[0], rule.first_over(self.key.since))
        if not self.final:
            assert self.now is not None
            highs[-1] = min(highs[-1], rule.first_over(self.now))
        return lows, highs

    def _now(self, stream: SortedRows) -> int:
        """The last instant of the open key, or its number of rows."""
        return len(stream) - int(stream.firsts[-1]) if self.now is None else self.now

    def _in_chunk(self, stream: SortedRows, answer: Answer) -> Answer:
        """The windows that begin in the chunk of their run."""
        assert self.chunks is not None
        name, length = self.chunks
        numbers = whole_numbers(stream.keys, name)
        return select_windows(answer, answer.begins // length == numbers[answer.runs])

    def rows_of(
        self, stream: SortedRows, answer: Answer, columns: list[pa.Array]
    ) -> WindowRows:
        """The windows with their keys, and with bounds from the start of the key."""
        rule, runs = answer.rule, answer.runs
        assert rule is not None
        begins, ends = answer.begins, answer.ends
        if rule.counts_rows:
            lengths = stream.lasts - stream.firsts
            base = np.zeros(len(lengths), np.int64)
            base[:1] = self.key.base
            begins = np.maximum(begins + base[runs], 0)
            ends = np.minimum(ends, lengths[runs]) + base[runs]
        return WindowRows(rule, runs, stream.keys, begins, ends, columns)


def _carry(
    plan: Plan,
    rows: pa.Table,
    stretch: Stretch,
    times: Times | None,
    lasts: Times | None,
) -> OpenKey:
    """The open key after a stretch, with the rows that its next windows cover."""
    firsts, _ = run_bounds(rows, plan.by)
    first = int(firsts[-1])
    if times is not None:
        assert stretch.now is not None
        now = stretch.now  # windows up to the first over it are complete
        reach = min(rule.begin(rule.first_over(now)) for rule in plan.rules)
        if lasts is not None:
            open_key = rows.slice(first)
            alive = as_arrow(lasts(open_key) >= reach)
            return OpenKey(open_key.filter(alive), now)
        start = first + int(np.searchsorted(times(rows.slice(first)), reach))
        return OpenKey(rows.slice(start), now)
    base = stretch.key.base if len(firsts) == 1 else 0
    count = base + len(rows) - first
    # a window that ends at or before `count` is complete; the next stretch begins at
    # a multiple of every slide
    begins = [rule.begin(max(rule.first_over(count), 0)) for rule in plan.rules]
    step = math.lcm(*(rule.step for rule in plan.rules))
    start = max(min(*begins, count - 1) // step * step, base)  # one row holds the key
    return OpenKey(rows.slice(first + start - base), count, start)
