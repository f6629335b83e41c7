"""Looks for examples in docstrings only in modules that have some.

To look for them imports a module, and walks all that it holds: with every file of
`src` and `tests` that took each test process more than half of its collection.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Any:
    """Leave the collector of examples out where there are none."""
    collectors = yield
    if file_path.suffix == ".py" and ">>>" not in file_path.read_text("utf-8"):
        collectors = [c for c in collectors if type(c).__name__ != "DoctestModule"]
    return collectors
