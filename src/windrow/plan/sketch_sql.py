"""Sketches that Spark makes by its own aggregates, with the bytes that ours have.

    theta         theta_sketch_agg            4.1

Values are hashed alike on both sides; a type that Spark does not hash, or hashes
otherwise, is sketched by our own code before rows are shuffled.

So are HyperLogLog and KLL, which Spark has too (`hll_sketch_agg`,
`kll_sketch_agg_double`): past 128 groups in a task Spark sorts rows and makes an object
for each group, while ours fold whole columns (200,000 rows, slices of a minute: a first
call took 40 s by Spark's and 12 s by ours, once each, on a machine of varying load).
"""

from __future__ import annotations

from pyarrow import types as pat

from windrow.aggregates.types import is_text

from .bind import BoundCall

Version = tuple[int, int]
NO_VERSION: Version = (0, 0)

SINCE: dict[str, Version] = {"theta": (4, 1)}


def sketch_sql(bound: BoundCall, version: Version) -> str | None:
    """The sketch of a call as an aggregate of Spark's SQL over `{raw}`.

    None if there is none in that version, if it would be another sketch, or if ours is
    faster.
    """
    options = bound.call.options
    if version < SINCE.get(bound.sketch.name, (99, 0)):
        return None
    value = _hashed(bound)
    if value is None or options["seed"] != 9001:
        return None
    return f"theta_sketch_agg({value}, {options['lg_k']})"


def _hashed(bound: BoundCall) -> str | None:
    """The number or string that Spark hashes as we do."""
    kind = bound.types[0]
    if is_text(kind):
        return "{raw}"
    if pat.is_integer(kind):
        return "cast({raw} as bigint)"
    if pat.is_boolean(kind):
        return "cast(cast({raw} as int) as bigint)"
    if pat.is_date(kind):
        return "cast(unix_date({raw}) as bigint)"
    if pat.is_timestamp(kind) and kind.tz is not None:
        return "unix_micros({raw})"
    return None
