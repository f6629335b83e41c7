"""Experiments are tried in small and without a compiler, which would take longer.

What times single events inside a kernel needs machine code, and says so.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from windrow.loops import interpreting


@pytest.fixture(autouse=True, scope="module")
def quick_collections() -> None:
    """Let `gc.collect`, which comes before each timing, see what a test made alone."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def uncompiled(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run kernels as plain Python, unless the test asks for `compiled_lane`."""
    if "compiled_lane" in request.fixturenames:
        yield
        return
    with interpreting():
        yield
