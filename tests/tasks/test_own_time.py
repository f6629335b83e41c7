"""Time goes on by the clock when the watermark rests, and never back."""

from __future__ import annotations

import pytest

from windrow.errors import StateError
from windrow.state.codec import MemoryStore
from windrow.tasks.stream import OWN_TIME, move_time

IDLE = 30


def test_time_is_the_watermark_until_it_has_rested() -> None:
    store = MemoryStore()
    steps = [  # watermark, clock, time
        (0, 1000, 0),
        (500, 1010, 500),
        (500, 1040, 500),  # rested for 30
        (500, 1041, 501),
        (500, 1100, 560),
        (520, 1110, 560),  # it moves again, behind our time
        (520, 1141, 560),
        (520, 1190, 570),
        (900, 1200, 900),
        (900, 1230, 900),
    ]
    for watermark, clock, expected in steps:
        assert move_time(store, watermark, clock, IDLE) == expected


def test_a_step_that_runs_again_finds_the_same_time() -> None:
    store = MemoryStore()
    move_time(store, 500, 1000, IDLE)
    again = MemoryStore(dict(store.blobs))

    assert move_time(store, 500, 1100, IDLE) == move_time(again, 500, 1100, IDLE)
    assert store.blobs == again.blobs


def test_a_damaged_time_is_refused() -> None:
    store = MemoryStore()
    move_time(store, 500, 1000, IDLE)
    store.blobs[OWN_TIME] = store.blobs[OWN_TIME][:-1]

    with pytest.raises(StateError):
        move_time(store, 500, 1100, IDLE)
