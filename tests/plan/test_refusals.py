"""Bad input is refused when the call is built: one sentence, and a hint."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow.batch import aggregate as job

TABLE = pa.table(
    {
        "ts": pa.array([1, 2, 3], pa.timestamp("s")),
        "who": ["a", "b", "a"],
        "len": [1.0, 2.0, 3.0],
        "n": [1, 2, 3],
        "nested": [[1], [2], [3]],
        "big": pa.array([1, 2, 3], pa.decimal128(30, 0)),
    }
)
WINDOW = wr.sliding("10 seconds", every="5 seconds", on="ts")

BY_POLICY = wr.window(evict=wr.delta("n", 5), trigger=2)
FRAMES = {"last": 2, "next": 2, "closed": "left", "min_periods": 2}
WINDOWED = {  # functions whose window says how far back
    "aggregate": lambda call: wr.aggregate(TABLE, WINDOW, x=call("n")),
    "a list": lambda call: wr.aggregate(TABLE, [WINDOW, WINDOW], x=call("n")),
    "a policy": lambda call: wr.aggregate(TABLE, BY_POLICY, x=call("n")),
    "tiles": lambda call: wr.tiles(TABLE, every="5 s", on="ts", x=call("n")),
    "slide": lambda call: wr.slide([1, 2, 3], wr.rows(2), call()),
    "slide, named": lambda call: wr.slide({"n": [1, 2, 3]}, wr.rows(2), call("n")),
    "explain": lambda call: wr.explain(TABLE, WINDOW, x=call("n")),
}


@pytest.mark.parametrize("word", FRAMES)
@pytest.mark.parametrize("function", WINDOWED)
def test_a_frame_means_nothing_where_a_window_does(function, word):
    def call(*columns):
        return wr.sum(*columns, **{word: FRAMES[word]})

    with pytest.raises(wr.BadInput, match=f"{word}= belongs to wr.over") as refusal:
        WINDOWED[function](call)

    assert "\nHint: " in str(refusal.value)


LABELS = pa.table({"at": pa.array([2], pa.timestamp("s"))})
FEATURES = wr.features(on="ts", counted=wr.count(last="1 second"))


def explained(*window, **options):
    return wr.explain(TABLE, *window, **options, x=wr.sum("n"))


def labelled(*window, **options):
    return explained(*window, labels=LABELS, at="at", on="ts", **options)


IDLE = {
    "on": lambda: explained(WINDOW, on="n"),
    "ties": lambda: explained(WINDOW, ties="n"),
    "span": lambda: explained(WINDOW, span=("ts", "ts")),
    "at": lambda: explained(WINDOW, at="ts"),
    "slicer": lambda: explained(on="ts", slicer="panes"),
    "chunk": lambda: explained(on="ts", chunk=4),
    "strategy": lambda: explained(on="ts", strategy="P→Pane, I→Window"),
    "lasting": lambda: explained(on="ts", lasting="1 hour"),
    "window": lambda: labelled(WINDOW),
    "span of labels": lambda: labelled(span=("ts", "ts")),
    "late": lambda: labelled(late="drop"),
    "watermark": lambda: labelled(watermark="1 hour"),
}


@pytest.mark.parametrize("option", IDLE)
def test_explain_refuses_what_the_function_that_it_explains_has_not(option):
    with pytest.raises(wr.BadInput, match=f"cannot take {option.split()[0]}=") as told:
        IDLE[option]()

    assert "\nHint: " in str(told.value)


REFUSED = {
    "an algorithm for a median over the past": (
        lambda: wr.over(TABLE, on="ts", x=wr.median("n"), algorithm="daba"),
        wr.BadInput,
        "holistic aggregates have no partials",
    ),
    "an algorithm for a median before labels": (
        lambda: wr.as_of(
            LABELS, TABLE, at="at", on="ts", x=wr.median("n"), algorithm="soup"
        ),
        wr.BadInput,
        "holistic aggregates have no partials",
    ),
    "ties of rows that go by no time": (
        lambda: wr.aggregate(TABLE, wr.rows(2, ties="n"), x=wr.first("len")),
        wr.BadInput,
        "cannot break ties by n: no time column is named",
    ),
    "ties of a policy that goes by no time": (
        lambda: wr.aggregate(
            TABLE, wr.window(evict=wr.delta("n", 5), ties="n"), x=wr.sum("n")
        ),
        wr.BadInput,
        "cannot break ties by n",
    ),
    "ties of frames that go by no time": (
        lambda: wr.over(TABLE, ties="n", x=wr.first("len", last=2)),
        wr.BadInput,
        "cannot break ties by n",
    ),
    "the time of a stream that is none": (
        lambda: wr.cql("select max(n) as m from T [rows 2]", T=TABLE, time={"S": "ts"}),
        wr.UnknownName,
        "no stream called 'S'",
    ),
    "features by an algorithm that is none": (
        lambda: wr.over(TABLE, FEATURES, algorithm="soup"),
        wr.WindrowError,
        "no algorithm called 'soup'",
    ),
    "arrays in the order of a column": (
        lambda: wr.slide([1, 2], wr.rows(2, on="ts"), "sum"),
        wr.BadInput,
        "on= orders the rows of a table",
    ),
    "arrays whose ties a column breaks": (
        lambda: wr.slide({"x": [1, 2]}, wr.rows(2, ties="x"), wr.sum("x")),
        wr.BadInput,
        "ties= orders the rows of a table",
    ),
    "longer tiles by another time": (
        lambda: wr.tiles(
            wr.tiles(TABLE, every="5 s", on="ts", n=wr.count()), every="10 s", on="n"
        ),
        wr.BadInput,
        "they were cut by 'ts'",
    ),
    "a range of zero": (
        lambda: wr.sliding("0 seconds"),
        wr.WindowError,
        "range must be more than zero",
    ),
    "a negative slide": (
        lambda: wr.rows(5, every=-1),
        wr.WindowError,
        "slide must be more than zero",
    ),
    "a slide longer than the range": (
        lambda: wr.sliding("1 hour", every="2 hours"),
        wr.WindowError,
        "rows between windows would be lost",
    ),
    "a number of rows that is not whole": (
        lambda: wr.rows(2.5),
        wr.WindowError,
        "not a whole number",
    ),
    "a duration that does not parse": (
        lambda: wr.sliding("ten minutes"),
        wr.WindowError,
        "'ten minutes' is not a number and a unit",
    ),
    "a month": (lambda: wr.sliding("1 month"), wr.WindowError, "no fixed length"),
    "an unknown column": (
        lambda: wr.aggregate(TABLE, WINDOW, x=wr.max("lem")),
        wr.UnknownName,
        "did you mean len?",
    ),
    "an unknown key": (
        lambda: wr.aggregate(TABLE, WINDOW, by="hwo", x=wr.max("len")),
        wr.UnknownName,
        "did you mean who?",
    ),
    "an unknown algorithm": (
        lambda: wr.slide([1, 2], wr.rows(2), "max", algorithm="two_stack_lite"),
        wr.UnknownName,
        "did you mean two_stacks_lite",
    ),
    "an unknown aggregate": (
        lambda: wr.slide([1, 2], wr.rows(2), "maxi"),
        wr.UnknownName,
        "did you mean max",
    ),
    "an unknown slicer": (
        lambda: wr.slide([1, 2], wr.rows(2), "max", slicer="pane"),
        wr.UnknownName,
        "did you mean panes?",
    ),
    "an algorithm whose law the aggregate lacks": (
        lambda: wr.slide([1, 2], wr.rows(2), "max", algorithm="subtract_on_evict"),
        wr.UnsuitableAlgorithm,
        "max(value) is not invertible",
    ),
    "a selective algorithm where nothing selects": (
        lambda: wr.slide([1, 2], wr.rows(2), ["sum", "mean"], algorithm="slick_deque"),
        wr.UnsuitableAlgorithm,
        "is not selective",
    ),
    "a sum of strings": (
        lambda: wr.aggregate(TABLE, WINDOW, x=wr.sum("who")),
        wr.UnsupportedType,
        "column 'who' is of type string",
    ),
    "a maximum of lists": (
        lambda: wr.aggregate(TABLE, WINDOW, x=wr.max("nested")),
        wr.UnsupportedType,
        "column 'nested'",
    ),
    "a decimal of more than 18 digits": (
        lambda: wr.aggregate(TABLE, WINDOW, x=wr.sum("big")),
        wr.UnsupportedType,
        "cast it to decimal(18, 0) or to double",
    ),
    "times out of order where order was promised": (
        lambda: wr.slide([1, 2], wr.sliding(3), "max", at=[5, 4]),
        wr.BadInput,
        "entry 1 lies before entry 0",
    ),
    "a time window over values without times": (
        lambda: wr.slide([1, 2], wr.sliding(3), "max"),
        wr.WindowError,
        "pass them as at=times",
    ),
    "a bare number over a timestamp": (
        lambda: wr.aggregate(TABLE, wr.sliding(10, on="ts"), x=wr.max("len")),
        wr.WindowError,
        "write the unit",
    ),
    "a duration over a plain number": (
        lambda: wr.aggregate(TABLE, wr.sliding("10 s", on="n"), x=wr.max("len")),
        wr.WindowError,
        "no unit of time",
    ),
    "a time column of floats": (
        lambda: wr.aggregate(TABLE, wr.sliding(10, on="len"), x=wr.max("len")),
        wr.UnsupportedType,
        "use a timestamp, a date or a whole number",
    ),
    "a window that names no time column": (
        lambda: wr.aggregate(TABLE, wr.sliding("10 s"), x=wr.max("len")),
        wr.WindowError,
        "on='ts'",
    ),
    "over by a duration without a time column": (
        lambda: wr.over(TABLE, x=wr.max("len", last="1 s")),
        wr.WindowError,
        "no time column is named",
    ),
    "a result that would hide a column": (
        lambda: wr.over(TABLE, on="ts", len=wr.max("len", last=2)),
        wr.BadInput,
        "has a column of that name already",
    ),
    "a result called as the key": (
        lambda: wr.aggregate(TABLE, WINDOW, by="who", who=wr.max("len")),
        wr.BadInput,
        "has a column of that name already",
    ),
    "last in aggregate": (
        lambda: wr.aggregate(TABLE, WINDOW, x=wr.max("len", last=2)),
        wr.BadInput,
        "last= belongs to wr.over",
    ),
    "no aggregate at all": (
        lambda: wr.aggregate(TABLE, WINDOW),
        wr.BadInput,
        "no aggregate is given",
    ),
    "a number for an aggregate": (
        lambda: wr.aggregate(TABLE, WINDOW, x=3),
        wr.BadInput,
        "not an aggregate",
    ),
    "a list for a table": (
        lambda: wr.aggregate([1, 2], WINDOW, x=wr.count()),
        wr.BadInput,
        "no Arrow stream interface",
    ),
    "no window": (
        lambda: wr.aggregate(TABLE, [], x=wr.count()),
        wr.BadInput,
        "list of windows is empty",
    ),
    "something else for a window": (
        lambda: wr.aggregate(TABLE, dt.timedelta(hours=1), x=wr.count()),
        wr.BadInput,
        "as a window",
    ),
    "count and time windows together": (
        lambda: wr.aggregate(TABLE, [WINDOW, wr.rows(3)], x=wr.count()),
        wr.BadInput,
        "count and time windows in one call",
    ),
    "two windows of one name": (
        lambda: wr.aggregate(
            TABLE, [wr.rows(3, name="w"), wr.rows(2, name="w")], x=wr.count()
        ),
        wr.BadInput,
        "have that name",
    ),
    "an unknown option": (
        lambda: wr.max("len", colour="red"),
        wr.BadInput,
        "no option 'colour'",
    ),
    "too many columns": (
        lambda: wr.max("len", "n"),
        wr.BadInput,
        "takes the names of 1 column",
    ),
    "a side that a frame does not have": (
        lambda: wr.max("len", last="1 s", closed="up"),
        wr.WindowError,
        "both, left, right, neither",
    ),
    "closed for a number of rows": (
        lambda: wr.max("len", last=3, closed="both"),
        wr.WindowError,
        "only the newest of them may be in or out",
    ),
    "a negative frame": (
        lambda: wr.max("len", last="-1 s"),
        wr.WindowError,
        "must be more than zero",
    ),
    "a matrix": (
        lambda: wr.slide(np.zeros((2, 2)), wr.rows(2), "max"),
        wr.BadInput,
        "2 dimensions",
    ),
    "arrays of different lengths": (
        lambda: wr.slide([1, 2, 3], wr.sliding(3), "max", at=[1, 2]),
        wr.BadInput,
        "differ in length",
    ),
    "two columns' worth from one array": (
        lambda: wr.slide([1, 2, 3], wr.rows(2), "correlation"),
        wr.BadInput,
        "it needs two columns",
    ),
    "an own aggregate without functions": (
        lambda: wr.Aggregate(name="x", lift=3, combine=max, lower=max),
        wr.BadInput,
        "lift is of type int",
    ),
    "an own aggregate with an unknown law": (
        lambda: wr.Aggregate(name="x", lift=abs, combine=max, lower=abs, laws="good"),
        wr.BadInput,
        "cannot read law 'good'",
    ),
    "an unknown time zone": (
        lambda: wr.sliding("1 day", tz="Mars/Base"),
        wr.WindowError,
        "no such zone",
    ),
    "a negative chunk": (
        lambda: wr.slide([1, 2], wr.rows(2), "max", algorithm="pba", chunk=-1),
        wr.BadInput,
        "a chunk must be positive",
    ),
    "an algorithm for a holistic aggregate": (
        lambda: wr.slide([1, 2], wr.rows(2), "collect", algorithm="sba"),
        wr.BadInput,
        "no partials to combine",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_with_fact_cause_and_hint(case):
    build, kind, words = REFUSED[case]

    with pytest.raises(kind) as caught:
        build()

    message = str(caught.value)
    first, _, hint = message.partition("\n")
    assert words in message
    assert ": " in first
    assert not first.endswith(".")
    assert first[0].islower() or first.startswith(("subtract", "slick"))
    assert hint.startswith("Hint: ")
    assert isinstance(caught.value, wr.WindrowError)
    assert isinstance(caught.value, ValueError)


def test_nothing_is_computed_before_every_call_is_checked(monkeypatch):
    monkeypatch.setattr(job, "sort_rows", lambda *_: pytest.fail("work was started"))

    with pytest.raises(wr.UnknownName):
        wr.aggregate(TABLE, WINDOW, good=wr.max("len"), bad=wr.max("nothing"))


def test_times_at_the_very_end_of_64_bits_are_refused():
    table = pa.table({"at": [2**63 - 1], "x": [1]})

    with pytest.raises(wr.BadInput, match="ends of 64 bits"):
        wr.aggregate(table, wr.sliding(10, on="at"), n=wr.count())
    with pytest.raises(wr.BadInput, match="ends of 64 bits"):
        wr.over(table, on="at", n=wr.count(last="10"))


def test_an_exact_sum_past_its_type_raises_after_the_loop():
    values = np.array([2**62, 2**62, 1])

    with pytest.raises(wr.SumOverflow, match=str(2**63)):
        wr.slide(values, wr.rows(2), "sum")


def test_a_sum_whose_parts_overflow_but_whose_whole_does_not_is_exact():
    values = np.array([2**62, 2**62, -(2**62), -(2**62), 5])

    actual = wr.slide(values, wr.rows(5), "sum")

    assert actual.tolist() == [5]
