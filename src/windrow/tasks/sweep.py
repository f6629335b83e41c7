"""A sorted stream of batches, swept once: windows come out when they are complete.

    batches   | a a a a | a a b b | b b c |           sorted by key, then time
    stretch   |-------------------|                   enough batches to be worth a call
    open key                b b ->                    more of it may come
    carried                 b b                       what its next windows can reach

Of the open key those windows are out that end at or before its last instant, `now`;
rows later than `now - range` are carried into the next stretch.  A stretch has at
least as many new rows as are carried, so that each row is read twice at most on
average, and memory is bounded by the window, whatever the key.

Events that last are sorted by their starts: none that begins before `now` is to come,
and those are carried that have not ended by `now - range`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.aggregate import Solved, Trim
from windrow.batch.assemble import Answer, select_windows
from windrow.batch.keys import run_bounds
from windrow.batch.sorted_rows import Stream
from windrow.plan.aggregate import Plan
from windrow.windows import Rule

Array = np.ndarray[Any, Any]
Times = Callable[[pa.Table], Array]
Solve = Callable[[pa.Table, Trim], Solved]

MOST_BYTES = 1 << 26  # in a stretch
MOST_ROWS = 1 << 16  # in a batch that goes out


def stretches(
    batches: Iterable[pa.RecordBatch], enough: Callable[[], int]
) -> Iterator[tuple[pa.Table, bool]]:
    """Tables of at least `enough()` rows (or many bytes), and whether one is last."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        if rows and (rows >= enough() or size >= MOST_BYTES):
            yield pa.Table.from_batches(held).combine_chunks(), False
            held, rows, size = [], 0, 0
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
    if held:
        yield pa.Table.from_batches(held).combine_chunks(), True


def as_batches(arrays: Sequence[Any], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Columns as batches of exactly that schema."""
    cast = [
        array if array.type == field.type else array.cast(field.type)
        for array, field in zip(arrays, schema, strict=True)
    ]
    yield from pa.table(cast, schema=schema).to_batches(max_chunksize=MOST_ROWS)


def whole_runs(
    batches: Iterable[pa.RecordBatch], by: Sequence[str], enough: int
) -> Iterator[pa.Table]:
    """Tables in which no run of equal keys is cut; each run fits in memory."""
    left: pa.Table | None = None
    for table, final in stretches(batches, lambda: enough):
        rows = table if left is None else pa.concat_tables([left, table])
        rows = rows.combine_chunks()
        stop = len(rows) if final else int(run_bounds(rows, by)[0][-1])
        left = rows.slice(stop)
        if stop:
            yield rows.slice(0, stop)


@dataclass(frozen=True)
class Left:
    """What is kept of the open key: rows, and up to where it has been answered.

    `since` is an instant, or a position in the key; `base` is the position of the
    first row that is kept.
    """

    rows: pa.Table | None = None
    since: int = 0
    base: int = 0


@dataclass(frozen=True)
class WindowRows:
    """Windows that are out: window i of key `runs[i]` is [begins[i], ends[i])."""

    rule: Rule
    runs: Array
    keys: pa.Table
    begins: Array
    ends: Array
    columns: list[pa.Array]


def sweep(
    batches: Iterable[pa.RecordBatch],
    plan: Plan,
    solve: Solve,
    times: Times | None,
    *,
    enough: int,
    owned: tuple[str, int] | None = None,
    lasts: Times | None = None,
) -> Iterator[WindowRows]:
    """Every window of a sorted stream, once.

    `times` gives the instants of a table's rows, None for count windows.  With
    `owned`, a key column and a length: a run keeps the windows that begin in its own
    chunk [number * length, (number + 1) * length).  `lasts` gives the last instants of
    events that last, `times` then being the first ones.
    """
    left, kept = Left(), 0
    for table, final in stretches(batches, lambda: max(enough, kept)):  # noqa: B023 - asked at once
        rows = table if left.rows is None else pa.concat_tables([left.rows, table])
        rows = rows.combine_chunks()
        now = None if times is None else int(times(rows.slice(len(rows) - 1))[0])
        stretch = _Stretch(left, now, final, owned)
        stream, answers, columns = solve(rows, stretch.trim)
        for answer, results in zip(answers, columns, strict=True):
            yield stretch.rows_of(stream, answer, results)
        if not final:
            left = _leave(plan, rows, stretch, times, lasts)
            kept = 0 if left.rows is None else len(left.rows)


@dataclass(frozen=True)
class _Stretch:
    """Where a stretch begins and ends in what has been and will be answered."""

    left: Left
    now: int | None
    final: bool
    owned: tuple[str, int] | None

    def trim(self, stream: Stream, answers: list[Answer]) -> list[Answer]:
        """Leave out what is out already, and what is not complete yet."""
        return [self._trim(stream, answer) for answer in answers]

    def _trim(self, stream: Stream, answer: Answer) -> Answer:
        counts = answer.counts.copy()
        if not len(counts):
            return answer
        ends = answer.ends
        start, stop = 0, len(ends)
        if self.left.rows is not None:
            since = self.left.since - self.left.base
            start = int(np.searchsorted(ends[: counts[0]], since, side="right"))
        if not self.final:
            last = stop - counts[-1]
            now = self._now(stream)
            stop = int(last + np.searchsorted(ends[last:], now, side="right"))
            stop = max(stop, start)
        counts[-1] -= len(ends) - stop
        counts[0] -= start
        rest = replace(answer.part(start, stop), counts=counts)
        return rest if self.owned is None else self._own(stream, rest)

    def _now(self, stream: Stream) -> int:
        """Up to where the open key is known: an instant, or a place in its run."""
        return len(stream) - int(stream.firsts[-1]) if self.now is None else self.now

    def _own(self, stream: Stream, answer: Answer) -> Answer:
        """The windows that begin in their own chunk."""
        assert self.owned is not None
        name, length = self.owned
        chunks = stream.keys.column(name).to_numpy()
        mine = answer.begins // length == chunks[answer.runs]
        return select_windows(answer, mine)

    def rows_of(
        self, stream: Stream, answer: Answer, columns: list[pa.Array]
    ) -> WindowRows:
        """Windows with their keys and their bounds in the whole key."""
        rule, runs = answer.rule, answer.runs
        assert rule is not None
        begins, ends = answer.begins, answer.ends
        if rule.counts_rows:
            lengths = stream.lasts - stream.firsts
            base = np.zeros(len(lengths), np.int64)
            base[:1] = self.left.base
            begins = np.maximum(begins + base[runs], 0)
            ends = np.minimum(ends, lengths[runs]) + base[runs]
        return WindowRows(rule, runs, stream.keys, begins, ends, columns)


def _leave(
    plan: Plan,
    rows: pa.Table,
    stretch: _Stretch,
    times: Times | None,
    lasts: Times | None,
) -> Left:
    """What the next windows of the open key can reach."""
    firsts, _ = run_bounds(rows, plan.by)
    first = int(firsts[-1])
    if times is not None:
        assert stretch.now is not None
        now = stretch.now  # windows up to the first over it are out
        reach = min(rule.begin(rule.first_over(now)) for rule in plan.rules)
        if lasts is not None:
            open_key = rows.slice(first)
            alive = pa.array(lasts(open_key) >= reach)
            return Left(open_key.filter(alive), stretch.now)
        start = first + int(np.searchsorted(times(rows.slice(first)), reach))
        return Left(rows.slice(start), stretch.now)
    base = stretch.left.base if len(firsts) == 1 else 0
    known = base + len(rows) - first
    # a window of rows is out if it ends at or before `known`; runs are cut anew at
    # places that suit every slide
    wanted = [rule.begin(max(rule.first_over(known), 0)) for rule in plan.rules]
    step = math.lcm(*(rule.step for rule in plan.rules))
    start = max(min(*wanted, known - 1) // step * step, base)  # one row tells the key
    return Left(rows.slice(first + start - base), known, start)
