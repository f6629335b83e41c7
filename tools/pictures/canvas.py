"""A sheet to draw on: cells, brackets, arrows and words, as SVG.

    0                                  480   units, as wide as a phone shows well
    +-----------------------------------+
    |  title                            |    text is 14 units high or more
    |  [ 3 ][ 1 ][ 4 ]                  |    cells carry a value and a colour
    |  |----- window -----|             |    a bracket spans cells
    +-----------------------------------+

Lines and words are `currentColor`, so that the page around them decides: dark on light
or light on dark.  Fills are middle tones, thin enough to be read through on both.
Nothing has an id: several pictures stand in one page.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

WIDTH = 480
CELL = 44
HIGH = 32
TONES = {
    "plain": "#8a8f98",
    "older": "#3b82c4",
    "newer": "#d9822b",
    "middle": "#8b6fc9",
    "answer": "#3f9a5c",
    "gone": "none",
}


class Canvas:
    """One picture, from top to bottom; `alt` says in words what it shows."""

    def __init__(self, alt: str, height: int) -> None:
        self.alt = alt
        self.height = height
        self.parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        words: object,
        *,
        anchor: str = "start",
        size: int = 14,
        code: bool = False,
        bold: bool = False,
    ) -> None:
        """Words whose baseline is at y."""
        look = f' font-size="{size}" text-anchor="{anchor}"'
        look += ' font-family="monospace"' if code else ""
        look += ' font-weight="bold"' if bold else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}"{look} fill="currentColor">'
            f"{escape(str(words))}</text>"
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        label: object = "",
        tone: str = "plain",
        *,
        high: float = HIGH,
        code: bool = True,
    ) -> None:
        """A rectangle with a label in the middle; one that is gone is dashed."""
        fill = TONES[tone]
        stroke = TONES["plain"] if tone == "gone" else fill
        dashes = ' stroke-dasharray="4 3"' if tone == "gone" else ""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{high:g}" rx="3" '
            f'fill="{fill}" fill-opacity="0.28" stroke="{stroke}" '
            f'stroke-width="1.5"{dashes}/>'
        )
        if str(label):
            middle = y + high / 2 + 5
            self.text(x + width / 2, middle, label, anchor="middle", code=code)

    def cells(
        self,
        x: float,
        y: float,
        labels: Sequence[object],
        tones: str | Sequence[str] = "plain",
        *,
        width: float = CELL,
    ) -> None:
        """A row of boxes, side by side."""
        each = [tones] * len(labels) if isinstance(tones, str) else tones
        for place, (label, tone) in enumerate(zip(labels, each, strict=True)):
            self.box(x + place * width, y, width - 4, label, tone)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, *, dashed: bool = False
    ) -> None:
        """A thin line."""
        dashes = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="currentColor" '
            f'stroke-opacity="0.7" stroke-width="1.3" fill="none"{dashes}/>'
        )

    def arrow(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """A line with a head at its second end."""
        self.line(x1, y1, x2, y2)
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        along = ((x2 - x1) / length, (y2 - y1) / length)
        back = (x2 - 8 * along[0], y2 - 8 * along[1])
        side = (-4 * along[1], 4 * along[0])
        points = (
            (x2, y2),
            *((back[0] + s * side[0], back[1] + s * side[1]) for s in (1, -1)),
        )
        told = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polygon points="{told}" fill="currentColor"/>')

    def arc(self, x1: float, x2: float, y: float, *, rise: float) -> None:
        """A jump from one place to another on the same line, with a head."""
        self.parts.append(
            f'<path d="M{x1:g} {y:g}Q{(x1 + x2) / 2:g} {y - 2 * rise:g} {x2:g} {y:g}" '
            'stroke="currentColor" stroke-opacity="0.7" stroke-width="1.3" '
            'fill="none"/>'
        )
        told = f"{x2:g},{y:g} {x2 - 8:g},{y - 5:g} {x2 - 2:g},{y - 9:g}"
        self.parts.append(f'<polygon points="{told}" fill="currentColor"/>')

    def bracket(
        self, x1: float, x2: float, y: float, label: object = "", *, code: bool = False
    ) -> None:
        """A span with ticks at both ends and a label in a gap of its line."""
        self.line(x1, y - 6, x1, y + 6)
        self.line(x2, y - 6, x2, y + 6)
        words = str(label)
        gap = (len(words) * (8.6 if code else 7.2) + 10) / 2 if words else 0
        middle = (x1 + x2) / 2
        if middle - gap > x1:
            self.line(x1, y, middle - gap, y)
            self.line(middle + gap, y, x2, y)
        if words:
            self.text(middle, y + 5, words, anchor="middle", code=code)

    def dot(self, x: float, y: float, tone: str = "plain", *, size: float = 5) -> None:
        """A row of the stream."""
        self.parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{size:g}" fill="{TONES[tone]}"/>'
        )

    def svg(self) -> str:
        """The picture as a file of its own; its colour is a middle grey there."""
        body = "\n".join(self.parts)
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" class="picture" role="img" '
            f'viewBox="0 0 {WIDTH} {self.height}" color="#7b818b" '
            f'font-family="sans-serif">\n'
            f"<title>{escape(self.alt)}</title>\n{body}\n</svg>\n"
        )
