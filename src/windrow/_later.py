"""Loads what a package exports when it is first used, not when it is imported.

    __getattr__ = load_later(__name__, {"slide_graph": ".run", "initial": ".graph"})

A first call should import only what it runs: whole packages (graphs, events with a
duration, pyarrow's compute functions) are a third of what all of it would take.
Readers write `from windrow import graph` and `graph.slide_graph(...)`: taking the name
itself out of the package, when a module is imported, would load it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def load_later(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are in these modules."""

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}", name=name
            )
        value = getattr(import_module(modules[name], package), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
