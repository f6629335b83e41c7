"""Windows by policy over batches that cut keys anywhere, against one table."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.plan.by_policy import plan_by_policy
from windrow.tasks.policies import PolicyTask

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("at", pa.timestamp("us", "UTC")),
        ("km", pa.float64()),
        ("mark", pa.bool_()),
        ("x", pa.int64()),
    ]
)
CALLS = {
    "n": wr.count(),
    "total": wr.sum("x"),
    "last": wr.last("x"),
    "all": wr.collect("x"),
}
POLICIES: list[Any] = [3, "7 seconds", wr.delta("km", 4.0), wr.punctuation("mark"), 1]


def random_table(rng: random.Random) -> pa.Table:
    rows = []
    for key in ("a", "b", None)[: rng.randint(1, 3)]:
        at, km = rng.randint(-9, 9), 0.0
        for _ in range(rng.randint(1, 60)):
            at += rng.choice([0, 1, 1, 2, 9])
            km += rng.choice([0.0, 0.5, 1.0, 6.0])
            mark = rng.random() < 0.1
            rows.append((key, at * 10**6, km, mark, rng.choice([None, *range(-9, 10)])))
    return pa.Table.from_pylist(
        [dict(zip(SCHEMA.names, row, strict=True)) for row in rows], SCHEMA
    )


@pytest.mark.parametrize("evict", POLICIES, ids=str)
@pytest.mark.parametrize("trigger", POLICIES, ids=str)
def test_results_are_those_of_one_table_wherever_batches_end(evict, trigger):
    if (type(evict), type(trigger)) in ((int, int), (str, str)):
        pytest.skip("these are count windows and time windows")
    rng = random.Random(f"{evict} {trigger}")
    window = wr.window(evict=evict, trigger=trigger, on="at")
    plan = plan_by_policy(SCHEMA, window, "key", gather_calls(CALLS, None))
    for _ in range(4):
        table = random_table(rng)
        whole = wr.aggregate(table, window, by="key", aggregates=CALLS)
        expected = Counter(
            str([r["key"], *r["window"].values(), *(r[name] for name in CALLS)])
            for r in whole.to_pylist()
        )
        kinds = [whole.schema.field(name).type for name in CALLS]
        gives = pa.schema(
            [("k0", pa.string()), ("start", pa.int64()), ("end", pa.int64())]
            + [(f"r{i}", kind) for i, kind in enumerate(kinds)]
        )
        names = tuple(plan.reads)
        task = PolicyTask(plan, names, gives, frozenset(names), rng.choice([1, 5]))

        batches = table.select(names).to_batches(max_chunksize=rng.choice([1, 4, 17]))
        out = [row for batch in task(batches) for row in batch.to_pylist()]

        assert Counter(str([*row.values()]) for row in out) == expected
