"""Pictures of the algorithms that are queues of two stacks, or two scans."""

from __future__ import annotations

from .canvas import CELL, Canvas
from .folds import prefixes, suffixes

# DABA's lists, by length: they obey its size equation (tests/algorithms).
DONE, LEFT, RIGHT, TURNED, BACK = 3, 2, 2, 1, 2
VALUES = [7, 2, 9, 4, 1, 6, 3, 5, 8, 2]


def two_stacks() -> Canvas:
    """Front and back with their aggregates, and the flip."""
    front, back = [2, 5, 1], [4, 3, 6]
    left = 40
    sheet = Canvas(
        "Two stacks end to end: the front has suffix maxima up to the flip, the back "
        "has prefix maxima from it, and the answer is the larger of the two outer ones",
        322,
    )
    edge = left + 3 * CELL
    sheet.text(left, 20, "front, evicted from here")
    sheet.text(edge + 3 * CELL, 38, "back, inserted here", anchor="end")
    sheet.cells(left, 48, front + back, "plain")
    sheet.text(left + 6 * CELL + 8, 69, "values")
    high, low = suffixes(front, max), prefixes(back, max)
    sheet.cells(left, 86, high + low, ["older"] * 3 + ["newer"] * 3)
    sheet.text(left + 6 * CELL + 8, 107, "aggregates")
    sheet.line(edge - 2, 42, edge - 2, 128, dashed=True)
    sheet.text(edge, 142, "flip", anchor="middle")
    sheet.text(
        left, 168, f"answer: max({high[0]}, {low[-1]}) = {max(high[0], low[-1])}"
    )
    sheet.text(left, 206, "when the front is used up, the back is turned over")
    turned = suffixes(back, max)
    sheet.cells(left, 216, back, "plain")
    sheet.cells(left, 254, low, "newer")
    sheet.arrow(left + 3 * CELL + 8, 251, left + 4 * CELL + 8, 251)
    x = left + 4.5 * CELL
    sheet.cells(x, 216, back, "plain")
    sheet.cells(x, 254, turned, "older")
    sheet.text(x, 308, "one long slide in every n", anchor="start")
    return sheet


def two_stacks_lite() -> Canvas:
    """One buffer of suffixes and one running aggregate."""
    front, back = [2, 5, 1], [4, 3, 6]
    left = 40
    sheet = Canvas(
        "A front of suffix maxima and a single running maximum for the back",
        178,
    )
    edge = left + 3 * CELL
    sheet.text(left, 20, "front: suffixes, n partials")
    high = suffixes(front, max)
    sheet.cells(left, 32, high, "older")
    sheet.cells(edge, 32, back, "gone")
    sheet.text(edge + 3 * CELL + 8, 53, "not kept")
    sheet.bracket(edge, edge + 3 * CELL - 4, 80, "folded")
    sheet.box(edge, 94, 3 * CELL - 4, f"back = {max(back)}", "newer")
    sheet.line(edge - 2, 26, edge - 2, 130, dashed=True)
    sheet.text(edge, 146, "flip", anchor="middle")
    total = max(high[0], *back)
    sheet.text(left, 170, f"answer: max({high[0]}, {max(back)}) = {total}")
    return sheet


def _lists() -> list[tuple[str, int, int]]:
    lengths = (("done", DONE), ("L", LEFT), ("R", RIGHT), ("A", TURNED), ("B", BACK))
    found, start = [], 0
    for name, length in lengths:
        found.append((name, start, start + length))
        start += length
    return found


def _pointers(sheet: Canvas, left: float, y: float, deep: float) -> None:
    for name, place in zip(
        "FLRABE", [one[1] for one in _lists()] + [len(VALUES)], strict=True
    ):
        x = left + CELL * place - 2
        sheet.text(x, y - 4, name, anchor="middle", code=True, bold=True)
        sheet.line(x, y, x, y + deep, dashed=True)


def daba() -> Canvas:
    """Five lists between six pointers, each being turned the right way round."""
    left = 22
    ends = {name: (start, stop) for name, start, stop in _lists()}
    back_start = ends["B"][0]
    rows = {
        "done": suffixes(VALUES[:back_start], max)[: ends["done"][1]],
        "L": suffixes(VALUES[slice(*ends["L"])], max),
        "R": prefixes(VALUES[slice(*ends["R"])], max),
        "A": suffixes(VALUES[slice(*ends["A"])], max),
        "B": prefixes(VALUES[slice(*ends["B"])], max),
    }
    tones = {"done": "older", "L": "older", "R": "newer", "A": "older", "B": "newer"}
    sheet = Canvas(
        "DABA's window: a finished part, two lists that are being turned round, one "
        "already turned, and the back; six pointers stand between them",
        236,
    )
    _pointers(sheet, left, 24, 88)
    sheet.cells(left, 34, VALUES)
    for name, (start, _) in ends.items():
        sheet.cells(left + CELL * start, 72, rows[name], tones[name])
    for name, (start, stop) in ends.items():
        x1, x2 = left + CELL * start, left + CELL * stop - 4
        sheet.bracket(x1, x2, 134, name if name == "done" else f"l_{name}")
    sheet.text(
        left, 164, "blue: from here to the end of a list; orange: from its start"
    )
    first, last = rows["done"][0], rows["B"][-1]
    sheet.text(
        left,
        190,
        f"answer: aggregate at F and at E: max({first}, {last}) = {max(first, last)}",
    )
    sheet.text(left, 216, "each insert and evict turns one node of l_L and of l_R")
    return sheet


def daba_lite() -> Canvas:
    """One queue, and two running aggregates in place of a second."""
    left = 22
    ends = {name: (start, stop) for name, start, stop in _lists()}
    back_start = ends["B"][0]
    done = suffixes(VALUES[:back_start], max)[: ends["done"][1]]
    low = suffixes(VALUES[slice(*ends["L"])], max)
    right, turned, back = (VALUES[slice(*ends[name])] for name in ("R", "A", "B"))
    parts = [*done, *low, *right, *suffixes(turned, max), *back]
    tones = (["older"] * (DONE + LEFT) + ["plain"] * RIGHT + ["older"] * TURNED) + [
        "plain"
    ] * BACK
    sheet = Canvas(
        "DABA Lite keeps one number per place, a suffix or a value, and two running "
        "aggregates, middle and back",
        212,
    )
    _pointers(sheet, left, 24, 46)
    sheet.cells(left, 34, parts, tones)
    x1, x2 = left + CELL * ends["R"][0], left + CELL * ends["A"][1] - 4
    middle = max(*right, *turned)
    sheet.box(x1, 78, x2 - x1, f"middle = {middle}", "middle")
    x3 = left + CELL * back_start
    sheet.box(x3, 78, 2 * CELL - 4, f"back = {max(back)}", "newer")
    sheet.text(left, 142, "blue: suffixes; grey: values as they came")
    sheet.text(
        left, 168, f"answer: max({done[0]}, {max(back)}) = {max(done[0], *back)}"
    )
    sheet.text(left, 194, "middle does not change while nodes trade places")
    return sheet


def slide_side() -> Canvas:
    """Suffixes up to a boundary, a prefix from it, for any number of ranges."""
    values = [5, 2, 7, 1, 3, 6, 4, 2]
    left, flip, wide = 30, 4, 50
    sheet = Canvas(
        "Suffixes up to the boundary and a running prefix from it answer every window "
        "that crosses the boundary; a shorter one is scanned backwards",
        228,
    )
    sheet.cells(left, 24, values, width=wide)
    high = suffixes(values[:flip], max)
    edge = left + flip * wide - 2
    sheet.cells(left, 62, high, "older", width=wide)
    prefix = max(values[flip:])
    sheet.box(edge + 2, 62, 4 * wide - 4, f"prefix = {prefix}", "newer")
    sheet.line(edge, 20, edge, 96, dashed=True)
    sheet.text(edge, 16, "flip", anchor="middle")
    stop = left + 8 * wide - 4
    for row, start in enumerate((1, 3)):
        label = f"max({high[start]}, {prefix}) = {max(high[start], prefix)}"
        y = 116 + 30 * row
        sheet.bracket(left + wide * start, stop, y, label, code=True)
    scanned = suffixes(values[5:], max)
    sheet.bracket(left + wide * 5, stop, 180, f"scan: {scanned[0]}", code=True)
    sheet.text(left, 216, "ranges 7, 5 and 3 of one stream, from one pair of scans")
    return sheet


PICTURES = {
    "two_stacks": two_stacks,
    "two_stacks_lite": two_stacks_lite,
    "daba": daba,
    "daba_lite": daba_lite,
    "slide_side": slide_side,
}
