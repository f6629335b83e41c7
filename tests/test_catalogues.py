"""The catalogues are complete: every card filled in, every name told apart."""

from __future__ import annotations

import re
from collections import Counter

import pytest

import windrow as wr
from windrow.aggregates import BY_NAME as AGGREGATES_BY_NAME
from windrow.aggregates import CATALOGUE as AGGREGATES
from windrow.algorithms import BY_NAME as ALGORITHMS_BY_NAME
from windrow.algorithms import CATALOGUE as ALGORITHMS

EACH_AGGREGATE = pytest.mark.parametrize("aggregate", AGGREGATES, ids=lambda a: a.name)
EACH_ALGORITHM = pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: a.name)


def test_no_two_aggregates_share_a_name_or_an_alias():
    names = [name for one in AGGREGATES for name in (one.name, *one.aliases)]

    repeated = [name for name, times in Counter(names).items() if times > 1]

    assert repeated == []
    assert set(AGGREGATES_BY_NAME) == set(names)


def test_no_two_algorithms_share_a_name_or_a_title():
    names = [one.name for one in ALGORITHMS]
    titles = [one.title for one in ALGORITHMS]

    assert len(set(names)) == len(names) == len(ALGORITHMS_BY_NAME)
    assert len(set(titles)) == len(titles)
    assert "auto" not in names


@EACH_AGGREGATE
def test_an_aggregate_says_what_it_is(aggregate):
    card = (aggregate.summary, aggregate.accepts, aggregate.result)

    assert all(isinstance(word, str) and word.strip() for word in card)
    assert not aggregate.summary.endswith(".")


@EACH_ALGORITHM
def test_an_algorithm_has_a_complete_card(algorithm):
    card = ("name", "title", "time", "worst", "space", "source")

    empty = [field for field in card if not str(getattr(algorithm, field)).strip()]

    assert empty == []


@EACH_ALGORITHM
def test_a_fast_path_comes_with_its_own_scratch(algorithm):
    has_stride, has_stage = algorithm.stride is not None, algorithm.stage is not None

    assert has_stride == has_stage


@EACH_AGGREGATE
def test_every_aggregate_is_public_under_each_of_its_names(aggregate):
    for name in (aggregate.name, *aggregate.aliases):
        assert getattr(wr, name) is aggregate
        assert name in wr.__all__


@EACH_ALGORITHM
def test_some_aggregate_suits_every_algorithm(algorithm):
    able = [one.name for one in AGGREGATES if algorithm.suits(one.laws)]

    assert able


def test_the_public_names_are_sorted_and_all_there():
    names = list(wr.__all__)

    missing = [name for name in names if not hasattr(wr, name)]

    assert missing == []
    assert len(set(names)) == len(names)
    assert names == sorted(names)


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one():
    with pytest.raises(wr.UnknownName) as refused:
        wr.slide([1, 2, 3], wr.rows(2), "maxx")

    message = str(refused.value)
    assert "no aggregate called 'maxx'" in message
    assert "Hint: did you mean max" in message


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("maxx", "did you mean wr.max"),
        ("rolling_median", "use wr.median, with last= in wr.over"),
        ("move_std", "use wr.std, with last= in wr.over"),
        ("cumsum", "use wr.sum, without last= in wr.over"),
        ("cum_sum", "use wr.sum, without last= in wr.over"),
        ("nanmedian", "use wr.median"),
        ("nlargest", "use wr.top_k"),
        ("ewm_mean", "an aggregate of your own"),
        ("session_window", "use wr.window"),
        ("qqqq", "wr.aggregates() lists"),
    ],
)
def test_a_name_of_another_library_is_answered_with_the_nearest_way(name, way):
    with pytest.raises(AttributeError) as refused:
        getattr(wr, name)

    assert way in str(refused.value)
    assert refused.value.name == name


def test_every_way_that_is_named_for_another_library_is_there():
    from windrow._missing import INSTEAD  # noqa: PLC0415 - loaded when asked

    named = [word for way in INSTEAD.values() for word in re.findall(r"wr\.(\w+)", way)]

    assert [word for word in named if not hasattr(wr, word)] == []
    assert [name for name in INSTEAD if hasattr(wr, name)] == []


def test_a_public_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'windrow' has no attribute"):
        wr.maxx  # noqa: B018 - to look is the test

    assert set(dir(wr)) == set(wr.__all__)
