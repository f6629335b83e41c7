"""`windrow tiles` on small files: made, appended to, made longer, merged."""

import pyarrow as pa
import pytest
from pyarrow import parquet

import windrow as wr
from windrow.cli import main

pytestmark = pytest.mark.xdist_group("cli")

PAID = pa.table(
    {
        "ts": pa.array([0, 10, 20, 30, 75], pa.timestamp("s", "UTC")),
        "card": [1, 1, 2, 1, 2],
        "amount": [1.0, 2.0, 4.0, 8.0, 16.0],
    }
)
AGG = ["--agg", "spend=sum(amount)", "--agg", "top=max(amount)"]


def test_days_are_appended_made_longer_and_merged(spark, tmp_path):
    stored, longer, merged = (str(tmp_path / name) for name in ("t", "l", "m.parquet"))
    for day, rows in enumerate((PAID.slice(0, 2), PAID.slice(2))):
        source = tmp_path / f"{day}.parquet"
        parquet.write_table(rows, source)
        order = ["--every", "10 seconds", "--on", "ts", "--by", "card", *AGG]
        out = ["--to", stored, "--mode", "append", "--format", "parquet"]
        assert main(["tiles", str(source), *order, *out]) == 0
    format_ = ["--format", "parquet"]
    make_longer = ["--every", "20 seconds", "--to", longer, *format_]
    assert main(["tiles", stored, *make_longer]) == 0
    window = ["--window", "60 seconds", "--every", "20 seconds", "--only", "top"]
    assert main(["tiles", longer, *window, "--to", merged, *format_]) == 0

    rows = parquet.read_table(merged).to_pylist()

    minutes = wr.sliding("60 seconds", every="20 seconds", on="ts")
    expected = wr.aggregate(PAID, minutes, by="card", top=wr.max("amount"))
    keys = lambda row: (row["card"], row["window"]["start"])  # noqa: E731
    wanted = sorted(expected.to_pylist(), key=keys)
    tops = [(row["card"], row["top"]) for row in sorted(rows, key=keys)]
    assert tops == [(row["card"], row["top"]) for row in wanted]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], "no length is given"),
        ([*AGG, "--window", "1 hour"], "make tiles first"),
        (["--every", "1 hour", "--only", "top"], "it names what is merged"),
    ],
)
def test_options_that_say_nothing_together_are_refused(tmp_path, capsys, more, words):
    assert main(["tiles", str(tmp_path), *more]) == 2

    assert words in " ".join(capsys.readouterr().err.split())
