"""What Spark writes over many lines comes out as one sentence."""

import pytest

from windrow.cli._spark_errors import plain_errors, rephrase
from windrow.errors import StateError, SumOverflow, WindrowError

WORKER = """
  An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "/somewhere/worker.py", line 1, in main
    process()
  File "/home/me/query.py", line 7, in lift
    return 1 / value
ZeroDivisionError: division by zero

\tat org.apache.spark.api.python.BasePythonRunner.handle(PythonRunner.scala:1)
"""
OURS = """
Traceback (most recent call last):
  File "/somewhere/worker.py", line 1, in main
windrow.errors.SumOverflow: cannot add up 'x': past 2**63
Hint: cast it

\tat org.apache.spark
"""
NO_WINDROW = """
Traceback (most recent call last):
  File "/somewhere/serializers.py", line 1, in loads
ModuleNotFoundError: No module named 'windrow'
"""
CODED = (
    "[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate it. "
    "SQLSTATE: 22012\n== SQL (line 1) ==\n1/0"
)
STREAM = (
    "[STREAM_FAILED] Query [id = 31, runId = 26] terminated with exception: "
    "{} SQLSTATE: XXKST\n=== Streaming Query ===\nIdentifier: [id = 31, runId = 26]\n"
    "Current Committed Offsets: {{}}\n\nLogical Plan:\n~WriteToMicroBatchDataSourceV1\n"
)
CODED_STREAM = STREAM.format("[PATH_NOT_FOUND] Path does not exist. SQLSTATE: 42K03")
OUR_STREAM = STREAM.format(
    "[PYTHON_EXCEPTION] An exception was thrown from the Python worker: "
    "Traceback (most recent call last):\n"
    '  File "/somewhere/worker.py", line 1, in main\n'
    "windrow.errors.StateError: cannot go on: it is another query's\n"
    "Hint: start over\n SQLSTATE: 38000"
)
JAVA = """An error occurred while calling o45.parquet.
: org.apache.spark.SparkException: Job aborted.
\tat org.apache.spark.Some.call(Some.scala:1)
Caused by: java.io.IOException: No space left on device
\tat java.base/java.io.FileOutputStream.writeBytes(Native Method)
"""


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (WORKER, "ZeroDivisionError in a Python worker: division by zero"),
        (NO_WINDROW, "Spark's Python workers cannot import windrow"),
        (CODED, "Division by zero. Use `try_divide` to tolerate it"),
        (JAVA, "No space left on device"),
        (CODED_STREAM, "Path does not exist"),
        ("", "it gave no reason"),
    ],
)
def test_the_cause_stands_in_the_first_line(text, cause):
    first, second = str(rephrase("cannot run it", text)).splitlines()

    assert first.startswith(f"cannot run it: {cause}")
    assert second.startswith("Hint: ")


def test_our_own_errors_come_out_of_workers_as_they_were_raised():
    actual = rephrase("cannot run it", OURS)

    assert isinstance(actual, SumOverflow)
    assert str(actual) == "cannot add up 'x': past 2**63\nHint: cast it"


def test_our_own_errors_come_out_of_streams_without_offsets_and_plan():
    actual = rephrase("cannot run it", OUR_STREAM)

    assert isinstance(actual, StateError)
    assert str(actual) == "cannot go on: it is another query's\nHint: start over"


def test_an_error_that_is_not_sparks_is_a_bug_and_stays_what_it_is():
    with (
        pytest.raises(AssertionError, match="ours"),
        plain_errors("cannot run it", verbose=False),
    ):
        raise AssertionError("ours")


def test_our_own_refusals_pass_through():
    with (
        pytest.raises(WindrowError, match="as it is"),
        plain_errors("no", verbose=False),
    ):
        raise WindrowError("as it is")


def test_a_checkpoint_that_was_moved_is_told_by_the_path_it_was_made_at():
    text = (
        "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: File "
        "file:/data/there/state/0/_stateSchema/default/0_4f does not exist\n"
    )

    actual = str(rephrase("cannot run it", text))

    assert "was made at file:/data/there, and is not there any more" in actual
    assert "Hint: move it back, in place of the empty folder" in actual


def test_idle_over_a_checkpoint_without_it_is_told_in_our_words():
    text = (
        "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: "
        "[STATE_STORE_INVALID_CONFIG_AFTER_RESTART] Cannot change timeMode from {} to "
        "{} between restarts. Please set timeMode to {}, or restart with a new "
        "checkpoint directory. SQLSTATE: 42K06 SQLSTATE: XXKST\n"
    )
    event, clock = "EventTime", "ProcessingTime"

    added = str(rephrase("cannot run it", text.format(event, clock, event)))
    removed = str(rephrase("cannot run it", text.format(clock, event, clock)))

    assert "made without idle, and the query runs with it: Spark keeps" in added
    assert "made with idle, and the query runs without it" in removed
    assert "Hint: run it as it was, or start it with a checkpoint of its own" in added
