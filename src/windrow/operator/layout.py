"""Lays an operator's memory out: one flat array, as RA has it.

    words        0              WORDS
                 |-- header -----|-- state --|-- rings --|-- numbers --|-- marks --|...
    header       the algorithm's ints, then ranges, clocks and counters (`policies.py`)
    state        partials of the algorithm's own, field by field
    rings        partials of the events, field by field
    numbers      the algorithm's rings of whole numbers
    marks        what each event is evicted by: its instant, or its attribute
    ids          the numbers of events, where any of them can be found again
    floats       distances and attributes
    out          room for one result

One array is one argument: a call from Python costs 0.3 us, where six arrays cost 0.7.
Sections are views into it, at places that follow from the capacity alone; where a
user's functions run interpreted, partials are Python objects, and each section is an
array of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windrow.algorithms import Stepwise
from windrow.kernels import Product
from windrow.windows.policy_numbers import DELTA

from .policies import FLOATS, MASK, WORDS

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


Layout = list[Section]


def layout_of(
    product: Product, steps: Stepwise, evict: int, *, ordered: bool
) -> Layout:
    """The sections that an operator's memory has, in order."""
    fields, marks = product.dtypes, "float64" if evict == DELTA else "int64"
    rings = [f"ring{number}" for number in range(steps.rings)]
    return [
        *(Section("state", dtype, 0, steps.state) for dtype in fields),
        *(Section(ring, dtype, steps.slots) for ring in rings for dtype in fields),
        *[Section("number", "int64", 1)] * steps.numbers,
        Section("marks", marks, int(ordered or evict == DELTA)),
        Section("ids", "int64", int(not steps.fifo)),
        Section("floats", "float64", 0, FLOATS),
        *(Section("out", dtype, 0, 1) for dtype in product.out_dtypes),
    ]


class Memory:
    """The memory of one window: `flat`, or `words` and an array for each section."""

    def __init__(self, layout: Layout, capacity: int, *, plain: bool) -> None:
        self.layout, self.capacity = layout, capacity
        if plain:
            self.words: Array = np.zeros(WORDS, np.int64)
            self.sections = [
                np.zeros(section.length(capacity), section.dtype) for section in layout
            ]
            self.argument: Any = self
        else:
            sizes = [section.words(capacity) for section in layout]
            flat = np.zeros(WORDS + sum(sizes), np.int64)
            self.words, self.argument = flat[:WORDS], flat
            self.sections, at = [], WORDS
            for section, size in zip(layout, sizes, strict=True):
                piece = flat[at : at + size].view(section.dtype)
                self.sections.append(piece[: section.length(capacity)])
                at += size
        self.words[MASK] = capacity - 1

    def named(self, name: str) -> list[Array]:
        """The sections of that name."""
        pairs = zip(self.layout, self.sections, strict=True)
        return [array for section, array in pairs if section.name == name]

    def copy_from(self, other: Memory) -> None:
        """Take over what memory of the same layout and capacity holds."""
        self.words[:] = other.words
        for section, source in zip(self.sections, other.sections, strict=True):
            section[:] = source


def open_text(layout: Layout, steps: Stepwise, *, plain: bool) -> str:
    """Source of `open_memory(mem)`: memory as `policies.py` has it, and out.

    As text: it makes tuples of as many views as there are sections, each of its own
    type, and numba has to see each.
    """
    if plain:
        lines = ["    words = mem.words"]
        lines += [f"    s{k} = mem.sections[{k}]" for k in range(len(layout))]
    else:
        lines = [f"    words = mem[:{WORDS}]", f"    n = words[{MASK}] + 1"]
        lines.append(f"    at = {WORDS}")
        for k, section in enumerate(layout):
            length = f"({section.each} * n + {section.more})"
            size = np.dtype(section.dtype).itemsize
            words = length if size == 8 else f"(({length} * {size} + 7) // 8)"
            kind = "bool_" if section.dtype == "bool" else section.dtype
            lines.append(f"    s{k} = mem[at : at + {words}].view(np.{kind})")
            lines.append(f"    at += {words}")

    def views(name: str) -> str:
        return "".join(f"s{k}, " for k, own in enumerate(layout) if own.name == name)

    def group(name: str) -> str:
        return f"({views(name).rstrip()})"

    rings = "".join(f"{group(f'ring{r}')}, " for r in range(steps.rings))
    scratch = f"({rings}{views('number')}words[{MASK}])"
    rest = f"{views('marks')}{views('floats')}{views('ids')}".rstrip(", ")
    lines.append(f"    memory = (words, {scratch}, {group('state')}, {rest})")
    lines.append(f"    return memory, {group('out')}")
    return "def open_memory(mem):\n" + "\n".join(lines)
