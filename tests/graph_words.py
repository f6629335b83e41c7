"""Graphs over words: what a graph denotes, and what its code gives, both exactly.

A partial is a word over the inputs, in which an input next to its own inverse cancels:
nothing is equal by chance, and order counts.

    combine(ab, c) = abc        inverse(abc, ab) = c

`denoted` reads graphs by their definition and shares no code with the emitter: a scan
is the word of its edges over a lap, stacks flip where they are used up, a running value
follows its edges from window to window.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from windrow.graph.emit import write_kernel
from windrow.graph.graph import (
    USED_UP,
    At,
    Graph,
    Need,
    Node,
    NodeKind,
    Root,
    Term,
    When,
)

Word = tuple[tuple[int, bool], ...]


def joined(older: Word, newer: Word) -> Word:
    """Two words side by side, of which neighbours that cancel are removed."""
    word = list(older)
    for letter, off in newer:
        if word and word[-1] == (letter, not off):
            word.pop()
        else:
            word.append((letter, off))
    return tuple(word)


def without(whole: Word, oldest: Word) -> Word:
    """A word from which another is taken off in front."""
    return joined(tuple((letter, not off) for letter, off in reversed(oldest)), whole)


def letters(start: int, stop: int) -> Word:
    return tuple((i, False) for i in range(start, stop))


class Unread(Exception):
    """A sum that has no meaning at some window."""


# --- by the code -----------------------------------------------------------------


def _words() -> dict[str, Any]:
    """The vocabulary of kernels over words: a partial has one field."""
    return {
        "np": np,
        "IDENTITY": ((),),
        "leaf": lambda source, i: (((int(source[i]), False),),),
        "combine": lambda older, newer: (joined(older[0], newer[0]),),
        "inverse": lambda whole, oldest: (without(whole[0], oldest[0]),),
        "allocate": lambda n: [None] * int(n),
        "load": lambda fields, i: fields[_place(i)],
        "store": lambda fields, i, partial: fields.__setitem__(_place(i), partial),
        "emit": lambda out, i, partial: out.__setitem__(_place(i), partial[0]),
        "peek": lambda array, i: int(array[_place(i)]),
        "poke": lambda array, i, value: array.__setitem__(_place(i), value),
    }


def _place(i: Any) -> int:
    assert i >= 0
    return int(i)


def code_of(graph: Graph, walk: str = "arrays") -> tuple[Any, ...]:
    """All that a kernel is given of a graph: its text, groups and laps."""
    kernel = write_kernel(graph, walk)
    return kernel.functions, tuple(kernel.splits), tuple(kernel.laps)


def answered(graph: Graph, inputs: Any, walk: str = "arrays") -> list[list[Word]]:
    """The windows of each root by the code of a graph.

    Uneven windows are lists of bounds, or `Timed` where the code finds these itself.
    """
    names = _words()
    kernel = write_kernel(graph, walk)
    for function in [*map(inspect.getsource, kernel.helpers), *kernel.functions]:
        exec(compile(function, "<graph>", "exec"), names)
    if walk == "instants":
        counts = [len(windows) for windows in inputs.windows]
        out: list[Any] = [None] * sum(counts)
        at, begins = np.cumsum([0, *counts]), np.zeros(sum(counts), np.int64)
        room = max(b - a for those in inputs.windows for _, a, b in those)
        evens = np.array(inputs.evens).T
        work = range(len(inputs.instants)), len(inputs.instants), inputs.instants
        edges = np.array(inputs.edges)
        names["run"](*work, edges[:-1], edges[1:], *evens, begins, at,
                     kernel.splits, kernel.laps, room, out)  # fmt: skip
        assert begins.tolist() == [w[0] for those in inputs.windows for w in those]
    elif graph.roots[0].range == 0:
        bounds = inputs
        starts = np.concatenate([np.array(a) for a, _ in bounds])
        stops = np.concatenate([np.array(b) for _, b in bounds])
        at = np.cumsum([0, *(len(a) for a, _ in bounds)])
        source, room = range(int(stops.max())), int((stops - starts).max())
        out = [None] * len(starts)
        work = source, len(source), starts, stops, at, kernel.splits, kernel.laps
        names["run"](*work, room, out)
        counts = [len(a) for a, _ in bounds]
    else:
        counts = [len(list(windows_of(root, inputs))) for root in graph.roots]
        out = [None] * sum(counts)
        ranges = np.array([root.range for root in graph.roots])
        slides = np.array([root.slide for root in graph.roots])
        at = np.concatenate([[0], np.cumsum(counts)])[:-1]
        runs = np.array([0]), np.array([inputs])
        work = range(inputs), *runs, ranges, slides, at, kernel.splits, kernel.laps
        names["run"](*work, out)
    edges = [0, *np.cumsum(counts)]
    return [out[a:b] for a, b in pairwise(edges)]


# --- by the definition -----------------------------------------------------------


@dataclass(frozen=True)
class Timed:
    """Inputs at instants, which rise within each run [edges[k], edges[k + 1]).

    Window k of a list (range, slide, shift) lasts from shift + k * slide on for its
    range; those count that hold an input of a run.
    """

    instants: np.ndarray[Any, Any]
    edges: tuple[int, ...]
    evens: tuple[tuple[int, int, int], ...]

    @property
    def windows(self) -> list[list[tuple[int, int, int]]]:
        """Where each window of each list begins, and its first input and one past."""
        return [
            [
                window
                for run in pairwise(self.edges)
                for window in self._over(even, *run)
            ]
            for even in self.evens
        ]

    @property
    def bounds(self) -> list[tuple[list[int], list[int]]]:
        """The same without instants."""
        return [([a for _, a, _ in w], [b for _, _, b in w]) for w in self.windows]

    def _over(self, even: Any, first: int, last: int) -> Iterator[tuple[int, int, int]]:
        range_, slide, shift = even
        mine = self.instants[first:last].tolist()
        k = (mine[0] - shift) // slide - range_ // slide - 1
        while shift + k * slide <= mine[-1]:
            begin = shift + k * slide
            there = [first + i for i, at in enumerate(mine) if 0 <= at - begin < range_]
            if there:
                yield begin, there[0], there[-1] + 1
            k += 1


def windows_of(root: Root, inputs: int) -> Iterator[tuple[int, int]]:
    for start in range(0, inputs - root.range + 1, root.slide):
        yield start, start + root.range


def denoted(graph: Graph, inputs: Any) -> list[list[Word]]:
    """The windows of each root by what the graph says."""
    uneven = graph.roots[0].range == 0
    size = max(max(b) for _, b in inputs) if uneven else inputs
    answers = []
    for number, root in enumerate(graph.roots):
        windows = (
            zip(*inputs[number], strict=True) if uneven else windows_of(root, size)
        )
        reading = Reading(graph, root, size)
        answers.append([reading.window(int(a), int(b)) for a, b in windows])
    return answers


class Reading:
    """One root, window after window: stacks and running values remember the last."""

    def __init__(self, graph: Graph, root: Root, size: int) -> None:
        self.graph, self.root, self.size = graph, root, size
        self.flip = self.high = self.totals_flip = 0
        self.last: tuple[int, int] | None = None
        self.values: dict[str, Word] = {}

    def window(self, start: int, stop: int) -> Word:
        nodes = [self.graph.node(term) for term in self.root.terms]
        laps = {node.lap for node in nodes if node.lap > 0}
        if len(laps) > 1:
            raise Unread
        lap = laps.pop() if laps else self.size + 1
        whole = any(n.lap == 0 and n.kind is NodeKind.PREFIX for n in nodes)
        self.b, self.c = start // lap, stop // lap
        self.lap = lap
        same = whole or (bool(laps or lap <= self.size) and self.b == self.c)
        if start >= self.high:
            self.flip = start
        elif start >= self.flip:
            self.flip = self.high
        if self.b + 1 < self.c and self.b + 1 >= self.totals_flip:
            self.totals_flip = self.c
        for node in self.graph.nodes:
            if node.kind is NodeKind.RUNNING:
                self._run(node, start, stop)
        self.high, self.last = max(start, stop), (start, stop)
        terms = self.root.same if same else self.root.last
        if not terms or terms[0].off:
            raise Unread
        word: Word = ()
        for term in terms:
            part = self._read(term, start, stop)
            word = without(word, part) if term.off else joined(word, part)
        return word

    def _run(self, node: Node, start: int, stop: int) -> None:
        even = self.root.range > 0
        fresh = self.last is None or start >= self.high
        value = () if fresh else self.values[node.name]
        low, high = (start, start) if fresh else (self.last[0], self.high)  # type: ignore[index]
        if even and not fresh:
            moves = [(t, stop - 1 if t.at is At.END else start - 1) for t in node.edges]
        else:
            moves = [
                (t, i) for i in range(high, stop) for t in node.edges if t.at is At.END
            ]
            moves += [
                (t, i) for i in range(low, start) for t in node.edges if t.at is At.LEFT
            ]
        for term, i in moves:
            part = letters(i, i + 1)
            value = without(value, part) if term.off else joined(value, part)
        self.values[node.name] = value

    def _check_kept(self, term: Term) -> None:
        """Refuse what is not there: not kept, or not made by then.

        While a lap lasts, only what is made eagerly has its newest place; going back
        over a lap can only be done when it is complete.
        """
        node = self.graph.node(term)
        lazy = node.when is When.LAZY
        kept = node.need is Need.EVERY or (
            node.need is Need.NEWEST and term.at is At.END
        )
        made = lazy if node.kind is NodeKind.SUFFIX else not lazy
        if not kept or not made:
            raise Unread
        for edge in node.edges:
            self._check_kept(edge)

    def _read(self, term: Term, start: int, stop: int) -> Word:
        self._check_kept(term)
        node = self.graph.node(term)
        place = start if term.at is At.START else stop
        if node.kind is NodeKind.INPUT:
            return {
                At.START: letters(start, start + 1),
                At.END: letters(stop - 1, stop),
                At.BETWEEN: letters(start, stop),
            }[term.at]
        if node.kind is NodeKind.RUNNING:
            return self.values[node.name]
        over = self.graph.node(node.edges[0])
        if over.kind is NodeKind.TOTAL:
            return self._stack(node, over)
        if node.lap == USED_UP:
            if node.kind is NodeKind.SUFFIX:
                return self._word(node, start, max(start, self.flip))
            return self._word(node, max(start, self.flip), stop)
        lap = node.lap or self.size + 1
        begin = place // lap * lap
        if node.kind is NodeKind.PREFIX:
            return self._word(node, begin, place)
        return self._word(node, place, begin + lap)

    def _word(self, node: Node, start: int, stop: int) -> Word:
        """The parts [start, stop) as the edges of a scan take them."""
        word: Word = ()
        places = range(start, stop)
        for i in places if node.kind is NodeKind.PREFIX else reversed(places):
            for edge in node.edges:
                part = letters(i, i + 1)
                if node.kind is NodeKind.SUFFIX:
                    word = joined(part, word)
                else:
                    word = without(word, part) if edge.off else joined(word, part)
        return word

    def _stack(self, node: Node, total: Node) -> Word:
        """Totals of laps b + 1 to c - 1: suffixes up to the flip, prefixes after it."""
        if self.b + 1 >= self.c:
            return ()
        first, last = self.b + 1, self.c
        if node.kind is NodeKind.SUFFIX:
            last = min(max(self.totals_flip, first), last)
        else:
            first = max(self.totals_flip, first)
        scan = self.graph.node(total.edges[0])
        word: Word = ()
        for lap in range(first, last):
            whole: Word = ()
            for edge in total.edges:
                part = self._word(scan, lap * self.lap, (lap + 1) * self.lap)
                whole = without(whole, part) if edge.off else joined(whole, part)
            for edge in node.edges:
                word = without(word, whole) if edge.off else joined(word, whole)
        return word
