"""`windrow warm` compiles the kernels of a query into a folder, once."""

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from windrow.cli import main
from windrow.cli._stream import STATE_STORE

pytestmark = pytest.mark.xdist_group("streaming")

CALLS = """\
ts,caller,len
2024-01-01 00:00:05,ann,120.5
2024-01-01 00:00:40,bob,30.5
"""
QUERY = ["--window", "1 hour", "--every", "1 minute", "--on", "ts", "--by", "caller"]
AGG = ["--agg", "usual=mean(len)"]
TEXT = (
    "select caller, avg(len) as usual from Calls "
    "[range 1 hour slide 1 minute] group by caller"
)


@pytest.fixture
def calls(tmp_path):
    path = tmp_path / "calls" / "calls.csv"
    path.parent.mkdir()
    path.write_text(CALLS)
    return path


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """A folder that is not there yet; the command names it in the environment."""
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path / "elsewhere"))
    return tmp_path / "kernels"


def _code(folder):
    return sorted(path.name for path in folder.glob("*.code"))


def test_kernels_of_a_query_are_compiled_into_the_folder(
    spark, calls, kernels, tmp_path, capsys
):
    into = ["--into", str(kernels)]
    text = tmp_path / "usual.cql"
    text.write_text(TEXT)

    assert main(["warm", str(calls), *QUERY, *AGG, *into]) == 0
    made = _code(kernels)
    assert main(["warm", str(calls), *QUERY, *AGG, *into]) == 0
    assert _code(kernels) == made
    again = capsys.readouterr().err
    argument = f"Calls={calls}"
    assert main(["warm", str(text), "--on", "ts", "--from", argument, *into]) == 0

    assert made
    assert f"{len(made)} kernels, 0 of them compiled" in " ".join(again.split())


def test_with_a_watermark_kernels_of_the_stream_are_compiled(
    spark, settings_of, calls, kernels, tmp_path, capsys
):
    source = tmp_path / "calls.parquet"
    pa.parquet.write_table(pa.csv.read_csv(calls), source)
    stream = ["--watermark", "1 hour", "--into", str(kernels)]
    warm = ["warm", str(source), *QUERY, *AGG, *stream]

    as_it_is = main(warm)  # a table would not ask for a state store
    with settings_of(STATE_STORE):
        code = main(warm)

    said = capsys.readouterr().err
    made = len(_code(kernels))
    assert (as_it_is, code) == (2, 0), said
    assert "state store is not RocksDB" in said
    assert made
    assert f"{made} kernels, {made} of them compiled" in " ".join(said.split())


def test_windows_that_spark_computes_by_itself_need_no_kernel(
    spark, calls, kernels, capsys
):
    query = ["--window", "1 minute", "--on", "ts", "--by", "caller"]

    assert main(["warm", str(calls), *query, *AGG, "--into", str(kernels)]) == 0

    assert "nothing to compile" in capsys.readouterr().err
    assert _code(kernels) == []


def test_a_folder_that_cannot_be_made_is_refused(spark, calls, kernels, capsys):
    kernels.write_text("a file")

    code = main(["warm", str(calls), *QUERY, *AGG, "--into", str(kernels / "inside")])

    assert code == 2
    assert "cannot compile into" in " ".join(capsys.readouterr().err.split())


def test_a_text_has_no_watermark(kernels, tmp_path, capsys):
    text = tmp_path / "usual.cql"
    text.write_text(TEXT)

    code = main(["warm", str(text), "--watermark", "1 hour", "--into", str(kernels)])

    assert code == 2
    assert "cannot use --watermark" in " ".join(capsys.readouterr().err.split())
