"""Models the aggregation graph of LightSaber 5: windows over scans of the input.

Inputs stand in laps; over each lap runs a prefix scan, and a suffix scan once it is
complete.  A window is a suffix of one lap, whole laps, and a prefix of another:

              lap               lap               lap               lap
    |-----------------|-----------------|-----------------|-----------------|
         start |suffix|----- total -----|----- total -----|--prefix--| end

Scans are families of nodes, one node an input.  Two scans of the same kind and lap are
the same scan: a graph is a set of them, and twins merge by being equal.  `needed` says
which nodes of a scan windows read while inputs come:

    every      all of them, as long as a window starts there
    newest     only the last one
    none       none of them
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property


class ScanKind(StrEnum):
    """The kind of a family of nodes: inputs, or one of three scans."""

    INPUT = "input"
    PREFIX = "prefix"
    SUFFIX = "suffix"
    TOTAL = "total"


class At(StrEnum):
    """The place of the node that a window reads in a family."""

    START = "start"  # where the window begins
    END = "end"  # where it ends
    BETWEEN = "between"  # those of all whole laps from start to end


@dataclass(frozen=True, order=True)
class Family:
    """A family of nodes: the inputs, or a scan over laps of them.

    Where windows are not equally long, a lap ends when the window it is for runs out
    of suffixes, and `window` says which that is; a scan with neither a lap nor a window
    runs over the whole stream.
    """

    kind: ScanKind
    lap: int = 0
    window: int = -1

    def __str__(self) -> str:
        if self.window >= 0:
            return f"{self.kind}(window {self.window})"
        return f"{self.kind}({self.lap:,})" if self.lap else str(self.kind)


INPUT = Family(ScanKind.INPUT)


@dataclass(frozen=True)
class Term:
    """One node that a window reads; with `off` it is subtracted."""

    family: Family
    at: At
    off: bool = False

    def __str__(self) -> str:
        return f"{self.family}[{self.at}]"


Sum = tuple[Term, ...]


@dataclass(frozen=True)
class Root:
    """A window, as sums of nodes that depend on the lap in which it starts.

    It is the sum `same` if it starts in the lap in which it ends, `last` if in an
    earlier one; a case that cannot occur is empty.  A range of 0 is not known
    beforehand.
    """

    range: int
    same: Sum = ()
    last: Sum = ()

    @property
    def terms(self) -> Sum:
        """All nodes that the window reads."""
        return (*self.same, *self.last)

    @property
    def shares(self) -> bool:
        """Whether it stands on laps that were made equal for several windows."""
        kinds = {term.family.kind for term in self.last}
        return bool(self.same) or ScanKind.TOTAL in kinds


@dataclass(frozen=True)
class Graph:
    """A set of windows, and through them the scans that they read."""

    roots: tuple[Root, ...]

    @cached_property
    def readings(self) -> dict[Family, tuple[frozenset[At], list[Root]]]:
        """The places at which each family is read, and the windows that read it."""
        places: dict[Family, set[At]] = {}
        readers: dict[Family, list[Root]] = {}
        for root in self.roots:
            for term in root.terms:
                places.setdefault(term.family, set()).add(term.at)
            for family in {term.family for term in root.terms}:
                readers.setdefault(family, []).append(root)
        return {
            family: (frozenset(at), readers[family]) for family, at in places.items()
        }

    @property
    def families(self) -> list[Family]:
        """Every scan that some window reads, once each; then the inputs."""
        return [*sorted(self.readings.keys() - {INPUT}), INPUT]

    def readers(self, family: Family) -> list[Root]:
        """The windows that read a scan."""
        return self.readings[family][1] if family in self.readings else []

    def needed(self, family: Family) -> str:
        """The nodes of a scan that windows read: "every", "newest" or "none"."""
        if family not in self.readings:
            return "none"
        return "newest" if self.readings[family][0] == {At.END} else "every"


def initial(ranges: Sequence[int]) -> Graph:
    """The graph of windows that share nothing, each over laps of its own range."""
    return Graph(tuple(_by_itself(range_, lap=range_) for range_ in ranges))


def initial_uneven(count: int) -> Graph:
    """The graph of windows over slices that share nothing, of unknown ranges."""
    return Graph(tuple(_by_itself(0, window=number) for number in range(count)))


def _by_itself(range_: int, lap: int = 0, window: int = -1) -> Root:
    suffix, prefix = (
        Family(kind, lap, window) for kind in (ScanKind.SUFFIX, ScanKind.PREFIX)
    )
    return Root(range_, last=(Term(suffix, At.START), Term(prefix, At.END)))
