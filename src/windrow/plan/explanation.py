"""What `explain` gives: text, and sometimes a picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Explanation:
    """A plan in words; prints as text, and compares as text.

    `svg` is a picture, where there is one; notebooks show it.
    """

    text: str
    svg: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str | None:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write the picture to a file, or the text where there is no picture."""
        Path(path).write_text(self.svg or f"{self.text}\n", "utf-8")


__all__ = ["Explanation"]
