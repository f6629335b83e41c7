"""Streams cut into steps, and buckets run over them by hand, without Spark.

    step        rows that came                 now
    0           a@3  b@9  a@4                  -5
    1           b@8                             2
    2                                           9          an idle spell
    3           a@7  a@30                       9          a@7 is late: 7 < 9
    last                                     huge          everything comes out

Rows come in any order: most are ahead of the watermark, some just behind it, a few far
behind.  Those that a bucket calls late are left out of what is expected, and they
must be the ones that the plain rule calls late.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa
from hypothesis import strategies as st

from repeated import as_windows
from windrow.state.codec import HEADER, MemoryStore, StepStats

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("at", pa.int64()),
        ("x", pa.int64()),
        ("name", pa.string()),
        ("id", pa.int64()),
    ]
)
HUGE = 2**63 - 1
Row = dict[str, Any]


class Step(NamedTuple):
    """What came, table by table, and how far the watermark was."""

    fed: list[pa.Table]
    now: int


@st.composite
def streams(draw: Any, *, late: bool = True, nulls: bool = False) -> list[Step]:
    """Up to four keys, ties, disorder, idle spells; some rows late where asked."""
    keys = draw(st.sampled_from([["a"], ["a", "b"], ["a", "b", None, ""]]))
    now = draw(st.sampled_from([-(2**63), -30, 0, 0, 7]))
    least = draw(st.sampled_from([-12, -3, 0])) if late else 0
    seen, steps = 0, []
    for _ in range(draw(st.integers(1, 9))):
        anchor = max(now, -20)
        ahead = st.one_of(st.integers(least, 12), st.integers(0, 3), st.just(2000))
        instants = ahead.map(lambda ahead, anchor=anchor: anchor + ahead)
        if nulls:
            instants = st.one_of(instants, instants, instants, st.none())
        rows = [
            {
                "key": draw(st.sampled_from(keys)),
                "at": draw(instants),
                "x": draw(st.one_of(st.none(), st.integers(-9, 9))),
                "name": draw(st.sampled_from(["", "p", "q", "zz", None])),
                "id": seen + number,
            }
            for number in range(draw(st.integers(0, 6)))
        ]
        seen += len(rows)
        cut = draw(st.integers(0, len(rows)))
        tables = [table_of(part) for part in (rows[:cut], rows[cut:]) if part]
        steps.append(Step(tables, now))
        now = max(now, -30) + draw(st.sampled_from([0, 1, 2, 3, 5, 11, 40, 3000]))
    return [*steps, Step([], draw(st.sampled_from([now + 10_000, HUGE])))]


def table_of(rows: Sequence[Row]) -> pa.Table:
    """Rows in the types of the stream."""
    return pa.Table.from_pylist(list(rows), SCHEMA)


@dataclass
class Run:
    """What a bucket gave over all steps, and what it was asked of in each."""

    store: MemoryStore = field(default_factory=MemoryStore)
    out: list[Row] = field(default_factory=list)
    stats: list[StepStats] = field(default_factory=list)
    fed: list[Row] = field(default_factory=list)
    due_late: list[Row] = field(default_factory=list)

    @property
    def late(self) -> list[Row]:
        """The rows that came too late."""
        return [
            r for stats in self.stats for table in stats.late for r in table.to_pylist()
        ]

    @property
    def in_time(self) -> list[Row]:
        """The other rows, as they arrived."""
        late = {row["id"] for row in self.late}
        return [row for row in self.fed if row["id"] not in late]


def run(bucket: Any, steps: Sequence[Step], is_late: Callable[[int, int], bool]) -> Run:
    """A bucket over all steps; `is_late(time, closed)` is the plain rule."""
    done = Run()
    closed = 0
    for fed, now in steps:
        if HEADER not in done.store.blobs:
            closed = now
        rows = [row for table in fed for row in table.to_pylist()]
        done.fed += rows
        done.due_late += [
            r for r in rows if r["at"] is None or is_late(r["at"], closed)
        ]
        stats = StepStats()
        for table in as_windows(bucket.step(done.store, fed, now, stats)):
            assert len(table)
            done.out += table.to_pylist()
        assert stats.rows_in == len(rows)
        assert stats.late_rows == sum(map(len, stats.late))
        done.stats.append(stats)
        closed = now
    assert sum(stats.rows_out for stats in done.stats) == len(done.out)
    return done


def same(actual: Sequence[Any], expected: Sequence[Any]) -> bool:
    """The same rows in any order, each as often."""
    return sorted(map(repr, actual)) == sorted(map(repr, expected))
