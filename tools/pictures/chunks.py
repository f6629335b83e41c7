"""Pictures of the boundary aggregators: suffixes of one chunk, prefixes of the next."""

from __future__ import annotations

from .canvas import Canvas
from .folds import prefixes, suffixes

VALUES = [5, 2, 7, 1, 3, 6, 4, 2, 8, 1, 9, 3]


def sba() -> Canvas:
    """Chunks as long as the window."""
    left, wide, size = 24, 54, 4
    values = VALUES[:8]
    high, low = suffixes(values[:size], max), prefixes(values[size:], max)
    sheet = Canvas(
        "Two chunks as long as the window: suffixes of the first, prefixes of the "
        "second; each window is one of either",
        268,
    )
    edge = left + wide * size - 2
    sheet.bracket(left, edge - 2, 18, "chunk 0")
    sheet.bracket(edge + 2, left + wide * 8 - 4, 18, "chunk 1")
    sheet.cells(left, 34, values, width=wide)
    sheet.cells(left, 74, high + low, ["older"] * 4 + ["newer"] * 4, width=wide)
    sheet.text(left, 126, "lcs: suffixes")
    sheet.text(edge + 2, 126, "csa: prefixes")
    sheet.line(edge, 8, edge, 132, dashed=True)
    for row, start in enumerate((1, 2, 3)):
        x = left + wide * start
        older, newer = high[start], low[start - 1]
        label = f"max({older}, {newer}) = {max(older, newer)}"
        sheet.bracket(x, x + 4 * wide - 4, 158 + 34 * row, label, code=True)
    sheet.text(left, 258, "two scans a chunk, one combine a window")
    return sheet


def pba() -> Canvas:
    """Chunks of half a window; a second thread makes the suffixes."""
    left, wide, size = 22, 36, 4
    sheet = Canvas(
        "Three chunks: the window is a suffix of the first, the total of the second "
        "and a prefix of the third; a second thread makes suffixes of finished chunks",
        290,
    )
    start, stop = 2, 10
    chunks = [VALUES[at : at + size] for at in range(0, 12, size)]
    high, total = suffixes(chunks[0], max), max(chunks[1])
    low = prefixes(chunks[2], max)
    for number in range(3):
        x = left + number * size * wide
        sheet.bracket(x, x + size * wide - 4, 18, f"chunk {number}")
    sheet.cells(left, 34, VALUES, width=wide)
    sheet.cells(left, 72, high, "older", width=wide)
    middle = left + size * wide
    sheet.box(middle, 72, size * wide - 4, f"ca = {total}", "middle")
    last = left + 2 * size * wide
    sheet.cells(last, 72, low[: stop - 8], "newer", width=wide)
    sheet.cells(last + 2 * wide, 72, ["", ""], "gone", width=wide)
    sheet.text(left, 124, "lcs")
    sheet.text(last, 124, "csa")
    x1, x2 = left + wide * start, left + wide * stop - 4
    answer = max(high[start], total, low[1])
    label = f"max({high[start]}, {total}, {low[1]}) = {answer}"
    sheet.bracket(x1, x2, 150, label, code=True)
    sheet.text(left, 190, "thread 1: csa of the newest chunk, and the answers")
    sheet.text(left, 214, "thread 2: lcs of chunks that are complete")
    sheet.box(last, 228, size * wide - 4, "thread 1", "newer", code=False)
    sheet.box(middle, 228, size * wide - 4, "thread 2", "older", code=False)
    sheet.text(left, 249, "now at work:")
    sheet.text(left, 284, "at most 3 combines a slide in the thread that answers")
    return sheet


PICTURES = {"sba": sba, "pba": pba}
