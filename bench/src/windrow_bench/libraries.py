"""Libraries that a user may not have: loaded by name when they are needed.

The cards of experiments load without them, so that `windrow bench list` always works.
"""

from __future__ import annotations

import importlib
from typing import Any


def load(name: str) -> Any:
    """The module of that name."""
    return importlib.import_module(name)
