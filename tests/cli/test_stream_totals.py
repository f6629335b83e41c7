"""What a stream reports, added up and shown; the reports are made by hand."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from windrow.cli import _progress
from windrow.cli._progress import status_line
from windrow.cli._stream_totals import StreamTotals


def batch(number, rows=0, *, out=0, late=0, mark="1970-01-01T00:00:00.000Z", state=0):
    """The progress of one micro-batch, as Spark reports it."""
    return {
        "batchId": number,
        "durationMs": {"addBatch": 120, "triggerExecution": 200},
        "eventTime": {"watermark": mark},
        "numInputRows": rows,
        "processedRowsPerSecond": rows / 0.2,
        "stateOperators": [{"memoryUsedBytes": state}],
        "observedMetrics": {"windrow": {"rows_out": out, "late_rows": late}},
    }


def nothing_to_do(number):
    """What Spark reports while it waits for the micro-batch of this number."""
    return {
        "batchId": number,
        "durationMs": {"latestOffset": 3, "triggerExecution": 3},
        "eventTime": {},
        "numInputRows": 0,
        "processedRowsPerSecond": 0.0,
        "stateOperators": [],
        "observedMetrics": {},
    }


NOTHING_OUT = ["0 late", "0 windows out"]
SECOND = ["watermark 2024-01-01 00:10:30Z", "state 5.3 MB"]
THIRD = ["watermark 2024-01-01 01:10:30Z", "state 12.3 MB"]
REPORTS = [
    batch(0, 1000, state=700),
    batch(1, 250_000, out=40, mark="2024-01-01T00:10:30.000Z", state=5_300_000),
    nothing_to_do(2),
    batch(2, 0, out=1200, late=3, mark="2024-01-01T01:10:30.500Z", state=12_345_678),
]


def test_the_line_has_speed_watermark_state_late_rows_and_windows():
    totals = StreamTotals()

    lines = [totals.add([report]) and totals.line() for report in REPORTS]

    assert [line and line.split(", ") for line in lines] == [
        ["5,000 rows/s", "watermark none yet", "state 700 bytes", *NOTHING_OUT],
        ["1,250,000 rows/s", *SECOND, "0 late", "40 windows out"],
        False,
        ["1,250,000 rows/s", *THIRD, "3 late", "1,240 windows out"],
    ]


def test_the_summary_adds_up_every_micro_batch_once():
    totals = StreamTotals()

    for upto in range(1, len(REPORTS) + 1):
        totals.add(REPORTS[:upto])

    assert totals.summary(12.345) == (
        "251,000 rows in, 1,240 rows out, 3 late rows, 3 micro-batches, 12.3 s"
    )


def test_before_the_first_micro_batch_the_line_says_so():
    actual = StreamTotals().line()

    assert actual == "waiting for the first micro-batch"


@pytest.mark.parametrize(
    ("last", "missed"),
    [
        (None, False),
        (batch(6), False),
        (batch(7), False),
        (nothing_to_do(7), False),
        (batch(8), True),
        (nothing_to_do(8), True),
    ],
)
def test_a_gap_in_the_numbers_is_a_missed_report(last, missed):
    totals = StreamTotals()
    totals.add([batch(6)])

    actual = totals.missed(last)

    assert actual is missed


def test_a_stream_without_our_metrics_is_still_counted():
    totals = StreamTotals()
    report = {**batch(0, 10), "observedMetrics": {}}

    totals.add([report])

    assert totals.summary(1).startswith("10 rows in, 0 rows out, 0 late rows, 1 micro")


def test_on_a_terminal_there_is_one_line_and_it_is_gone_at_the_end(monkeypatch):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=40)
    monkeypatch.setattr(_progress, "err", console)

    with status_line("starting") as show:
        show("5 rows/s [out], " + "a line longer than the screen, " * 9)

    text = screen.getvalue()
    assert "5 rows/s [out], a line longer" in text
    assert text.count("\n") == 1
    assert text.endswith("\x1b[1A\x1b[2K")  # one line up, and erased


def test_elsewhere_a_line_is_printed_every_few_seconds_if_it_is_new(monkeypatch):
    screen, clock = io.StringIO(), SimpleNamespace(now=100.0)
    console = Console(file=screen, width=20, markup=False, soft_wrap=True)
    monkeypatch.setattr(_progress, "err", console)
    monkeypatch.setattr(
        _progress, "time", SimpleNamespace(monotonic=lambda: clock.now), raising=True
    )

    with status_line("starting") as show:
        for now, text in [(100, "a"), (101, "b"), (105, "c" * 30), (120, "c" * 30)]:
            clock.now = now
            show(text)

    assert screen.getvalue().splitlines() == ["a", "c" * 30]
