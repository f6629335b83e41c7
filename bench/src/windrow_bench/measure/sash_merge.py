"""The parallel aggregation tree in one process: workers make sashes, and merge them.

    chunks of time     | c0 | c1 | c2 | c3 |  ...        shared out among workers
    panes, sashes      by worker     by worker           in parallel
    windows            merged by one worker, or by all: each has its share of the keys

    lazy slicing       each worker has its share of the keys from the start: slices, and
                       every window from its slices again

The steps are the tasks that run on a distributed engine, here in processes of one
machine, each of which has the stream from the start; sashes and windows travel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property
from multiprocessing import get_context
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import PANE, partial_fields
from windrow.plan import plan_aggregate
from windrow.plan.tree import Tree, grow_tree
from windrow.tasks.sashes import BEGIN, PART, QUERY, TO
from windrow.tasks.task import CHUNK, Task

ARROW = {"int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}
ENOUGH = 1 << 16  # rows that are worth a call of a kernel


@dataclass(frozen=True, eq=False)
class SashTree:
    """A query whose keys are split into chunks of time, over a stream in order."""

    tree: Tree
    stream: pa.Table
    question: tuple[Any, Any]  # the window, and what is computed

    @classmethod
    def of(
        cls, stream: pa.Table, window: Any, by: Sequence[str], call: Any, chunk: int
    ) -> SashTree:
        """The tree of a query with chunks of so many ticks."""
        calls = gather_calls({"result": call}, None)
        plan = plan_aggregate(stream.schema, window, list(by), calls)
        tree = grow_tree(plan, frozenset(), hot=True)
        tree = replace(tree, split="sash", level1="kernel", chunk=chunk)
        return cls(tree, stream.select(plan.reads), (window, call))

    @property
    def keys(self) -> list[str]:
        """The key columns within the tree."""
        return [f"k{i}" for i in range(len(self.tree.plan.by))]

    @cached_property
    def chunks(self) -> list[pa.Table]:
        """The stream by chunk of time."""
        times = self.stream.column("ts").combine_chunks().cast("int64").to_numpy()
        number = times // self.tree.chunk
        starts = np.flatnonzero(np.diff(number, prepend=number[0] - 1)).tolist()
        stops = [*starts[1:], len(times)]
        return [self.stream.slice(a, b - a) for a, b in zip(starts, stops, strict=True)]

    def sashes(self, chunks: Sequence[pa.Table]) -> pa.Table:
        """What one worker makes of its chunks."""
        plan = self.tree.plan
        panes = self._run("fold_rows", plan.by, pa.concat_tables(chunks), self._panes)
        number = np.floor_divide(panes.column(PANE).to_numpy(), self.tree.chunk)
        panes = panes.append_column(CHUNK, pa.array(number))
        panes = _sorted(panes, [*self.keys, CHUNK, PANE])
        heads = [(TO, pa.int64()), (PART, pa.int64()), (QUERY, pa.int32())]
        fields = [field for field in self._panes if field.name != PANE]
        schema = pa.schema([*fields, *heads, (BEGIN, pa.int64())])
        return self._run("open_sashes", self.keys, panes, schema)

    def merged(self, sashes: pa.Table) -> pa.Table:
        """The windows of sashes that have come together."""
        ordered = _sorted(sashes, [*self.keys, TO, QUERY, BEGIN, PART])
        return self._run("merge", self.keys, ordered, self._results)

    def by_one(self) -> pa.Table:
        """All of it, in this process."""
        return self.merged(self.sashes(self.chunks))

    def by_all(self, pool: Executor, workers: int, *, all_merge: bool) -> pa.Table:
        """Sashes by all workers of a pool; windows by all of them, or here."""
        count = len(self.chunks)
        shares = [range(i, count, workers) for i in range(min(workers, count))]
        made = pa.concat_tables(pool.map(_sashes, shares))
        if not all_merge:
            return self.merged(made)
        return pa.concat_tables(pool.map(_merged, self._by_key(made, workers)))

    def lazily(self, pool: Executor, workers: int) -> pa.Table:
        """All windows by lazy slicing, by all workers of a pool."""
        shares = [(part, workers) for part in range(workers)]
        return pa.concat_tables(pool.map(_lazy, shares))

    def lazy(self, part: int, parts: int) -> pa.Table:
        """The windows of one worker's keys, each recomputed from its slices."""
        (window, call), by = self.question, list(self.tree.plan.by)
        rows = self._share(part, parts)
        if not len(rows):
            return self._results.empty_table().drop_columns("q")
        found = wr.aggregate(rows, window, by=by, r0=call, algorithm="recompute")
        names = [*self.keys, "start", "end", "r0"]
        flat = found.flatten().rename_columns(names)
        return flat.set_column(
            len(by), "start", flat["start"].cast("int64")
        ).set_column(len(by) + 1, "end", flat["end"].cast("int64"))

    @cache  # noqa: B019 - a worker has one tree, and its share from the start
    def _share(self, part: int, parts: int) -> pa.Table:
        number = self._numbers(self.stream, self.tree.plan.by, parts)
        return self.stream.filter(pa.array(number == part))

    @staticmethod
    def _numbers(rows: pa.Table, keys: Sequence[str], parts: int) -> Any:
        """Which part each row's key belongs to."""
        number = np.zeros(len(rows), np.int64)
        for key in keys:
            number = number * 31 + rows.column(key).to_numpy().astype(np.int64)
        return number % parts

    def _by_key(self, sashes: pa.Table, parts: int) -> list[pa.Table]:
        """Sashes in parts that have no key in common."""
        number = self._numbers(sashes, self.keys, parts)
        return [sashes.filter(pa.array(number == part)) for part in range(parts)]

    @property
    def _panes(self) -> pa.Schema:
        fields = partial_fields(self.tree.request, self.tree.slots)
        partials = [(field.name, ARROW[field.dtype]) for field in fields]
        return pa.schema([*self._key_fields, (PANE, pa.int64()), *partials])

    @property
    def _results(self) -> pa.Schema:
        (bound,) = self.tree.plan.calls
        bounds = [("q", pa.int32()), ("start", pa.int64()), ("end", pa.int64())]
        return pa.schema([*self._key_fields, *bounds, ("r0", bound.result)])

    @property
    def _key_fields(self) -> list[tuple[str, pa.DataType]]:
        plan = self.tree.plan
        types = [plan.schema.field(name).type for name in plan.by]
        return list(zip(self.keys, types, strict=True))

    def _run(
        self, step: str, by: Sequence[str], rows: pa.Table, schema: pa.Schema
    ) -> pa.Table:
        names = tuple(rows.column_names)
        task = Task(step, self.tree, tuple(by), names, schema, ENOUGH)
        batches = rows.combine_chunks().to_batches(max_chunksize=ENOUGH)
        return pa.Table.from_batches(list(task(batches)), schema)


@contextmanager
def pool_of(tree: SashTree, workers: int) -> Iterator[Executor]:
    """Workers that have the tree; started anew, for kernels do not outlive a fork."""
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, context, _hold, (tree,)) as pool:
        yield pool


_HELD: list[SashTree] = []  # of a worker, given to it at its start


def _hold(tree: SashTree) -> None:
    _HELD.append(tree)


def _sashes(numbers: Sequence[int]) -> pa.Table:
    (tree,) = _HELD
    return tree.sashes([tree.chunks[number] for number in numbers])


def _merged(sashes: pa.Table) -> pa.Table:
    (tree,) = _HELD
    return tree.merged(sashes)


def _lazy(share: tuple[int, int]) -> pa.Table:
    (tree,) = _HELD
    return tree.lazy(*share)


def _sorted(rows: pa.Table, names: Sequence[str]) -> pa.Table:
    order = pc.sort_indices(rows, [(name, "ascending") for name in names])
    return rows.take(order).combine_chunks()
