"""Sketches that Spark makes by its own aggregates, with the bytes that ours have.

    hyperloglog   hll_sketch_agg              3.5
    kll           kll_sketch_agg_double       4.1
    theta         theta_sketch_agg            4.1

Values are hashed alike on both sides; a type that Spark does not hash, or hashes
otherwise, is sketched by our own code before rows are shuffled.
"""

from __future__ import annotations

from pyarrow import types as pat

from windrow.aggregates.types import is_text

from .bind import BoundCall

Version = tuple[int, int]
NO_VERSION: Version = (0, 0)

SINCE: dict[str, Version] = {"hyperloglog": (3, 5), "kll": (4, 1), "theta": (4, 1)}


def sketch_sql(bound: BoundCall, version: Version) -> str | None:
    """The sketch of a call as an aggregate of Spark's SQL over `{raw}`.

    None if there is none in that version, or if it would be another sketch.
    """
    sketch, options = bound.sketch, bound.call.options
    if version < SINCE.get(sketch.name, (99, 0)):
        return None
    if sketch.name == "kll":
        return f"kll_sketch_agg_double(cast({{raw}} as double), {options['k']})"
    value = _hashed(bound)
    if value is None:
        return None
    if sketch.name == "theta":
        if options["seed"] != 9001:
            return None
        return f"theta_sketch_agg({value}, {options['lg_k']})"
    return f"hll_sketch_agg({value}, {options['lg_k']})"


def _hashed(bound: BoundCall) -> str | None:
    """The number or string that Spark hashes as we do."""
    kind = bound.types[0]
    if is_text(kind):
        counts_empty = bound.aggregate.result == "count"
        return "if({raw} = '', char(0), {raw})" if counts_empty else "{raw}"
    if pat.is_integer(kind):
        return "cast({raw} as bigint)"
    if pat.is_boolean(kind):
        return "cast(cast({raw} as int) as bigint)"
    if pat.is_date(kind):
        return "cast(unix_date({raw}) as bigint)"
    if pat.is_timestamp(kind) and kind.tz is not None:
        return "unix_micros({raw})"
    return None
