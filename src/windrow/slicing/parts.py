"""Divides sorted rows into parts, which threads take one by one.

    runs     | a | b | c |         d         | e | f |
    parts    |     0     |  1   |  2   |  3  |   4   |

A part is some whole runs, or a stretch of one that is long.  What windows of a stretch
reach over its border is read twice, as a halo:

    windows that begin in a stretch      |----- stretch -----|~ halo ~|
    rows that look back from one         |~ halo ~|----- stretch -----|

A stretch is at least `HALOS` halos long, so that little is read twice.  Borders follow
from the rows and the windows alone, never from the number of threads, and one thread
walks the same parts: results are the same, bit for bit, for any number of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windrow._later import dataclass

Array = np.ndarray[Any, Any]

PART = 1 << 19  # rows, about
HALOS = 8
EVEN = 8


@dataclass(frozen=True)
class Part:
    """The runs and the rows that are read, and which results are this part's own.

    Of a stretch, windows count that begin in [since, until), where None is no bound:
    instants, or places in the run.  Of rows that look back, the first `skip` are halo.
    """

    runs: slice
    rows: slice
    since: int | None = None
    until: int | None = None
    skip: int = 0
    is_stretch: bool = False


@dataclass(frozen=True)
class Runs:
    """Runs [first, last) of rows, in which times rise after `unplaced` rows.

    Without times, rows count by their place in the run.
    """

    firsts: Array
    lasts: Array
    times: Array | None = None
    unplaced: Array | None = None

    def divide(self, stretches: Callable[[int], list[Part]] | None) -> list[Part]:
        """All rows in parts; `stretches` gives those of a long run."""
        firsts, lasts = self.firsts, self.lasts
        is_long = lasts - firsts >= 2 * PART
        if stretches is None:
            is_long[:] = False
        is_first = np.ones(len(firsts), bool)
        is_first[1:] = firsts[1:] // PART != firsts[:-1] // PART
        is_first[1:] |= is_long[1:] | is_long[:-1]
        begins = np.flatnonzero(is_first)
        parts: list[Part] = []
        for k, end in zip(begins.tolist(), [*begins[1:].tolist(), None], strict=False):
            if stretches is not None and is_long[k]:
                parts += stretches(k)
            else:
                runs = slice(k, len(firsts) if end is None else end)
                rows = slice(int(firsts[k]), int(lasts[runs.stop - 1]))
                parts.append(Part(runs, rows))
        return parts

    def ahead(self, reach: int, step: int) -> list[Part]:
        """Parts for windows that reach so far ahead from where they begin.

        Windows that count rows begin at multiples of `step` of them.
        """

        def halos(k: int, cuts: Array) -> Array:
            """One past the last row that windows read which begin before each cut."""
            if self.times is None:
                ends: Array = np.minimum(cuts + reach, self.lasts[k])
                return ends
            return self._lower(k, self.times[cuts] + reach)

        def stretches(k: int) -> list[Part]:
            step_in_run = step if self.times is None else 1
            cuts = self._cuts(k, step_in_run, lambda cuts: halos(k, cuts) - cuts)
            first, last = int(self.firsts[k]), int(self.lasts[k])
            at: Array = cuts - first if self.times is None else self.times[cuts]
            reads = zip([first, *cuts], [*halos(k, cuts), last], strict=True)
            rows = [slice(int(start), int(stop)) for start, stop in reads]
            bounds = zip(rows, [None, *at.tolist()], [*at.tolist(), None], strict=True)
            run, cut = slice(k, k + 1), len(cuts) > 0
            return [Part(run, *bound, is_stretch=cut) for bound in bounds]

        return self.divide(stretches)

    def back(self, rows: int, ticks: int) -> list[Part]:
        """Parts for rows that look back over so many rows, and over so many ticks."""

        def starts(k: int, cuts: Array) -> Array:
            """The first row that the rows from each cut on look back at."""
            reads: Array = np.maximum(cuts - rows, self.firsts[k])
            if self.times is not None:
                reads = np.minimum(reads, self._lower(k, self.times[cuts] - ticks))
            return reads

        def stretches(k: int) -> list[Part]:
            cuts = self._cuts(k, 1, lambda cuts: cuts - starts(k, cuts))
            first, last = int(self.firsts[k]), int(self.lasts[k])
            begins = [first, *cuts.tolist()]
            reads = [first, *starts(k, cuts).tolist()]
            bounds = zip(begins, reads, [*cuts.tolist(), last], strict=True)
            run, cut = slice(k, k + 1), len(cuts) > 0
            return [
                Part(run, slice(read, end), skip=begin - read, is_stretch=cut)
                for begin, read, end in bounds
            ]

        return self.divide(stretches)

    def _cuts(self, k: int, step: int, halos: Callable[[Array], Array]) -> Array:
        """The rows at which a run is cut: peers stay together."""
        cuts = self._even_cuts(k, PART, step)
        longest = int(halos(cuts).max(initial=0))
        if HALOS * longest > PART:
            cuts = self._even_cuts(k, HALOS * longest, step)
        return cuts

    def _even_cuts(self, k: int, size: int, step: int) -> Array:
        first, rows = int(self.firsts[k]), int(self.lasts[k] - self.firsts[k])
        many = rows // size
        if many > EVEN:  # as many for each thread, on machines with 2, 4 or 8 cores
            many -= many % EVEN
        if many < 2 or step > rows:
            return np.empty(0, np.int64)
        cuts = rows * np.arange(1, many) // many // step * step + first
        if self.times is not None:
            cuts = self._lower(k, self.times[cuts[cuts > self._placed(k)]])
        return np.unique(cuts[cuts > self._placed(k)])

    def _placed(self, k: int) -> int:
        """The first row of a run that has a time."""
        unplaced = 0 if self.unplaced is None else self.unplaced[k]
        return int(self.firsts[k] + unplaced)

    def _lower(self, k: int, instants: Array) -> Array:
        """The first row of a run that is not before each instant."""
        assert self.times is not None
        placed = self._placed(k)
        run = self.times[placed : self.lasts[k]]
        rows: Array = placed + np.searchsorted(run, instants)
        return rows
