"""Which options make a stream, and which folders it will take; no Spark here."""

import os
import signal

import pytest

from windrow.cli import main
from windrow.cli._files import check_folders
from windrow.cli._stream import StopSignals
from windrow.cli._stream_options import StreamOptions
from windrow.errors import BadInput, WindowError

COMMAND = ["--agg", "n=count()", "--window", "1 hour"]
STREAM = ["--stream", "--on", "ts", "--watermark", "10 minutes", "--to", "out.parquet"]


@pytest.fixture
def source(tmp_path):
    """A folder with one file."""
    folder = tmp_path / "calls"
    folder.mkdir()
    (folder / "1.csv").write_text("ts\n2024-01-01\n")
    return folder


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--watermark", "1 hour"], "cannot use --watermark: it is for streams"),
        (["--once"], "cannot use --available-now: it is for streams"),
        (["--late", "drop"], "cannot use --late: it is for streams"),
        ([*STREAM[:1], *STREAM[3:]], "cannot slide over time: no time column"),
        ([*STREAM[:3], *STREAM[5:]], "no watermark is given"),
        (STREAM[:5], "there is no folder to write to"),
        ([*STREAM, "--watermark", "soon"], "cannot read a watermark from 'soon'"),
        ([*STREAM, "--watermark", "-1 hour"], "it is negative"),
        ([*STREAM, "--trigger", "5"], "cannot read a trigger from '5'"),
        ([*STREAM, "--trigger", "5 s", "--once"], "both --available-now and --trigger"),
        ([*STREAM, "--ahead", "soon"], "cannot read --ahead from 'soon'"),
        ([*STREAM, "--idle", "-1 hour"], "cannot read --idle from '-1 hour'"),
        ([*STREAM, "--idle", "1 hour", "--once"], "time that goes on in silence has"),
        ([*STREAM, "--keys", "5"], "--keys is a hint for files that are read once"),
        ([*STREAM, "--mode", "append"], "--mode append is for files that are read"),
        ([*STREAM, "--to", "out.csv"], "streams write Parquet"),
        ([*STREAM, "--late", "perhaps"], "'perhaps' is not"),
        ([*STREAM, "--buckets", "0"], "invalid value for '--buckets'"),
    ],
)
def test_what_makes_no_stream_is_refused_in_two_lines(options, words, source, capsys):
    code = main(["run", str(source), *COMMAND, *options])

    assert code == 2
    fact, hint = capsys.readouterr().err.splitlines()
    assert words in fact
    assert hint.startswith("Hint: ")


def test_durations_reach_spark_in_microseconds():
    stream = StreamOptions(stream=True, watermark="1h30m", trigger="250 ms")

    assert stream.delay == "5400000000 microseconds"
    assert stream.trigger_arguments == {"processingTime": "250000 microseconds"}


def test_a_stream_that_is_to_end_reads_what_is_there():
    actual = StreamOptions(stream=True, available_now=True).trigger_arguments

    assert actual == {"availableNow": True}


def test_a_calendars_month_is_no_delay():
    with pytest.raises(WindowError, match="has no fixed length"):
        _ = StreamOptions(stream=True, watermark="1 month").delay


def test_the_checkpoint_stands_beside_the_result(source):
    assert check_folders(str(source), "a/out.parquet/", None) == (
        "a/out.parquet.checkpoint"
    )
    assert check_folders(str(source), "out", "elsewhere") == "elsewhere"
    assert check_folders("s3://calls", "s3://out", None) == "s3://out.checkpoint"


def test_a_folder_without_files_has_no_columns_to_follow(tmp_path):
    (tmp_path / "_hidden.csv").touch()
    (tmp_path / ".part.csv").touch()
    (tmp_path / "inner").mkdir()

    with pytest.raises(BadInput, match="there is no file in it to take the columns"):
        check_folders(str(tmp_path), str(tmp_path / "out"), None)


def test_a_file_cannot_be_followed(source):
    with pytest.raises(BadInput, match="it is a file, and new rows come as new files"):
        check_folders(str(source / "1.csv"), "out", None)


def test_a_result_without_its_checkpoint_is_not_written_over(source, tmp_path):
    out = tmp_path / "out.parquet"
    out.mkdir()
    first = check_folders(str(source), str(out), None)
    (out / "part-0.parquet").touch()

    with pytest.raises(BadInput, match=r"and .*out\.parquet\.checkpoint, from which"):
        check_folders(str(source), str(out), None)

    assert first == f"{out}.checkpoint"


def test_a_checkpoint_without_its_result_is_not_gone_on_from(source, tmp_path):
    out, checkpoint = tmp_path / "out.parquet", tmp_path / "out.parquet.checkpoint"
    (checkpoint / "commits").mkdir(parents=True)
    before = check_folders(str(source), str(out), None)
    (checkpoint / "commits" / "0").touch()

    with pytest.raises(BadInput, match="its results are not in"):
        check_folders(str(source), str(out), None)

    out.mkdir()
    assert check_folders(str(source), str(out), None) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_are_counted_and_interrupt_nothing(number):
    handler = signal.getsignal(number)

    with StopSignals() as stopping:
        os.kill(os.getpid(), number)
        stopping.wait(60)
        os.kill(os.getpid(), number)

    assert stopping.times == 2
    assert signal.getsignal(number) is handler
