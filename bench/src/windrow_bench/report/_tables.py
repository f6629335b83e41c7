"""What was measured at each place, as tables: x down the side, series across.

The spread, from the least to the most of the repeats, stands small under the median.
"""

from __future__ import annotations

from typing import Any

from windrow_bench.experiment import Panel, Place, Row, RowSet
from windrow_bench.numbers import number, place

from ._html import Html, tag

Cell = tuple[Place, Any]


def winners(panel: Panel, rows: RowSet) -> dict[Cell, Row]:
    """The best row of each cell: x, and the y that its facts have."""
    found: dict[Cell, Row] = {}
    for row in rows.all:
        if row.panel != panel.name:
            continue
        cell = row.x, row.facts.get("y", "")
        best = found.get(cell)
        if best is None or (row.value > best.value) == panel.more_is_better:
            found[cell] = row
    return found


def numbers_table(panel: Panel, rows: RowSet) -> Html:
    """All numbers of a panel; it scrolls by itself where the screen is narrow."""
    made = _map_table(panel, rows) if panel.kind == "map" else _table(panel, rows)
    return tag("div", made, cls="scroll")


def _table(panel: Panel, rows: RowSet) -> Html:
    series = rows.series(panel.name)
    there = {(r.x, r.series): r for r in rows.all if r.panel == panel.name}
    head = tag("tr", tag("th", panel.x), *(tag("th", name) for name in series))
    body = [
        tag("tr", _side(x), *(_cell(there.get((x, name))) for name in series))
        for x in rows.xs(panel.name)
    ]
    return _made(panel.y, head, body)


def _map_table(panel: Panel, rows: RowSet) -> Html:
    head = tag("tr", *(tag("th", w) for w in (panel.x, panel.map_y, "best", panel.y)))
    body = [
        tag("tr", _side(x), _side(y), tag("td", row.series), _cell(row))
        for (x, y), row in winners(panel, rows).items()
    ]
    return _made(f"the best of each cell: {panel.y}", head, body)


def _made(caption: str, head: Html, body: list[Html]) -> Html:
    return tag(
        "table",
        tag("caption", caption),
        tag("thead", head),
        tag("tbody", *body),
        cls="numbers",
    )


def _side(x: Place) -> Html:
    return tag("th", place(x), scope="row")


def _cell(row: Row | None) -> Html:
    if row is None:
        return tag("td", "–", cls="none")
    if row.repeats < 2 or row.low == row.high:
        return tag("td", number(row.value))
    spread = tag("small", f"{number(row.low)} to {number(row.high)}")
    return tag("td", number(row.value), spread)
