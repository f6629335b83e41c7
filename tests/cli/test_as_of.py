"""`windrow as-of` and `windrow compare` on small files."""

import pyarrow as pa
import pytest
from pyarrow import parquet

import windrow as wr
from windrow.cli import main

pytestmark = pytest.mark.xdist_group("cli")

PAID = pa.table(
    {
        "ts": pa.array([0, 10, 20, 30], pa.timestamp("us", "UTC")),
        "card": [1, 1, 2, 1],
        "amount": [1.0, 2.0, 4.0, 8.0],
    }
)
LABELS = pa.table(
    {"at": pa.array([15, 31, 20], pa.timestamp("us", "UTC")), "card": [1, 1, 2]}
)
FEATURES = wr.features(by="card", on="ts", n=wr.count(), s=wr.sum("amount", last=2))


@pytest.fixture
def folder(tmp_path):
    parquet.write_table(PAID, tmp_path / "paid.parquet")
    parquet.write_table(LABELS, tmp_path / "labels.parquet")
    FEATURES.save(tmp_path / "features.toml")
    return tmp_path


def as_of(folder, *more):
    names = "labels.parquet", "paid.parquet"
    options = ["--features", str(folder / "features.toml"), *more]
    return main(["as-of", *(str(folder / name) for name in names), *options])


def test_labels_get_features_and_agree_with_one_process(spark, folder):
    assert as_of(folder, "--at", "at", "--to", str(folder / "train.parquet")) == 0
    expected = wr.as_of(LABELS, PAID, FEATURES, at="at")
    parquet.write_table(expected, folder / "expected.parquet")

    files = [str(folder / name) for name in ("train.parquet", "expected.parquet")]
    assert main(["compare", *files, "--keys", "card,at"]) == 0


def test_labels_are_printed_where_no_file_is_named(spark, folder, capsys):
    assert as_of(folder, "--at", "at") == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["at", "card", "n", "s"]
    assert [line.split()[-2:] for line in lines[1:]] == [
        ["2", "3"], ["3", "10"], ["0", "null"]]  # fmt: skip


def test_a_difference_is_told_with_an_example_and_an_exit_code(folder, capsys):
    expected = wr.as_of(LABELS, PAID, FEATURES, at="at")
    wrong = expected.set_column(3, "s", pa.array([3.0, 11.0, None]))
    parquet.write_table(expected, folder / "a.parquet")
    parquet.write_table(wrong.slice(0, 2), folder / "b.parquet")

    files = [str(folder / name) for name in ("a.parquet", "b.parquet")]
    code = main(["compare", *files, "--keys", "card, at"])

    printed = capsys.readouterr().out
    assert code == 1
    assert printed.startswith("2 rows in both, 1 only in")
    assert ": 10.0 and 11.0" in printed


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], "--at is not given"),
        (["--at", "at", "--on", "when"], "says ts"),
        (["--at", "at", "--by", "customer"], "says ('card',)"),
    ],
)
def test_options_that_do_not_fit_are_refused(folder, capsys, more, words):
    assert as_of(folder, *more) == 2
    assert words in " ".join(capsys.readouterr().err.split())


def test_compare_refuses_what_it_cannot_match(folder, capsys):
    files = [str(folder / name) for name in ("labels.parquet", "paid.parquet")]

    assert main(["compare", *files, "--keys", "at"]) == 2
    assert "it has no column 'at'" in capsys.readouterr().err
    assert main(["compare", *files, "--keys", "card"]) == 2
    assert "no column in common" in capsys.readouterr().err
