"""Files are read strictly: what is malformed is named by file, line and column."""

from datetime import UTC, datetime

import pytest

from windrow.errors import BadInput
from windrow_bench import data
from windrow_bench.data import _text

REST = "\t0" * 38
DEBS12 = (
    "2012-02-22T16:46:28.9670329+00:00\t2556001\t13056\t14406\t8119\t0071\t0193\t0150"
    "\t0000\t0000\t0000\t0000\t0\t0\t1\t0\t0\t0" + REST + "\r\n"
)
GOOD = {
    "debs12": DEBS12,
    "debs14": "1377986401 68.451     0    11     2     4\n",
    "linear_road": "7\t\t\t107\t32\t\t\t\t0\t\t\t3\t\t1\t53320\n",
    "google_cluster": "1 6251537638  861  3313055599 4 328 0  2 0.025 0.080 0.000 1\n",
}
ROWS = {
    "debs14": (68.451, 0, 11, 2, 4),
    "linear_road": (107, 32, 0, 3, 1, 53320),
    "google_cluster": (6251537638, 861, 3313055599, 4, 328, 0, 2, 0.025, 0.08, 0, 1),
}
EACH = pytest.mark.parametrize("name", GOOD)


@pytest.fixture
def load(tmp_path):
    """Reads a text as the file of a dataset."""

    def read(name, text, limit=None):
        dataset = data.find(name)
        path = tmp_path / dataset.file
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return dataset.load(path, limit)

    return read


@EACH
def test_a_file_has_the_schema_of_the_generator(name, load):
    table = load(name, GOOD[name] * 3)

    assert table.num_rows == 3
    assert table.schema == data.find(name).generate(3, 0).schema


@pytest.mark.parametrize("name", ROWS)
def test_values_stand_under_their_names(name, load):
    table = load(name, GOOD[name])

    (row,) = table.to_pylist()

    assert tuple(row.values())[1:] == ROWS[name]
    assert row["ts"].timestamp() == int(GOOD[name].split()[0])


def test_a_reading_is_cut_to_microseconds_and_states_are_true_or_false(load):
    (row,) = load("debs12", DEBS12).to_pylist()

    assert row["ts"] == datetime(2012, 2, 22, 16, 46, 28, 967032, UTC)
    assert [row["mf01"], row["mf02"], row["mf03"], row["pc13"]] == [
        13056,
        14406,
        8119,
        71,
    ]
    assert [row["bm06"], row["bm07"]] == [False, True]


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
def test_the_last_line_may_end_as_it_likes(ending, load):
    table = load("debs14", "1 2.5 1 3 4 5\n2 2.5 1 3 4 5" + ending)

    assert table.num_rows == 2


def test_blanks_at_the_edges_of_a_line_are_no_columns(load):
    table = load("debs14", "  1 2.5 1 3 4 5 \t\r\n\t22 3.5 1 3 4 5\n")

    assert table["value"].to_pylist() == [2.5, 3.5]


@EACH
@pytest.mark.parametrize("limit", [0, 1, 2, 3, 9])
def test_a_limit_reads_the_first_rows_only(name, limit, load):
    table = load(name, GOOD[name] * 3 + ("" if limit > 3 else "nonsense\n"), limit)

    assert table.num_rows == min(limit, 3)


@EACH
def test_an_empty_file_has_no_rows_and_the_same_columns(name, load):
    table = load(name, "")

    assert table.num_rows == 0
    assert table.schema == data.find(name).schema


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("debs14", "1 2.5 1 3 4\n", "expected 6 columns, got 5"),
        ("debs14", "1 2.5 1 3 4 5 6\n", "expected 6 columns, got 7"),
        ("debs14", "\n", "expected 6 columns, got 0"),
        ("debs14", "x 2.5 1 3 4 5\n", r"expected ts \(whole seconds\) in column 1"),
        ("debs14", "1.5 2.5 1 3 4 5\n", "in column 1, got '1.5'"),
        ("debs14", f"{10**15} 2.5 1 3 4 5\n", "in column 1, got '1000000000000000'"),
        ("debs14", "1 2,5 1 3 4 5\n", r"value \(a number\) in column 2, got '2,5'"),
        ("debs14", "1 2.5 300 3 4 5\n", "property .* of 8 bits.* got '300'"),
        ("debs14", '1 2.5 1 "3" 4 5\n', "in column 4, got '\"3\"'"),
        ("debs14", "1 null 1 3 4 5\n", "in column 2, got 'null'"),
        ("debs12", DEBS12.replace("\t0071", "\t"), "pc13 .* in column 6, got ''"),
        ("debs12", DEBS12.replace("\t1\t", "\t2\t"), r"bm07 \(0 or 1\).* got '2'"),
        ("debs12", DEBS12.replace("+00:00", ""), "ts .an ISO time with its zone"),
        ("debs12", DEBS12.replace("\t0\r", "\r"), "expected 56 columns, got 55"),
        ("linear_road", GOOD["debs14"], "expected 7 columns, got 6"),
        ("google_cluster", GOOD["linear_road"], "expected 12 columns, got 7"),
        ("debs14", b"1 2.5 1 3 4 \xff\n", "in column 6, got '\ufffd'"),
    ],
)
@pytest.mark.parametrize("before", [0, 1, 2, 7])
def test_a_malformed_line_is_refused_by_its_number(name, line, said, before, load):
    text = line if isinstance(line, bytes) else line.encode()
    good = GOOD[name].encode()

    with pytest.raises(BadInput, match=said) as refused:
        load(name, good * before + text + good * 2 + text)

    begin = f"cannot read {data.find(name).file}, line {before + 1}: expected "
    assert str(refused.value).startswith(begin)
    assert "\nHint: " in str(refused.value)


def test_lines_are_counted_over_blocks(load, monkeypatch):
    monkeypatch.setattr(_text, "BLOCK", 100)
    text = "".join(f"{i} 2.5 1 3 4 5\n" for i in range(50))

    assert load("debs14", text)["ts"].cast("int64").to_pylist() == [
        i * 1_000_000 for i in range(50)
    ]
    assert load("debs14", text, 33).num_rows == 33
    with pytest.raises(BadInput, match="line 51: expected 6 columns, got 1"):
        load("debs14", text + "51\n" + text)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"cannot read none\.txt: no such file"):
        data.find("debs14").load(tmp_path / "none.txt")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(BadInput, match="is a directory"):
        data.find("debs14").load(tmp_path)
