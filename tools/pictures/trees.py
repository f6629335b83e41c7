"""Pictures of the algorithms that keep partials of stretches: trees and jumps."""

from __future__ import annotations

from itertools import pairwise

from .canvas import Canvas

LEAVES = [7, 3, 2, 9, 4, 6, 1, 5]


def flat_fat() -> Canvas:
    """A tree of maxima: a new slice renews the nodes above it."""
    wide, left, deep = 56, 18, 62
    changed = 5  # the leaf that has just come
    sheet = Canvas(
        "A binary tree over eight slots: a new slice renews the three nodes above it, "
        "and the root is the maximum of the window",
        316,
    )
    levels = [LEAVES]
    while len(levels[-1]) > 1:
        row = levels[-1]
        levels.append([max(row[i : i + 2]) for i in range(0, len(row), 2)])
    top = len(levels) - 1

    def middle(level: int, place: int) -> float:
        return left + (wide << level) * (place + 0.5)

    for level, row in enumerate(levels):
        y = 24 + deep * (top - level)
        for place, value in enumerate(row):
            x = middle(level, place)
            if level:
                for child in (2 * place, 2 * place + 1):
                    sheet.line(x, y + 32, middle(level - 1, child), y + deep)
            tone = "newer" if changed >> level == place else "older"
            if level == top:
                tone = "answer"
            sheet.box(x - 22, y, 44, value, tone)
    sheet.text(middle(0, changed), 260, "new", anchor="middle")
    sheet.text(left, 286, "log2(n) combines for what came, as many for what left")
    sheet.text(left, 308, "the slots are a ring: the oldest is overwritten")
    return sheet


def b_int() -> Canvas:
    """Aligned stretches of 1, 2, 4, ... slices, and a window of few of them."""
    first, count, unit, left = 8, 10, 43, 28
    start, stop = 10, 18
    sheet = Canvas(
        "Aligned stretches of 1, 2, 4 and 8 slices; the window from 10 to 18 is "
        "covered by three of them",
        236,
    )
    cover, place = set(), start
    while place < stop:
        level = 0
        while place % 2 ** (level + 1) == 0 and place + 2 ** (level + 1) <= stop:
            level += 1
        cover.add((level, place))
        place += 2**level
    for level in range(4):
        y = 22 + 40 * (3 - level)
        for begin in range(first, first + count - 2**level + 1, 2**level):
            tone = "answer" if (level, begin) in cover else "plain"
            x = left + unit * (begin - first)
            label = begin if level == 0 else f"{begin}-{begin + 2**level - 1}"
            sheet.box(x, y, unit * 2**level - 4, label, tone)
        sheet.text(left - 6, y + 21, 2**level, anchor="end", code=True)
    x1, x2 = left + unit * (start - first), left + unit * (stop - first) - 4
    sheet.bracket(x1, x2, 194, "window [10, 18)")
    sheet.text(left, 228, f"{len(cover)} stretches, {len(cover) - 1} combines")
    return sheet


def flat_fit() -> Canvas:
    """Partials that say how far they reach; the path is shortened behind a window."""
    values = [2, 7, 1, 4, 3, 5, 8, 6]
    wide, left = 54, 26
    sheet = Canvas(
        "Before: three jumps lead from the start of the window to its stop. After: "
        "each place on the path reaches the stop in one jump",
        326,
    )

    def edge(place: int) -> float:
        return left + wide * place + wide / 2 - 2

    path = [0, 4, 6, 8]
    for row, title in enumerate(("asked: three jumps", "after: one jump each")):
        y = 84 + 150 * row
        sheet.text(left, y - 64, title)
        tones = ["older" if i in path else "plain" for i in range(8)]
        sheet.cells(left, y, values, tones, width=wide)
        for begin, end in pairwise(path):
            goal = end if row == 0 else 8
            x2 = edge(goal) if goal < 8 else left + wide * 8
            reach = goal - begin
            folded = max(values[begin:goal])
            rise = 8 + 6 * reach
            sheet.arc(edge(begin), x2, y - 3, rise=rise)
            label_y = y + 50
            sheet.text(edge(begin), label_y, f"{folded}", anchor="middle", code=True)
        sheet.text(left + wide * 8 - 6, y + 50, "stop", anchor="end")
    sheet.text(left, 316, "below: the maximum up to where the jump lands")
    return sheet


PICTURES = {"flat_fat": flat_fat, "b_int": b_int, "flat_fit": flat_fit}
