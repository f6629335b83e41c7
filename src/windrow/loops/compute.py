"""Arrow's own functions, loaded with the first that is called.

`pyarrow.compute` writes a Python function for each of Arrow's, which takes 30 ms; plain
columns of numbers need none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Find a function of `pyarrow.compute`."""
    return getattr(import_module("pyarrow.compute"), name)
