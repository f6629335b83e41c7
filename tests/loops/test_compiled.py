"""Loops that are the same for every query: in both lanes, with and without a cache."""

import warnings

import numpy as np
import pytest

from windrow.errors import CacheWarning
from windrow.loops import Lane, compiled, interpreting, load, pinned


def _twice(x):
    return x + x


def _double_columns(values, out):
    out[:] = 2 * values


@compiled(columns=_double_columns)
def double(values, out):
    for i in range(len(values)):
        out[i] = _twice(values[i])


def _doubled(lane):
    out = np.zeros(3, np.int64)
    with pinned(lane):
        double(np.arange(3), out)
    return out.tolist()


@pytest.mark.parametrize("lane", list(Lane))
def test_a_loop_gives_the_same_in_every_lane(lane):
    assert _doubled(lane) == [0, 2, 4]


def test_a_loop_runs_as_plain_python_where_kernels_are_interpreted():
    out = np.zeros(3, np.int64)

    with interpreting():
        double(np.arange(3), out)

    assert out.tolist() == [0, 2, 4]


def test_without_a_place_for_machine_code_a_loop_is_compiled_all_the_same(
    tmp_path, monkeypatch
):
    file = tmp_path / "not-a-folder"
    file.write_text("")
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(file / "kernels"))
    load._cached.cache_clear()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)  # which is for another test
        assert _doubled(Lane.COMPILED) == [0, 2, 4]
