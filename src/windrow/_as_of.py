"""Plans `wr.as_of`, and runs it where labels and events are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windrow import batch
from windrow._back_ends import source_of, spark_back_end
from windrow._frames import same_kind
from windrow.aggregates import Call
from windrow.aggregates.calls import check_parameters, gather_calls
from windrow.errors import BadInput
from windrow.plan import Explanation, explain_resolved, plan_as_of, resolve

if TYPE_CHECKING:
    from windrow.plan.features import Features


@same_kind  # type: ignore[arg-type] # `named` could hold the first one
def as_of(
    labels: Any,
    events: Any,
    features: Features | None = None,
    *,
    at: str,
    on: str | None = None,
    by: str | Sequence[str] | None = None,
    closed: str | None = None,
    delay: object = None,
    ties: str | Sequence[str] | None = None,
    aggregates: Mapping[str, Any] | None = None,
    algorithm: str = "auto",
    threads: int | None = None,
    hot: bool | int = False,
    **named: Any,
) -> Any:
    """Give each label features over the events of its key before its instant.

    Each row of `labels` has an instant in the column `at`, each of `events` a time in
    `on`, and both have the keys `by`.  Each aggregate says how far back with `last=`: a
    duration, or a number of events; without it, everything before.  `closed="left"` is
    `[at - last, at)`: nothing that happens at the label's instant or later can leak in.
    An aggregate may have a `closed=` of its own.  `delay` moves every interval back, by
    the time that it takes until an event is known.

    `features` (`wr.features`) hold all of that in one value, in place of aggregates.

    Every label comes out once, in its place, with its own columns first.  A key without
    events, and a label without an instant, gives 0 for counts and null for the rest.

    On Spark both are DataFrames; `hot=True` cuts keys with more than a million events
    by time, and a number those with more than so many.
    `ties` names the columns that order events at one instant where these are counted;
    for `algorithm`, `threads` and `aggregates` see `aggregate`.

    >>> import pyarrow as pa
    >>> paid = pa.table({"ts": [1, 5, 9], "card": [7, 7, 7], "amount": [10, 20, 30]})
    >>> labels = pa.table({"label_ts": [9, 4], "card": [7, 7]})
    >>> import windrow as wr
    >>> spent = wr.sum("amount", last="5")
    >>> done = wr.as_of(labels, paid, at="label_ts", on="ts", by="card", spent=spent)
    >>> done["spent"].to_pylist()
    [20, 10]
    """
    check_parameters({"threads": threads, "hot": hot})
    order: dict[str, Any] = {
        "at": at,
        "on": on,
        "by": by,
        "ties": ties,
        "algorithm": algorithm,
    }
    order |= {"closed": closed, "delay": delay, "aggregates": aggregates}
    times, by, calls, options = _query(features, **order, **named)
    if _on_spark(labels, events):
        tables = labels, events
        return spark_back_end().as_of(*tables, times, by, calls, hot=hot, **options)
    schema, calls, read = source_of(events, calls)
    plan = plan_as_of(batch.schema_of(labels), schema, times, by, calls, **options)
    is_frame = batch.library(labels) in ("pandas", "polars")
    own = [*plan.by, at] if is_frame else plan.labels.names
    table = batch.read(labels, list(dict.fromkeys(own)))
    job = batch.open_as_of(table, read(plan.reads), plan, threads)
    added = job.run(resolve(plan, job.facts))
    return batch.give_with(labels, None if is_frame else table, added)


def over_features(
    data: Any,
    features: Features,
    given: Mapping[str, Any],
    *,
    hints: dict[str, Any],
    **options: Any,
) -> Any:
    """`wr.over` with features: every row is a label at its own instant."""
    _check_alone(features, given)
    if batch.library(data) == "pyspark" and data.isStreaming:
        del options["threads"]
        how = {"closed": features.closed, "delay": features.delay, **options}
        times = features.on, features.by, dict(features.calls)
        return spark_back_end().over_features(data, *times, hints=hints, **how)
    return as_of(data, data, features, at=features.on, **options)


def explain_as_of(
    labels: Any,
    events: Any,
    *,
    threads: int | None = None,
    hot: bool | int = False,
    **query: Any,
) -> Explanation:
    """Explain what `as_of` will do; events are sorted, and nothing else is run."""
    times, by, calls, options = _query(None, **query)
    if _on_spark(labels, events):
        tables = labels, events
        explanation: Explanation = spark_back_end().explain_as_of(
            *tables, times, by, calls, hot=hot, **options
        )
        return explanation
    schema, calls, read = source_of(events, calls)
    plan = plan_as_of(batch.schema_of(labels), schema, times, by, calls, **options)
    table = batch.read(labels, list(dict.fromkeys([*plan.by, times[0]])))
    job = batch.open_as_of(table, read(plan.reads), plan, threads)
    resolved = resolve(plan, job.facts)
    parts = job.parts(resolved)
    return explain_resolved(resolved, job.facts, "plan", job.threads, parts)


def _query(
    features: Features | None,
    *,
    at: str,
    on: str | None = None,
    by: str | Sequence[str] | None = None,
    closed: str | None = None,
    delay: object = None,
    ties: str | Sequence[str] | None = None,
    algorithm: str = "auto",
    aggregates: Mapping[str, Any] | None = None,
    **named: Any,
) -> tuple[tuple[str, str | None], Any, dict[str, Call], dict[str, Any]]:
    """Times, keys, calls and options, from features or from what was said."""
    if features is None:
        calls = gather_calls(named, aggregates, locals())
    else:
        given = {"on": on, "by": by, "closed": closed, "delay": delay}
        _check_alone(features, {**given, "aggregates": aggregates, **named})
        on, by, calls = features.on, features.by, dict(features.calls)
        closed, delay = features.closed, features.delay
    options = {"closed": closed or "left", "delay": delay}
    return (at, on), by, calls, {**options, "ties": ties, "algorithm": algorithm}


def _on_spark(labels: Any, events: Any) -> bool:
    """Whether both are DataFrames of Spark; one alone is refused."""
    libraries = [batch.library(data) for data in (labels, events)]
    if "pyspark" in libraries and libraries[0] != libraries[1]:
        raise BadInput.because(
            f"cannot meet labels of {libraries[0]} with events of {libraries[1]}",
            "one is on Spark and the other is not",
            "give both as DataFrames of Spark, or neither",
        )
    return "pyspark" in libraries


def _check_alone(features: Any, given: Mapping[str, Any]) -> None:
    """Refuse what features say already."""
    kind = type(features).__name__
    if kind != "Features":
        raise BadInput.because(
            "cannot compute features",
            f"they are of type {kind}, not what wr.features gives",
            "give aggregates by name, as in n=wr.count(last='1 hour')",
        )
    twice = [name for name, value in given.items() if value is not None]
    if twice:
        raise BadInput.because(
            f"cannot take {twice[0]} beside features",
            "these say all that is computed, and over what",
            f"leave out {twice[0]}, or define it in wr.features",
        )
