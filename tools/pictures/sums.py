"""Pictures of recomputing, of taking the oldest off, and of SlickDeque's deque."""

from __future__ import annotations

from .canvas import CELL, Canvas
from .folds import prefixes

VALUES = [3, 1, 4, 1, 5, 9, 2, 6]


def recompute() -> Canvas:
    """Each window folded anew."""
    left, wide = 40, 50
    sheet = Canvas(
        "Two windows of five slices: each is folded from scratch with four combines",
        170,
    )
    sheet.cells(left, 20, VALUES, width=wide)
    for row, start in enumerate((1, 2)):
        picked = VALUES[start : start + 5]
        x = left + wide * start
        y = 80 + 34 * row
        label = f"max of {', '.join(map(str, picked))} = {max(picked)}"
        sheet.bracket(x, x + 5 * wide - 4, y, label, code=False)
    sheet.text(left, 156, "4 combines, and 4 again: n - 1 for every window")
    return sheet


def subtract_on_evict() -> Canvas:
    """One running sum: the new one on, the oldest off."""
    left, wide = 40, 56
    values = VALUES[:6]
    before, after = sum(values[:5]), sum(values[1:])
    sheet = Canvas(
        f"A running sum of {before}: the new slice {values[5]} is added, the oldest "
        f"slice {values[0]} is subtracted, {after} is left",
        190,
    )
    tones = ["gone"] + ["older"] * 4 + ["newer"]
    sheet.cells(left, 24, values, tones, width=wide)
    x0, x5 = left + wide / 2 - 2, left + 5.5 * wide - 2
    sheet.arrow(x0, 60, x0 + 70, 100)
    sheet.text(x0 + 4, 92, f"- {values[0]}", code=True)
    sheet.arrow(x5, 60, x5 - 70, 100)
    sheet.text(x5 - 22, 92, f"+ {values[5]}", code=True)
    label = f"{before} + {values[5]} - {values[0]} = {after}"
    sheet.box(left + 74, 102, 6 * wide - 152, label, "answer", high=36)
    sheet.text(left, 172, "one partial is kept; 2 combines a slide")
    return sheet


def slick_deque_inv() -> Canvas:
    """One running sum for each distinct range."""
    left, wide = 30, 52
    values = VALUES
    sheet = Canvas(
        "Two ranges over one stream, each with its own running sum: both add the "
        "newest slice, each subtracts its own oldest",
        212,
    )
    tones = ["gone"] + ["older"] * 6 + ["newer"]
    sheet.cells(left, 24, values, tones, width=wide)
    stop = left + 8 * wide - 4
    for row, length in enumerate((7, 3)):
        start = 8 - length
        before = sum(values[start - 1 : 7])
        total = sum(values[start:])
        y = 88 + 46 * row
        x = left + wide * start
        label = f"{before}+{values[7]}-{values[start - 1]} = {total}"
        sheet.bracket(x, stop, y, label, code=True)
        sheet.text(x - 8, y + 5, f"range {length}", anchor="end")
    sheet.text(left, 186, "range 3 takes off the 5, range 7 the 3: 2 combines each")
    return sheet


def slick_deque() -> Canvas:
    """The slices that can still win, in falling order."""
    values = [6, 5, 0, 1, 3]
    left, wide = 60, 62
    kept = [
        place
        for place, value in enumerate(values)
        if all(value > later for later in values[place + 1 :])
    ]
    sheet = Canvas(
        "Of five slices 6 5 0 1 3 the deque keeps 6, 5 and 3: the others have lost to "
        "a younger one and can never be the maximum again",
        266,
    )
    sheet.text(left, 20, "slices")
    tones = ["older" if place in kept else "gone" for place in range(len(values))]
    sheet.cells(left, 30, values, tones, width=wide)
    sheet.text(left, 92, "deque: (position, value), falling")
    for number, place in enumerate(kept):
        x = left + number * 92
        sheet.box(x, 102, 84, f"({place}, {values[place]})", "older")
    stop = left + 5 * wide - 4
    for row, length in enumerate((5, 3)):
        start = 5 - length
        first = next(place for place in kept if place >= start)
        y = 162 + 34 * row
        label = f"range {length}: first at or after {start} is {values[first]}"
        x1 = left + start * wide if length == 5 else left
        sheet.text(x1, y, label)
    sheet.text(left, 240, "next comes a 4: it drops the 3 and stands at the end")
    sheet.line(left, 212, stop, 212, dashed=True)
    return sheet


def slide_side_inv() -> Canvas:
    """A running prefix scan; a window is a difference."""
    left, wide = 26, CELL
    sums = [0, *prefixes(VALUES, lambda a, b: a + b)]
    start, stop = 2, 7
    sheet = Canvas(
        f"A prefix scan of the slices: the window from {start} to {stop} is "
        f"{sums[stop]} - {sums[start]} = {sums[stop] - sums[start]}",
        220,
    )
    sheet.cells(left + wide / 2, 24, VALUES)
    tones = ["plain"] * len(sums)
    tones[start], tones[stop] = "newer", "older"
    sheet.cells(left, 66, sums, tones)
    sheet.text(left, 118, "prefixes: the sum of all before this place")
    x1, x2 = left + wide / 2 + wide * start, left + wide / 2 + wide * stop - 4
    sheet.bracket(x1, x2, 142, "window")
    label = f"{sums[stop]} - {sums[start]} = {sums[stop] - sums[start]}"
    sheet.box(150, 162, 180, label, "answer")
    sheet.text(left, 212, "any other range is another difference")
    return sheet


PICTURES = {
    "recompute": recompute,
    "subtract_on_evict": subtract_on_evict,
    "slick_deque_inv": slick_deque_inv,
    "slick_deque": slick_deque,
    "slide_side_inv": slide_side_inv,
}
