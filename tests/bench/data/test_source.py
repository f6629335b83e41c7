"""`table()` takes the real file where there is one, plays it again, else generates."""

import pyarrow as pa
import pytest

from windrow.errors import BadInput, UnknownName
from windrow_bench import data

FILE = "smartgrid-data.txt"
TEXT = "".join(f"{at} {at}.5 1 0 0 0\n" for at in (10, 11, 11, 14))


@pytest.fixture(autouse=True)
def nowhere(monkeypatch):
    monkeypatch.delenv(data.VARIABLE, raising=False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / FILE).write_text(TEXT)
    return tmp_path


def seconds(table, name="ts"):
    return [micros / 1e6 for micros in table[name].cast(pa.int64()).to_pylist()]


def test_without_a_folder_rows_are_generated_from_the_seed():
    actual = data.table("debs14", 500, seed=3)

    assert actual.equals(data.find("debs14").generate(500, 3))
    assert data.origin(actual) == "debs14: generated, seed 3"


def test_the_seed_has_a_default():
    actual = data.table("ss7", 20)

    assert actual.equals(data.table("ss7", 20, seed=data.SEED))


def test_the_file_in_the_folder_of_the_variable_goes_before_the_seed(
    folder, monkeypatch
):
    monkeypatch.setenv(data.VARIABLE, str(folder))

    actual = data.table("debs14", 3)

    assert seconds(actual) == [10, 11, 11]
    assert data.origin(actual) == "debs14: file smartgrid-data.txt"


@pytest.mark.parametrize("named", ["", FILE])
@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_where_may_be_a_folder_or_a_file(named, kind, folder):
    actual = data.table("debs14", 4, where=kind(folder / named))

    assert actual["value"].to_pylist() == [10.5, 11.5, 11.5, 14.5]


def test_where_goes_before_the_variable(folder, monkeypatch, tmp_path_factory):
    monkeypatch.setenv(data.VARIABLE, str(tmp_path_factory.mktemp("empty")))

    actual = data.table("debs14", 4, where=folder)

    assert data.origin(actual) == "debs14: file smartgrid-data.txt"


def test_a_folder_without_the_file_lets_rows_be_generated(folder):
    for name in ("debs12", "yahoo"):
        actual = data.table(name, 10, seed=1, where=folder)

        assert data.origin(actual) == f"{name}: generated, seed 1"


def test_a_short_file_is_played_again_with_time_moved_on(folder):
    actual = data.table("debs14", 10, where=folder)

    # a lap is its span, 4 s, and the shorter of the two gaps between instants, 1 s
    assert seconds(actual) == [10, 11, 11, 14, 15, 16, 16, 19, 20, 21]
    assert actual["value"].to_pylist() == [10.5, 11.5, 11.5, 14.5] * 2 + [10.5, 11.5]
    assert data.origin(actual) == (
        "debs14: file smartgrid-data.txt, its 4 rows again and again, time moved on"
    )
    assert actual.schema == data.find("debs14").schema


def test_a_file_of_one_instant_moves_on_by_a_second(tmp_path):
    (tmp_path / FILE).write_text("7 1.5 1 0 0 0\n" * 2)

    actual = data.table("debs14", 5, where=tmp_path)

    assert seconds(actual) == [7, 7, 8, 8, 9]


def test_both_ends_of_an_event_move_on_together():
    calls = data.find("ss7").generate(3, 0)

    actual = data._source.repeated(calls, "end", 8)

    assert (
        actual["len"].to_pylist()
        == calls["len"].to_pylist() * 2 + (calls["len"].to_pylist()[:2])
    )
    lengths = [
        round(end - start, 6)
        for start, end in zip(
            seconds(actual, "start"), seconds(actual, "end"), strict=True
        )
    ]
    assert lengths == pytest.approx(actual["len"].to_pylist(), abs=2e-6)
    assert seconds(actual, "end") == sorted(seconds(actual, "end"))


def test_an_empty_file_cannot_be_played(tmp_path):
    (tmp_path / FILE).write_text("")

    assert data.table("debs14", 0, where=tmp_path).num_rows == 0
    with pytest.raises(BadInput, match="the file is empty"):
        data.table("debs14", 1, where=tmp_path)


@pytest.mark.parametrize("dataset", data.CATALOGUE, ids=lambda one: one.name)
def test_no_rows_are_a_table_too(dataset):
    assert data.table(dataset.name, 0).schema == dataset.schema


def test_a_table_from_elsewhere_has_no_known_origin():
    assert data.origin(pa.table({"x": [1]})) == "unknown"


def test_a_folder_that_is_not_there_is_refused(tmp_path, monkeypatch):
    with pytest.raises(BadInput, match=r"where is .*no such file or folder"):
        data.table("debs14", 1, where=tmp_path / "gone")
    monkeypatch.setenv(data.VARIABLE, str(tmp_path / "gone"))
    with pytest.raises(BadInput, match=r"WINDROW_DATASETS is .*no such folder"):
        data.table("debs14", 1)


def test_a_file_for_a_dataset_that_has_none_is_refused(folder):
    with pytest.raises(BadInput, match=r"cannot read yahoo .* no form of file"):
        data.table("yahoo", 1, where=folder / FILE)


@pytest.mark.parametrize("number", [-1, 2.0, True, "3", None])
@pytest.mark.parametrize("name", ["rows", "seed"])
def test_numbers_that_are_none_are_refused(name, number):
    with pytest.raises(BadInput, match=f"cannot make yahoo: {name} is {number!r}"):
        data.table("yahoo", **{"rows": 1, "seed": 0, name: number})


def test_a_name_that_is_not_in_the_catalogue_is_refused():
    with pytest.raises(UnknownName, match="no dataset called 'debs13'"):
        data.table("debs13", 1)
