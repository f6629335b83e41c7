"""Generated tables: seeded, of the card's columns, and in the order of their time."""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import windrow as wr
from windrow_bench import data

EACH = pytest.mark.parametrize("dataset", data.CATALOGUE, ids=lambda one: one.name)

# Of the first 5,000 rows of seed 1: numbers of two runs can only be set side by side
# if the data was the same.
DIGESTS = {
    "debs12": "c5462a9dcefe859f",
    "debs14": "c71ea3ba08671fbb",
    "linear_road": "88dddab26ed4db62",
    "google_cluster": "8996aca33bb013ab",
    "yahoo": "24d7af1d04fc6476",
    "ss7": "fd1f8f8e5584e525",
}


def digest(table):
    """The same for the same values, however they lie in memory."""
    found = hashlib.sha256()
    for column in table.columns:
        whole = column.combine_chunks()
        kind = pa.int64() if pa.types.is_timestamp(whole.type) else whole.type
        values = whole.cast(kind).to_numpy(zero_copy_only=False)
        found.update(np.ascontiguousarray(values).tobytes())
    return found.hexdigest()[:16]


@EACH
def test_a_seed_names_its_rows(dataset):
    once, again = (dataset.generate(3_000, 3) for _ in range(2))
    other = dataset.generate(3_000, 4)

    actual = (once.num_rows, once.equals(again), once.equals(other))

    assert actual == (3_000, True, False)


@EACH
def test_rows_are_the_same_on_every_machine(dataset):
    actual = digest(dataset.generate(5_000, 1))

    assert actual == DIGESTS[dataset.name]


@EACH
@pytest.mark.parametrize("rows", [0, 1, 2, 944, 946, 1_501, 40_000])
def test_more_rows_are_the_same_stream_for_longer(dataset, rows):
    longer = dataset.generate(60_000, 5)

    actual = dataset.generate(rows, 5)

    assert actual.equals(longer.slice(0, rows))


@EACH
def test_tables_have_the_columns_of_the_card_and_no_nulls(dataset):
    table = dataset.generate(2_000, 0)

    actual = [(field.name, field.type) for field in table.schema]

    assert actual == [(column.name, column.type) for column in dataset.columns]
    assert sum(column.null_count for column in table.columns) == 0


@EACH
def test_time_does_not_fall(dataset):
    table = dataset.generate(50_000, 2)

    steps = np.diff(table[dataset.time].cast(pa.int64()).to_numpy())

    assert steps.min() >= 0
    assert steps.max() > 0


@EACH
def test_the_card_says_everything(dataset):
    words = [dataset.name, dataset.title, *dataset.papers]
    words += [column.meaning for column in dataset.columns]
    names = [column.name for column in dataset.columns]

    assert all(word.strip() for word in words)
    assert dataset.papers
    assert len(set(names)) == len(names)
    assert {dataset.time, *dataset.keys} <= set(names)
    assert (dataset.file is None) == (dataset.load is None)


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one():
    with pytest.raises(ValueError, match="did you mean debs12"):
        data.find("debs2012")


# --- what the papers say where there is no sample --------------------------------


def test_every_ad_belongs_to_one_of_a_hundred_campaigns_ten_to_each():
    ads = data.yahoo.campaigns(7)

    campaigns = ads.group_by("campaign").aggregate([("ad", "count_distinct")])

    assert ads.num_rows == len(pc.unique(ads["ad"])) == 1_000
    assert campaigns["ad_count_distinct"].to_pylist() == [10] * 100
    assert ads.equals(data.yahoo.campaigns(7))
    assert not ads.equals(data.yahoo.campaigns(8))


def test_a_third_of_the_yahoo_events_are_views_and_every_ad_is_known():
    events = data.find("yahoo").generate(60_000, 7)

    views = pc.sum(pc.equal(events["event_type"], data.yahoo.VIEW)).as_py()

    assert 0.31 < views / 60_000 < 0.36
    known = data.yahoo.campaigns(7)["ad"].combine_chunks()
    assert pc.all(pc.is_in(events["ad"], known)).as_py()


def test_calls_last_16_seconds_on_average_and_end_53_333_times_a_second():
    rows = 200_000

    calls = data.find("ss7").generate(rows, 7)

    start, end = (calls[name].cast(pa.int64()).to_numpy() for name in ("start", "end"))
    length = calls["len"].to_numpy()
    assert np.allclose((end - start) / 1e6, length)
    assert length.min() > 0
    assert length.max() <= 9_000
    assert 14.5 < length.mean() < 17.5
    assert np.median(length) < 6  # most are short
    assert 51_000 < rows / ((end[-1] - end[0]) / 1e6) < 56_000
    busiest = np.sort(np.bincount(calls["antenna"].to_numpy(), minlength=1_000))[::-1]
    assert 0.45 < busiest[:83].sum() / rows < 0.55


def test_calls_are_counted_in_every_window_that_they_overlap():
    calls = data.table("ss7", 20_000, seed=7)
    window = wr.sliding("15 seconds", every="5 seconds", span=("start", "end"))

    answer = wr.aggregate(calls, window, n=wr.count(), longest=wr.max("len"))

    assert sum(answer["n"].to_pylist()) > 3 * calls.num_rows
    assert max(answer["longest"].to_pylist()) == max(calls["len"].to_pylist())
