"""A picture of what each slide costs: who pauses, and who never does.

The counts were made by running the algorithms (`tests/docs/test_pictures.py` makes
them again): combines and inverses of each of `SLIDES` slides, once two windows of
`SLICES` slices have gone by.
"""

from __future__ import annotations

from .canvas import TONES, Canvas

SLICES, SLIDES = 16, 32
COUNTS = {
    "recompute": [15] * 32,
    "two_stacks_lite": [2] * 14 + [17] + [2] * 14 + [17] + [2] * 2,
    "flat_fat": [4, 4, 4, 5, 4, 5, 5, 6, 4, 5, 5, 6, 5, 6, 6, 7] * 2,
    "daba_lite": [4, 6, 6, 6, 4, 2, 2, 2] * 4,
    "subtract_on_evict": [2] * 32,
}


def pauses() -> Canvas:
    """One strip of bars for each algorithm, on the same scale."""
    left, wide, unit, deep = 28, 13, 3.4, 84
    sheet = Canvas(
        "Combines of 32 slides over a window of 16 slices: recompute 15 each time, two "
        "stacks 2 with a spike of 17 once a window, FlatFAT, DABA Lite and "
        "subtract-on-evict a few each time",
        20 + deep * len(COUNTS) + 20,
    )
    for row, (name, counts) in enumerate(COUNTS.items()):
        base = deep * (row + 1)
        most = max(counts)
        sheet.text(left, base - 66, name, code=True)
        sheet.text(
            452,
            base - 66,
            f"mean {sum(counts) / SLIDES:.1f}, most {most}",
            anchor="end",
        )
        for place, count in enumerate(counts):
            tone = TONES["newer" if count == most > SLICES else "older"]
            high = unit * count
            sheet.parts.append(
                f'<rect x="{left + wide * place:g}" y="{base - high:g}" '
                f'width="{wide - 3:g}" height="{high:g}" fill="{tone}"/>'
            )
        sheet.line(left, base, left + wide * SLIDES, base)
    sheet.text(left, deep * len(COUNTS) + 26, "one bar a slide, n = 16 slices a window")
    return sheet


PICTURES = {"pauses": pauses}
