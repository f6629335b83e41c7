"""Lays an operator's memory out: one flat array, as RA has it.

    words        |-- header --|-- state --|-- rings --|-- numbers --|-- marks --|...
    header       ranges, clocks and counters (`policies.py`), then the algorithm's ints
    state        partials of the algorithm's own, field by field
    rings        partials of the events, field by field
    numbers      the algorithm's rings of whole numbers
    marks        what each event is evicted by: its instant, or its attribute
    ids          the numbers of events, where any of them can be found again
    floats       distances and attributes
    out          room for one result

One array is one argument: a call from Python costs 0.3 us, where six arrays cost 0.7.
Sections are views into it, at places that follow from the capacity alone.  Plain Python
works in the same memory; only where partials are Python objects is each section an
array of its own.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from windrow.algorithms import Stepwise
from windrow.kernels import Product
from windrow.windows.policy_numbers import DELTA

from .policies import FLOATS, INTS, MASK

Array = np.ndarray[Any, Any]


class Section(NamedTuple):
    """`each` entries for each place of the rings, and `more` beside them."""

    name: str
    dtype: str
    each: int
    more: int = 0

    def length(self, capacity: int) -> int:
        """Entries at that capacity."""
        return self.each * capacity + self.more

    def words(self, capacity: int) -> int:
        """Words at that capacity."""
        return -(-self.length(capacity) * np.dtype(self.dtype).itemsize // 8)

    @property
    def words_text(self) -> str:
        """The same as an expression in n."""
        length = f"({self.each} * n + {self.more})"
        size = np.dtype(self.dtype).itemsize
        return length if size == 8 else f"(({length} * {size} + 7) // 8)"


class Layout(NamedTuple):
    """How many words the header has, and the sections after it, in order."""

    header: int
    sections: tuple[Section, ...]

    def words(self, capacity: int) -> int:
        """Words of a window with so many places."""
        return self.header + sum(own.words(capacity) for own in self.sections)

    def without_result(self) -> Layout:
        """The same without room for a result, for windows that share one."""
        sections = [
            own._replace(more=0) if own.name == "out" else own for own in self.sections
        ]
        return Layout(self.header, tuple(sections))


def layout_of(
    product: Product, steps: Stepwise, evict: int, trigger: int, *, ordered: bool
) -> Layout:
    """The memory of an operator's window."""
    fields, marks = product.dtypes, "float64" if evict == DELTA else "int64"
    spans = steps.ring_fields or [(0, len(fields))] * steps.rings
    rings = [
        Section(f"ring{number}", dtype, steps.slots)
        for number, (start, stop) in enumerate(spans)
        for dtype in fields[start:stop]
    ]
    floats = FLOATS if DELTA in (evict, trigger) else 0
    sections = (
        *(Section("state", dtype, 0, steps.state) for dtype in fields),
        *rings,
        *[Section("number", "int64", 1)] * steps.numbers,
        Section("marks", marks, int(ordered or evict == DELTA)),
        Section("ids", "int64", int(not steps.fifo)),
        Section("floats", "float64", 0, floats),
        *(Section("out", dtype, 0, 1) for dtype in product.out_dtypes),
    )
    return Layout(INTS + len(steps.begin), sections)


@lru_cache(maxsize=1024)
def _pieces(
    layout: Layout, capacity: int
) -> tuple[list[tuple[int, int, np.dtype[Any], int]], int, bool]:
    """Where sections begin and stop, their types and lengths; the words of all.

    Sections of Python objects stand outside of them.
    """
    objects = any(section.dtype == "object" for section in layout.sections)
    pieces, at = [], layout.header
    for section in layout.sections:
        size = 0 if objects else section.words(capacity)
        dtype = np.dtype(section.dtype)
        pieces.append((at, at + size, dtype, section.length(capacity)))
        at += size
    return pieces, at, objects


class Memory:
    """The memory of one window, for machine code and for plain Python.

    `flat` is what machine code takes; `words` and `sections` are views into it, and
    `views` the same as Python reads them fastest, and as its own numbers.
    """

    def __init__(
        self, layout: Layout, capacity: int, flat: Array | None = None
    ) -> None:
        self.layout, self.capacity = layout.sections, capacity
        pieces, total, objects = _pieces(layout, capacity)
        self.flat = np.zeros(total, np.int64) if flat is None else flat
        self.words = self.flat[: layout.header]
        self.sections = [
            np.zeros(length, dtype)
            if objects
            else self.flat[start:stop].view(dtype)[:length]
            for start, stop, dtype, length in pieces
        ]
        self.words[MASK] = capacity - 1

    @cached_property
    def views(self) -> tuple[Any, ...]:
        """Words, then the sections."""
        pairs = zip(self.layout, self.sections, strict=True)
        return self.words.data, *(
            array if section.dtype == "object" else array.data
            for section, array in pairs
        )

    def snapshot(self) -> Array:
        """All words, to be put back should a call fail."""
        return self.flat.copy()

    def undo(self, before: Array) -> None:
        """Have the words again that `snapshot` gave."""
        self.flat[:] = before

    def named(self, name: str) -> list[Array]:
        """The sections of that name."""
        pairs = zip(self.layout, self.sections, strict=True)
        return [array for section, array in pairs if section.name == name]


class MemoryList:
    """The memories of windows that are not alike in size, one after the other.

    A slice between the ends of two is a memory, in plain Python as in machine code.
    """

    def __init__(self, sizes: list[int]) -> None:
        self.ends = np.cumsum(sizes)
        self.flat = np.zeros(int(self.ends[-1]), np.int64)
        self.memories: dict[int, Memory] = {}

    def __getitem__(self, part: slice) -> Memory:
        return self.memories[int(part.start)]

    def add(self, memory: Memory, layout: Layout) -> Memory:
        """Take a memory in, at the next place."""
        at = int(self.ends[len(self.memories) - 1]) if self.memories else 0
        flat = self.flat[at : at + len(memory.flat)]
        flat[:] = memory.flat
        own = self.memories[at] = Memory(layout, memory.capacity, flat)
        return own


def open_text(layout: Layout, steps: Stepwise, *, plain: bool) -> str:
    """Source of `open_memory(mem)`: memory as `policies.py` has it, and out.

    As text: it makes tuples of as many views as there are sections, each of its own
    type, and numba has to see each.
    """
    header, sections = layout
    if plain:
        names = ", ".join(["words", *(f"s{k}" for k in range(len(sections)))])
        lines = [f"    {names} = mem.views"]
    else:
        lines = [f"    words = mem[:{header}]", f"    n = words[{MASK}] + 1"]
        lines.append(f"    at = {header}")
        for k, section in enumerate(sections):
            words = section.words_text
            kind = "bool_" if section.dtype == "bool" else section.dtype
            lines.append(f"    s{k} = mem[at : at + {words}].view(np.{kind})")
            lines.append(f"    at += {words}")

    def views(name: str) -> str:
        return "".join(f"s{k}, " for k, own in enumerate(sections) if own.name == name)

    def group(name: str) -> str:
        return f"({views(name).rstrip()})"

    rings = "".join(f"{group(f'ring{r}')}, " for r in range(steps.rings))
    scratch = f"({rings}{views('number')}words[{MASK}])"
    rest = f"{views('marks')}{views('floats')}{views('ids')}".rstrip(", ")
    lines.append(f"    memory = (words, {scratch}, {group('state')}, {rest})")
    lines.append(f"    return memory, {group('out')}")
    return "def open_memory(mem):\n" + "\n".join(lines)
