"""Plans a call, resolves the plan, and runs it where the data is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from windrow import batch
from windrow import plan as planner
from windrow._back_ends import source_of, spark_back_end
from windrow._frames import same_array, same_kind
from windrow._later import load_later
from windrow.aggregates.calls import gather_calls
from windrow.plan import plan_over, plan_windows, resolve
from windrow.plan.aggregate import check_no_history
from windrow.windows import Window

if TYPE_CHECKING:
    from windrow.plan import Explanation
    from windrow.plan.features import Features

# Only calls with features or labels load them.
_features = load_later(
    __name__, dict.fromkeys(("explain_as_of", "over_features"), "windrow._as_of")
)


@same_kind  # type: ignore[arg-type] # `named` could hold the first one
def aggregate(
    data: Any,
    window: Window | Sequence[Window],
    *,
    by: str | Sequence[str] | None = None,
    aggregates: Mapping[str, Any] | None = None,
    algorithm: str = "auto",
    slicer: str = "auto",
    chunk: int = 0,
    threads: int | None = None,
    hot: bool = False,
    keys: int | None = None,
    lasting: object = None,
    strategy: str | None = None,
    late: str = "count",
    buckets: int | None = None,
    mode: str = "append",
    watermark: object = None,
    ahead: object = None,
    idle: object = None,
    start: Any = None,
    since: object = None,
    **named: Any,
) -> Any:
    """Aggregate events into one row per key and window that holds an event.

    `data` is anything with the Arrow C stream interface, or a Spark DataFrame; the
    result is of the same kind: the key columns, `window` (a struct of `start` and
    `end`), then the aggregates in the order given, in process ordered by key and
    start.  A list of windows is one pass and gives one more column, `query`: the
    window's name or its index.

    `by` names the key columns.  Aggregates are keywords, or entries of `aggregates`
    where a name is taken by a parameter.  `algorithm` is one of `wr.algorithms()` and
    `slicer` one of panes, pairs and cutty, "auto" leaving both to the planner; `chunk`
    is the length of the chunks of pba.

    Over events with a duration (`span=` of `wr.sliding`) a window holds those that it
    overlaps; `algorithm` is then one of `wr.techniques()`, and `chunk` the height of
    se_ml_slicing.

    A window by policy (`wr.window`) has one row out for each result that falls due,
    and `window` holds numbers of rows; it needs a table, and on Spark a column `on`.

    `threads` is how many threads of this process run at once: by default as many as
    WINDROW_THREADS says, or there are cores, where there are many rows.  The answer is
    the same, bit for bit, for any number.  A task of Spark always has one.

    `hot` and `keys` are hints for Spark: that some keys have very many rows, and
    about how many keys there are; so is `lasting`, how long events with a duration
    last, mostly.  `strategy` names how a batch runs on Spark in LightSaber's words, as
    "P→Pane, I→Window".  They change the plan, never the answer; on a stream `hot`
    deals rows out to all tasks before they are folded.

    A streaming DataFrame needs a watermark on the window's column: a window comes
    out once, when the watermark passes its end.  A row behind the watermark counts in
    every window that is not out yet.  `late="count"` only counts the rows that missed
    one, `late="keep"` gives them back too, in one more column, `late`, and
    `late="drop"` leaves out rows whose slice is closed.  `buckets` is into how many
    parts the keys are divided.  With `mode="append"` a result comes out once; with
    `mode="update"` those of a window by policy that is triggered by rows come out at
    once, and again when a row comes that belongs before them.

    `watermark="10 minutes"` sets the watermark here; with `ahead="1 hour"` rows that
    are further ahead of the batch clock are late, and do not move it.
    `idle="30 seconds"`: when the watermark has rested for so long, time goes on by the
    batch clock.  What is no stream has nothing late, and these say nothing.

    A stream may begin with history: `start` has tiles (`wr.tiles`) of the rows before
    the instant `since`.  Rows of the stream before it are left out and counted, and
    windows that end after it come out, complete.

    >>> import pyarrow as pa
    >>> calls = pa.table({"at": [1, 4, 6, 11], "len": [3, 9, 2, 5]})
    >>> import windrow as wr
    >>> window = wr.sliding(10, every=5, on="at")
    >>> wr.aggregate(calls, window, longest=wr.max("len")).to_pylist()[0]
    {'window': {'start': -5, 'end': 5}, 'longest': 9}
    """
    calls = gather_calls(named, aggregates, locals())
    options: dict[str, Any] = {"algorithm": algorithm, "slicer": slicer, "chunk": chunk}
    if batch.library(data) == "pyspark":
        hints = _hints(hot, keys, lasting, late, buckets, mode)
        hints["strategy"] = strategy
        hints |= {"watermark": watermark, "ahead": ahead, "idle": idle}
        hints |= {"start": start, "since": since}
        return spark_back_end().aggregate(
            data, window, by, calls, hints=hints, **options
        )
    check_no_history(start, since)
    schema, calls, read = source_of(data, calls)
    plan = plan_windows(schema, window, by, calls, **options)
    batch.check_result_names(data, [*plan.by, *calls])
    job = batch.open_job(read(plan.reads), plan, threads)
    return batch.give(job.run(resolve(plan, job.facts)), data)


@same_kind  # type: ignore[arg-type] # `named` could hold the first one
def over(
    data: Any,
    features: Features | None = None,
    *,
    on: str | None = None,
    by: str | Sequence[str] | None = None,
    ties: str | Sequence[str] | None = None,
    aggregates: Mapping[str, Any] | None = None,
    algorithm: str = "auto",
    threads: int | None = None,
    late: str = "count",
    buckets: int | None = None,
    mode: str = "append",
    watermark: object = None,
    ahead: object = None,
    idle: object = None,
    span: tuple[str, str] | None = None,
    **named: Any,
) -> Any:
    """Give every row new columns over its own past, or over the rows around it.

    `data` is as in `aggregate`, `on` names its time column, `by` its keys, and `ties`
    the columns that order rows at one instant where rows are counted.

    Each aggregate says how far back with `last=`: a duration, or a whole number of
    rows that ends with this one; and how far ahead with `next=`; without both,
    everything so far.  `closed=` says which ends are in: right (the default,
    `(t - last, t + next]`), left, both or neither; rows at the same instant are peers.
    With a number of rows, left means those before it.  With fewer values than
    `min_periods=` the result is null.

    In place of aggregates it takes `features` (`wr.features`), with the keys and the
    time column that these name: each row is then a label at its own instant, as in
    `as_of`.

    `span` names the columns of start and end in place of `on`: rows are events with a
    duration, and each gets what is or was under way within `last` of its start.

    Of a streaming DataFrame a row comes out once the watermark has passed it; for
    `late`, `buckets`, `mode`, `watermark`, `ahead`, `idle`, `threads`, `algorithm` and
    `aggregates` see `aggregate`.

    >>> import pyarrow as pa
    >>> spent = pa.table({"at": [1, 2, 4], "amount": [10, 20, 30]})
    >>> import windrow as wr
    >>> wr.over(spent, on="at", two=wr.sum("amount", last=2))["two"].to_pylist()
    [10, 30, 50]
    """
    hints = _hints(False, None, None, late, buckets, mode)
    hints |= {"watermark": watermark, "ahead": ahead, "idle": idle}
    if features is not None:
        given = {"on": on, "by": by, "span": span, "aggregates": aggregates, **named}
        options: dict[str, Any] = {"ties": ties, "threads": threads, "hints": hints}
        options["algorithm"] = algorithm
        return _features("over_features")(data, features, given, **options)
    calls = gather_calls(named, aggregates, locals())
    if batch.library(data) == "pyspark":
        return spark_back_end().over(
            data, on, by, calls, hints=hints, ties=ties, algorithm=algorithm, span=span
        )
    schema, calls, read = source_of(data, calls)
    plan = plan_over(schema, on, by, calls, ties=ties, algorithm=algorithm, span=span)
    is_frame = batch.library(data) in ("pandas", "polars")
    table = read(plan.reads if is_frame else schema.names)
    job = batch.open_job(table, plan, threads)
    added = job.run(resolve(plan, job.facts))
    own = None if is_frame else table.select(batch.schema_of(data).names)
    return batch.give_with(data, own, added)


@same_array
def slide(
    values: Any,
    window: Window,
    aggregate: Any,
    *,
    at: Any = None,
    algorithm: str = "auto",
    slicer: str = "auto",
    chunk: int = 0,
    threads: int | None = None,
) -> Any:
    """Slide a window over one array, and give an array with an entry per window.

    `values` are a list, an array of numpy or Arrow, a Series of pandas or polars, or a
    dict of several by column name; results are of the same library, or numpy's.
    `window` is one of rows or of time.  `aggregate` is a name, an aggregate, or a list
    or dict of them, which gives a dict of arrays.  Time windows need the values' times
    in `at`, in order.  A filter calls the entries of one array `value`:
    `wr.sum(where="value > 2")`.  For `algorithm`, `slicer`, `chunk` and `threads` see
    `aggregate`.

    A pandas Series gives a Series: of rows windows with the index of each window's last
    row, as pandas' own `rolling`; of time windows with the start of each.  The times
    are its DatetimeIndex where `at` is left out.

    >>> import windrow as wr
    >>> wr.slide([3, 1, 4, 1, 5], wr.rows(3), "max")
    array([4, 4, 5])
    """
    inputs = batch.slide_inputs(values, window, aggregate, at)
    options: dict[str, Any] = {"algorithm": algorithm, "slicer": slicer, "chunk": chunk}
    schema, calls, read = source_of(inputs.table, inputs.calls)
    plan = plan_windows(schema, inputs.window, None, calls, **options)
    inputs = replace(inputs, table=read(plan.reads))
    job = batch.open_job(inputs.table, plan, threads)
    resolved = resolve(plan, job.facts)
    if inputs.index is not None:
        return inputs.on_index(values, aggregate, job.run(resolved))
    columns = inputs.run(job, resolved)
    return batch.slide_results(values, aggregate, inputs.calls, columns)


def explain(
    data: Any,
    window: Window | Sequence[Window] | None = None,
    *,
    on: str | None = None,
    by: str | Sequence[str] | None = None,
    ties: str | Sequence[str] | None = None,
    aggregates: Mapping[str, Any] | None = None,
    algorithm: str = "auto",
    slicer: str = "auto",
    chunk: int = 0,
    threads: int | None = None,
    hot: bool = False,
    keys: int | None = None,
    lasting: object = None,
    strategy: str | None = None,
    late: str = "count",
    buckets: int | None = None,
    mode: str = "append",
    watermark: object = None,
    ahead: object = None,
    idle: object = None,
    show: str = "plan",
    span: tuple[str, str] | None = None,
    labels: Any = None,
    at: str | None = None,
    **named: Any,
) -> Explanation:
    """Explain what `aggregate`, `over` or `as_of` will do with `data`, and why.

    With a `window`, or a list of them, it is `aggregate`, and without one `over`; with
    `labels` and `at` it is `as_of`, of the events in `data`.

    `show="plan"` is the plan; `show="graph"` draws the graph that several windows
    share, before and after it is specialised; `show="code"` prints the kernel that
    runs.

    All else is as in the function that is explained: `on`, `by`, `ties`, `span` and
    `aggregates`; `algorithm`, `slicer`, `chunk` and `threads`; and for Spark `hot`,
    `keys`, `lasting`, `strategy`, `late`, `buckets`, `mode`, `watermark`, `ahead` and
    `idle`.

    >>> import pyarrow as pa
    >>> import windrow as wr
    >>> calls = pa.table({"at": [1, 4, 6, 11], "len": [3, 9, 2, 5]})
    >>> plan = wr.explain(calls, wr.sliding(10, every=5, on="at"), top=wr.max("len"))
    >>> print(plan.text.splitlines()[0])
    aggregate
    """
    planner.check_show(show, sliding=window is not None)
    cut: dict[str, Any] = {"slicer": slicer, "chunk": chunk}
    cut |= {"lasting": lasting, "strategy": strategy}
    late_rows: dict[str, Any] = {"late": late, "buckets": buckets, "mode": mode}
    late_rows |= {"watermark": watermark, "ahead": ahead, "idle": idle}
    if labels is not None:
        others = {"window": window, "span": span, "keys": keys, **cut, **late_rows}
        planner.check_not_given("wr.as_of", others)
    elif window is not None:
        others = {"on": on, "ties": ties, "span": span, "at": at}
        planner.check_not_given("wr.aggregate, whose window names columns", others)
    else:
        others = {"at": at, "hot": hot, "keys": keys, **cut}
        planner.check_not_given("wr.over", others)
    if labels is not None:
        asked: dict[str, Any] = {
            "at": at,
            "on": on,
            "by": by,
            "ties": ties,
            "algorithm": algorithm,
        }
        asked |= {"aggregates": aggregates, "hot": hot, "threads": threads}
        found: Explanation = _features("explain_as_of")(labels, data, **asked, **named)
        return found
    calls = gather_calls(named, aggregates, locals())
    options: dict[str, Any] = {"algorithm": algorithm, "slicer": slicer, "chunk": chunk}
    rolling: dict[str, Any] = {"ties": ties, "algorithm": algorithm, "span": span}
    if batch.library(data) == "pyspark":
        hints = _hints(hot, keys, lasting, late, buckets, mode)
        hints["strategy"] = strategy
        hints |= {"watermark": watermark, "ahead": ahead, "idle": idle}
        explanation: Explanation = (
            spark_back_end().explain_over(data, on, by, calls, hints=hints, **rolling)
            if window is None
            else spark_back_end().explain(
                data, window, by, calls, show=show, hints=hints, **options
            )
        )
        return explanation
    schema, calls, read = source_of(data, calls)
    plan: Any
    if window is None:
        plan = plan_over(schema, on, by, calls, **rolling)
    else:
        plan = plan_windows(schema, window, by, calls, **options)
    job = batch.open_job(read(plan.reads), plan, threads)
    facts = job.facts
    resolved = resolve(plan, facts)
    parts = job.parts(resolved)
    return planner.explain_resolved(resolved, facts, show, job.threads, parts)


def _hints(
    hot: bool,
    keys: int | None,
    lasting: object,
    late: str,
    buckets: int | None,
    mode: str,
) -> dict[str, Any]:
    """The options that only Spark takes, as one mapping."""
    of_stream = {"late": late, "buckets": buckets, "mode": mode}
    return {"hot": hot, "keys": keys, "lasting": lasting, **of_stream}
