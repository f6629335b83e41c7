"""Runs LightSaber's queries with windrow and with Spark's own windows.

    python -m examples.lightsaber [NAME ...] [--rows N]

NAME is a query (CM1, CM2, SG1, SG2, LRB1, LRB2, SM, YSB); all of them if none is named.
Each is printed as text, run in both forms over the same Parquet file, and compared row
for row.  `windrow bench run lightsaber-figure-10a` measures them.
"""

from __future__ import annotations

import argparse
import sys

import pyarrow as pa
import pyarrow.compute as pc

from windrow_bench.measure.applications import APPLICATIONS
from windrow_bench.measure.spark import applications, held

RELATIVE = 1e-9  # a sum in another order rounds otherwise


def main() -> int:
    """Run what was asked for; 1 if any answer is not Spark's own."""
    parser = argparse.ArgumentParser("python -m examples.lightsaber")
    parser.add_argument("names", nargs="*", metavar="NAME", help="queries; all if none")
    parser.add_argument("--rows", type=int, default=2_000, help="rows of each stream")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in APPLICATIONS]
    if unknown or arguments.rows < 1:
        parser.error(
            f"cannot run {', '.join(unknown) or f'on {arguments.rows} rows'}\n"
            f"Hint: there are {', '.join(APPLICATIONS)}, and --rows is 1 or more"
        )
    equal = [compare(name, arguments.rows) for name in arguments.names or APPLICATIONS]
    return 0 if all(equal) else 1


def compare(name: str, rows: int) -> bool:
    """Both forms of one query over so many rows; whether they answer alike."""
    query = APPLICATIONS[name]
    frames = applications.frames(held.on(), query, rows)
    ours, own = query.ours(frames).toArrow(), applications.own(query, frames).toArrow()
    equal = same(ours, own, query.value)
    print(f"{name}\n{query.text}\n")
    print(f"{rows:,} rows in, {ours.num_rows:,} out, equal: {equal}\n")
    return equal


def same(ours: pa.Table, own: pa.Table, value: str) -> bool:
    """The same rows in any order; `value` is what was computed, the rest names a row.

    >>> one = pa.table({"k": [1, 2], "v": [1.0, 2.0]})
    >>> same(one, pa.table({"k": [2, 1], "v": [2.0, 1.0 + 1e-12]}), "v")
    True
    >>> same(one, pa.table({"k": [2, 1], "v": [2.0, 1.1]}), "v")
    False
    """
    names = [name for name in own.column_names if name != value]
    if ours.column_names != own.column_names or ours.num_rows != own.num_rows:
        return False
    ours, own = (t.sort_by([(n, "ascending") for n in names]) for t in (ours, own))
    if not ours.select(names).equals(own.select(names)):
        return False
    off = pc.abs(pc.subtract(ours[value], own[value]))
    within = pc.less_equal(off, pc.multiply(pc.abs(own[value]), RELATIVE))
    return bool(pc.all(within).as_py() is not False)


if __name__ == "__main__":
    sys.exit(main())
