"""Chunks of one window on a stream: how long they are, and when each is built.

    slides of a window     1  2  3  4  5  6  7  8  9  ...
    slides of a chunk      1  1  2  2  3  3  4  4  5         half a window, rounded up

    chunk            |   c       |   c + 1   |
    suffixes of c      . . . < < < < < <                      from its newest slice down
    watermark                    |--------->                  as fast as time goes on

A chunk is complete when the watermark passes its end.  Its suffixes (lcs) are wanted
when windows begin to open in it, which is about a chunk later: so as many are built
in a step as the step moves time on, and no step pays for a whole chunk unless it
moves time on by one.
"""

from __future__ import annotations

from dataclasses import dataclass

from windrow.windows import Rule


@dataclass(frozen=True)
class Chunks:
    """A window in ticks, with chunks of `every` slides that begin at `shift`."""

    range: int
    slide: int
    shift: int
    every: int

    @property
    def length(self) -> int:
        """Of a chunk, in ticks."""
        return self.every * self.slide

    @property
    def suffixes(self) -> bool:
        """Whether slices leave one by one, and not chunk by chunk."""
        return self.every > 1

    def last_due(self, now: int) -> int:
        """The number of the last window that ends at or before an instant."""
        return (now - self.range - self.shift) // self.slide

    def begin(self, window: int) -> int:
        """The instant at which a window begins."""
        return self.shift + window * self.slide

    def start(self, chunk: int) -> int:
        """The instant at which a chunk begins."""
        return self.shift + chunk * self.length

    def building(self, now: int) -> tuple[int, int]:
        """The last complete chunk, and from which instant on its suffixes stand."""
        chunk = (now - self.shift) // self.length - 1
        start, end = self.start(chunk), self.start(chunk + 1)
        first = self.begin(self.last_due(now))
        if first > start:  # slices of it have left
            return chunk, start
        return chunk, max(start, 2 * end - now)


def chunks_of(query: Rule) -> Chunks:
    """Half a window, rounded up: three chunks cover it wherever it begins."""
    range_, slide, shift = query.even
    return Chunks(range_, slide, shift, -(-range_ // (2 * slide)))


__all__ = ["Chunks", "chunks_of"]
