"""The pictures of the docs: one function for each, in files by what they show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from . import chunks, concepts, pauses, stacks, sums, trees
from .canvas import Canvas

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"

PICTURES: dict[str, Callable[[], Canvas]] = {
    **concepts.PICTURES,
    **sums.PICTURES,
    **stacks.PICTURES,
    **trees.PICTURES,
    **chunks.PICTURES,
    **pauses.PICTURES,
}


def stale(folder: Path = FOLDER) -> list[str]:
    """The files that are not as they would be drawn now, and those nothing draws."""
    drawn = {f"{name}.svg": draw().svg() for name, draw in PICTURES.items()}
    there = {path.name: path.read_text("utf-8") for path in folder.glob("*.svg")}
    return sorted(name for name in drawn | there if drawn.get(name) != there.get(name))


__all__ = ["FOLDER", "PICTURES", "Canvas", "stale"]
