"""Pictures of the vocabulary: slices, slicers, partials, sashes, the watermark."""

from __future__ import annotations

from itertools import pairwise

from .canvas import Canvas


def slices() -> Canvas:
    """Rows cut into slices, slices gathered into windows."""
    rows = ((3, 1), (4,), (1, 5), (9,), (2, 6), (5,))
    sums = [sum(one) for one in rows]
    wide, left = 72, 26
    sheet = Canvas(
        "Rows are cut into six slices, each slice is folded into one sum, and each "
        "window adds up three slices",
        306,
    )
    sheet.text(left, 20, "rows, in order of time")
    for place, values in enumerate(rows):
        for number, value in enumerate(values, 1):
            x = left + wide * (place + number / (len(values) + 1))
            sheet.dot(x, 40)
            sheet.text(x, 62, value, anchor="middle", code=True)
    for edge in range(len(rows) + 1):
        sheet.line(left + wide * edge, 28, left + wide * edge, 70, dashed=True)
    sheet.text(left, 90, "slices: one partial each, here a sum")
    for place, total in enumerate(sums):
        sheet.box(left + wide * place + 3, 100, wide - 6, total, "older")
    sheet.text(left, 164, "windows: range of 3 slices, slide of 1")
    for start in range(4):
        x = left + wide * start
        added = " + ".join(map(str, sums[start : start + 3]))
        label = f"{added} = {sum(sums[start : start + 3])}"
        sheet.bracket(x, x + 3 * wide, 184 + 32 * start, label, code=True)
    return sheet


def slicers() -> Canvas:
    """The same windows, cut by panes, pairs and cutty."""
    range_, slide, end, unit, left = 8, 3, 14, 31, 22
    starts = range(0, end - range_ + 1, slide)
    sheet = Canvas(
        "Windows of range 8 and slide 3: panes cut into pieces of 1, pairs into pieces "
        "of 2 and 1, cutty into pieces of 3 with a tail",
        330,
    )

    def strip(y: int, title: str, cuts: list[int]) -> None:
        sheet.text(left, y - 8, title)
        for begin, stop in pairwise(cuts):
            sheet.box(
                left + unit * begin + 1, y, unit * (stop - begin) - 2, "", "older"
            )

    edges = {*range(0, end + 1, slide), *range(range_ % slide, end + 1, slide)}
    sheet.text(left, 20, "windows: range 8, slide 3")
    for row, start in enumerate(starts):
        x1, x2 = left + unit * start, left + unit * (start + range_)
        sheet.bracket(x1, x2, 40 + 26 * row, f"[{start}, {start + range_})", code=True)
    strip(140, "panes: gcd(8, 3) = 1, three slices a slide", list(range(end + 1)))
    strip(206, "pairs: where windows start or end, two a slide", sorted(edges | {end}))
    strip(272, "cutty: where windows start, one a slide", [0, 3, 6, 9, 12, end])
    sheet.bracket(left + unit * 6, left + unit * 8, 318, "tail")
    sheet.text(left, 322, "[0, 8) ends inside a slice:")
    return sheet


def partials() -> Canvas:
    """A mean by lift, combine and lower."""
    values = (3, 1, 4, 1)
    wide, left = 108, 24
    sheet = Canvas(
        "Four values are lifted to pairs of sum and count, pairs are combined two by "
        "two, and the last pair is lowered to the mean, 2.25",
        330,
    )
    middles = [left + wide * place + wide / 2 for place in range(4)]
    level = [(value, 1) for value in values]
    for x, value, partial in zip(middles, values, level, strict=True):
        sheet.text(x, 36, value, anchor="middle", code=True, size=16)
        sheet.arrow(x, 44, x, 68)
        sheet.box(x - 42, 70, 84, f"({partial[0]}, 1)", "older")
    sheet.text(left + wide / 2 + 6, 60, "lift")
    pairs = []
    for half in (0, 2):
        x = (middles[half] + middles[half + 1]) / 2
        merged = (sum(values[half : half + 2]), 2)
        for end in (half, half + 1):
            sheet.line(middles[end], 102, x, 140)
        sheet.box(x - 42, 140, 84, f"({merged[0]}, {merged[1]})", "older")
        pairs.append(x)
    sheet.text(left, 130, "combine")
    x = sum(pairs) / 2
    for end_x in pairs:
        sheet.line(end_x, 172, x, 210)
    sheet.box(x - 42, 210, 84, f"({sum(values)}, 4)", "older")
    sheet.arrow(x, 242, x, 270)
    sheet.text(x + 8, 262, "lower")
    sheet.box(x - 42, 272, 84, sum(values) / 4, "answer")
    sheet.text(x + 52, 230, "the partial: (sum, count)")
    sheet.text(x + 52, 293, "the result: the mean")
    return sheet


def sashes() -> Canvas:
    """A window over chunks of time that several tasks have worked on."""
    wide, left = 36, 24
    sheet = Canvas(
        "Four tasks have a chunk of three slices each; a window is the closing part of "
        "the first chunk, the totals of those between, the opening part of the last",
        258,
    )
    for task in range(4):
        x = left + task * 3 * wide
        sheet.bracket(x, x + 3 * wide, 24, f"task {task}")
        tones = ["plain"] * 3
        if task == 0:
            tones = ["plain", "older", "older"]
        elif task == 3:
            tones = ["newer", "plain", "plain"]
        else:
            tones = ["middle"] * 3
        sheet.cells(x + 2, 42, [""] * 3, tones, width=wide)
    start, stop = left + wide, left + 10 * wide
    sheet.bracket(start, stop, 96, "window")
    y = 150
    sheet.text(left, 134, "what the window is made of: three kinds of sash")
    sheet.box(start + 2, y, 2 * wide - 4, "opening", "older", code=False)
    for task in (1, 2):
        x = left + task * 3 * wide
        sheet.box(x + 2, y, 3 * wide - 4, f"total {task}", "middle", code=False)
    sheet.box(left + 9 * wide + 2, y, wide - 4, "", "newer")
    sheet.text(left + 10 * wide + 6, y + 21, "closing")
    sheet.arrow(240, y + 38, 240, y + 60)
    sheet.box(150, y + 62, 180, "one row out", "answer", code=False)
    return sheet


def watermark() -> Canvas:
    """What a stream knows: windows that are out, windows that are open."""
    left, minute = 26, 14
    sheet = Canvas(
        "The watermark stands ten minutes behind the newest row: windows that end "
        "before it are out, the others are open, a row behind closed slices is late",
        300,
    )

    def at(minutes: float) -> float:
        return left + minute * minutes

    sheet.text(left, 20, "event time, in minutes")
    sheet.arrow(left, 60, 466, 60)
    for minutes in range(0, 31, 5):
        sheet.line(at(minutes), 56, at(minutes), 64)
        sheet.text(at(minutes), 82, minutes, anchor="middle", code=True)
    for seen in (1, 3.5, 6, 8, 11, 14, 17, 18.5, 22, 24, 25, 27):
        sheet.dot(at(seen), 60, "older")
    sheet.dot(at(12.5), 44, "newer")
    sheet.text(at(12.5) - 8, 40, "late", anchor="end")
    sheet.line(at(17), 30, at(17), 122, dashed=True)
    sheet.text(at(17) + 4, 34, "watermark")
    sheet.line(at(27), 48, at(27), 120, dashed=True)
    sheet.text(at(27) + 4, 44, "newest")
    sheet.bracket(at(17), at(27), 110, "delay: 10")
    for row, start in enumerate((0, 5, 10, 15)):
        end = start + 15
        out = end <= 17
        tone = "answer" if out else "plain"
        y = 132 + 36 * row
        label = f"[{start}, {end}) {'is out' if out else 'open'}"
        sheet.box(at(start), y, minute * 15, label, tone, code=False, high=28)
    sheet.text(left, 292, "windows: range 15, slide 5; each comes out once")
    return sheet


def copies() -> Canvas:
    """One row: copied into all its windows, or folded into one slice."""
    sheet = Canvas(
        "Without slices a row is copied into each of six windows; with slices it is "
        "folded into one slice, which the six windows share",
        268,
    )
    wide, left = 72, 24
    for side, title in enumerate(
        ("a row in each of its windows", "a row in one slice")
    ):
        y = 24 + 134 * side
        sheet.text(left, y, title)
        sheet.dot(240, y + 22, "newer", size=6)
        if side == 0:
            for place in range(6):
                middle = left + wide * place + wide / 2
                sheet.arrow(240, y + 30, middle, y + 64)
                sheet.box(middle - 30, y + 66, 60, f"w{place}", "newer")
        else:
            sheet.arrow(240, y + 30, 240, y + 46)
            sheet.box(204, y + 48, 72, "slice", "older", code=False)
            sheet.text(290, y + 70, "shared by w0 ... w5")
    return sheet


PICTURES = {
    "slices": slices,
    "slicers": slicers,
    "partials": partials,
    "sashes": sashes,
    "watermark": watermark,
    "copies": copies,
}
