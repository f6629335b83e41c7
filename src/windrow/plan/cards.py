"""Prints catalogues: `wr.aggregates()`, `wr.algorithms()` and `wr.techniques()`."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from windrow.aggregates import CATALOGUE as AGGREGATES
from windrow.algorithms import CATALOGUE as ALGORITHMS
from windrow.algorithms import FormCosts
from windrow.spans import CATALOGUE as TECHNIQUES
from windrow.spans import FRAME_COSTS

from .choose import GRAPH
from .tree import level1_of

GRAPH_COSTS = {
    "k <= 16 ranges, an inverse": FormCosts("2 k", "n", "k"),
    "k > 16 ranges, an inverse": FormCosts(
        "< k + 2", "max(4 n, 4096)", "4 max(4 n, 4096) + n + k + 8"
    ),
    "one range, no inverse": FormCosts("3", "n", "n"),
    "k > 1 ranges, no inverse": FormCosts(
        "< 3 k + 1", "2 n + k + 4096", "2 n + k n / 256 + 8 k + 12288"
    ),
    "k > 1 windows of time, an inverse": FormCosts("< k + 2", "E + 1", "E + n + 2"),
    "k > 1 windows of time, no inverse": FormCosts(
        "< 2.5 k + 2", "2 E + n", "2 E + E / 16 + k n / 16 + 4 k + 64"
    ),
}
"""The costs of the graph, which is written anew for each list of windows.

Results come in groups, and the first windows count too.  Windows of time differ in how
many slices they have: all E of the stream are scanned before the first result.
"""


_LEFT = ' style="text-align: left"'


class Cards:
    """A small table of text that prints aligned and can be read as Arrow."""

    def __init__(self, rows: list[dict[str, str]]) -> None:
        self.rows = rows

    def __iter__(self) -> Iterator[dict[str, str]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return pa.Table.from_pylist(self.rows).__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        """The table as notebooks show it."""
        names = list(self.rows[0])
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>"
            + "".join(f"<td{_LEFT}>{html.escape(row[name])}</td>" for name in names)
            + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def __repr__(self) -> str:
        names = list(self.rows[0])
        cells = [names, *([row[name] for name in names] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        cells.insert(1, ["-" * width for width in widths])
        form = "  ".join(f"{{:<{width}}}" for width in widths)
        return "\n".join(form.format(*line).rstrip() for line in cells)


def aggregate_cards() -> Cards:
    """Every aggregate: what it gives, its laws and its partial."""
    rows = [
        {
            "name": aggregate.name,
            "gives": aggregate.summary,
            "laws": ", ".join(aggregate.laws.names()),
            "partial": ", ".join(f.name for f in aggregate.fields)
            or aggregate.sketch
            or "positions",
            "error": aggregate.error,
            "level 1 on Spark": level1_of(aggregate),
            "also called": ", ".join(aggregate.aliases),
        }
        for aggregate in AGGREGATES
    ]
    return Cards(rows)


def algorithm_cards() -> Cards:
    """Every algorithm: what it needs, and what each of its forms costs, as counted.

    Combines and inverses of a slide on average, at most before one result, and partials
    kept, for n slices a window, p of them rounded up to a power of two, and k ranges;
    E is the number of all slices, with which the graph's memory grows in lists of time.
    "runs" names the algorithm whose steps a form has, where they are not its own.
    """
    rows = [
        {
            "name": algorithm.name,
            "form": form,
            "needs": ", ".join(algorithm.needs.names()) or "-",
            "combines a slide": costs.time,
            "worst": costs.worst,
            "space": costs.space,
            "several ranges": "yes" if algorithm.many else "",
            "runs": costs.by or algorithm.name,
            "source": algorithm.source,
        }
        for algorithm in ALGORITHMS
        for form, costs in algorithm.forms.items()
    ]
    graph = [
        {
            "name": GRAPH,
            "form": form,
            "needs": "-",
            "combines a slide": costs.time,
            "worst": costs.worst,
            "space": costs.space,
            "several ranges": "yes",
            "runs": GRAPH,
            "source": "LightSaber 5",
        }
        for form, costs in GRAPH_COSTS.items()
    ]
    return Cards([*rows, *graph])


def techniques() -> Cards:
    """Every technique for events with a duration, with its costs as they are counted.

    In calls of `combine` and `inverse`, for N events of mean length m in windows of
    range w and step b, and a height d; p is the longest event, T the time that the
    table's E events cover.  A technique has a row for each of its forms;
    the last one is the tree that `wr.over` has over E events, a power of two.

    >>> sorted({card["name"] for card in techniques()})[0]
    'aggregate_buckets'
    """
    rows = [
        {
            "name": technique.name,
            "form": form,
            "needs": ", ".join(technique.needs.names()) or "-",
            "an event costs": costs.insert,
            "a window costs": costs.release,
            "at worst": costs.worst,
            "space": costs.space,
            "in the paper": technique.paper,
            "source": technique.source,
        }
        for technique in TECHNIQUES
        for form, costs in technique.forms.items()
    ]
    frames = {
        "name": "flat_fat",
        "form": "over(span=)",
        "needs": "-",
        "an event costs": FRAME_COSTS.insert,
        "a window costs": FRAME_COSTS.release,
        "at worst": FRAME_COSTS.worst,
        "space": FRAME_COSTS.space,
        "in the paper": "not in the paper",
        "source": "RA 4, 5 (VLDB 2015)",
    }
    return Cards([*rows, frames])
