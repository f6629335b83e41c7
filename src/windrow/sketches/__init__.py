"""Partials that are objects: sketches of bounded size, for answers within an error.

    sketch.py           what a sketch is: lift, combine, lower, dump, load
    hyperloglog.py      distinct values         hll_bytes.py   its bytes
    hll_estimate.py     how many they are
    kll.py              quantiles, by rank      kll_bytes.py   its bytes
    bins.py             quantiles, relative (DDSketch), and histograms
    frequent_items.py   the most frequent values
    theta.py            sets of hashes, as bytes
    murmur.py           hashes values           intervals.py   counts what windows hold
    ranks.py            which value a quantile is
    packed.py           many partials in a few arrays

HyperLogLog, DDSketch and histograms are our own, over whole columns; the others are
those of Apache DataSketches (the package `datasketches`), which gives and takes bytes
that Spark reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import pyarrow as pa

from .ranks import Quantiles
from .sketch import Sketch, objects


def sketch_of(name: str, options: Mapping[str, Any], kind: pa.DataType) -> Sketch:
    """The sketch of an aggregate, with checked options, over a column of that type."""
    match name:
        case "approx_distinct":
            return _class("hyperloglog", "HyperLogLog")(options["lg_k"])
        case "hll_sketch":
            return _class("hyperloglog", "HyperLogLog")(options["lg_k"], "bytes")
        case "approx_quantile":
            asked = quantiles_of(options["q"])
            if options["method"] == "ddsketch":
                return _class("bins", "DDSketch")(options["error"], asked)
            return _class("kll", "Kll")(options["k"], asked)
        case "kll_sketch":
            return _class("kll", "Kll")(options["k"])
        case "theta_sketch":
            return _class("theta", "Theta")(options["lg_k"], options["seed"])
        case "approx_top_k":
            items = _class("frequent_items", "FrequentItems")
            return items(kind, options["k"], options["tracked"])
        case "histogram":
            return _class("bins", "Histogram")(tuple(options["edges"]))
    raise AssertionError(f"no sketch is called {name}")


def _class(module: str, name: str) -> Callable[..., Sketch]:
    """A kind of sketch, imported when it is first used."""
    kind: Callable[..., Sketch] = getattr(import_module(f"{__name__}.{module}"), name)
    return kind


def quantiles_of(levels: Any) -> Quantiles:
    """The quantiles that were asked for: one level, or a list of them."""
    if isinstance(levels, (list, tuple)):
        return Quantiles(tuple(levels), listed=True)
    return Quantiles((levels,))


__all__ = ["Sketch", "objects", "quantiles_of", "sketch_of"]
