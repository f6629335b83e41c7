"""An operator's memory: one flat array, as RA has it.

    words        0              WORDS
                 |-- header -----|-- kept --|-- rings --|-- numbers --|-- marks --|...
    header       the algorithm's ints, then ranges, clocks and counters (`_policy.py`)
    kept         partials of the algorithm's own, field by field
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

from dataclasses import dataclass
from typing import Any

import numpy as np

from windrow.algorithms._stepwise import Stepwise
from windrow.kernels import Product
from windrow.windows.policy import DELTA

from .policies import FLOATS, MASK, WORDS

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Section:
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


@dataclass(frozen=True)
class Layout:
    """Which sections an operator's memory has, in order."""

    sections: tuple[Section, ...]

    @classmethod
    def of(
        cls, product: Product, steps: Stepwise, evict: int, *, ordered: bool
    ) -> Layout:
        """The layout for an algorithm, a product and an eviction policy."""
        found = [Section("kept", dtype, 0, steps.kept) for dtype in product.dtypes]
        for number in range(steps.rings):
            found += [
                Section(f"ring{number}", dtype, steps.slots) for dtype in product.dtypes
            ]
        found += [Section("number", "int64", 1)] * steps.numbers
        kind = "float64" if evict == DELTA else "int64"
        found.append(Section("marks", kind, int(ordered or evict == DELTA)))
        found.append(Section("ids", "int64", int(not steps.fifo)))
        found.append(Section("floats", "float64", 0, FLOATS))
        found += [Section("out", dtype, 0, 1) for dtype in product.out_dtypes]
        return cls(tuple(found))

    def named(self, name: str) -> list[int]:
        """The numbers of the sections of that name."""
        return [k for k, one in enumerate(self.sections) if one.name == name]


class Memory:
    """The memory of one window: `flat`, or `words` and an array for each section."""

    def __init__(self, layout: Layout, capacity: int, *, plain: bool) -> None:
        self.layout, self.capacity = layout, capacity
        if plain:
            self.words: Array = np.zeros(WORDS, np.int64)
            self.sections = [
                np.zeros(one.length(capacity), one.dtype) for one in layout.sections
            ]
            self.argument: Any = self
        else:
            size = WORDS + sum(one.words(capacity) for one in layout.sections)
            flat = np.zeros(size, np.int64)
            self.words, self.argument = flat[:WORDS], flat
            self.sections, at = [], WORDS
            for one in layout.sections:
                piece = flat[at : at + one.words(capacity)].view(one.dtype)
                self.sections.append(piece[: one.length(capacity)])
                at += one.words(capacity)
        self.words[MASK] = capacity - 1


def empty_memory(
    layout: Layout,
    steps: Stepwise,
    identity: tuple[Any, ...],
    capacity: int,
    *,
    chunk: tuple[int, int],
    plain: bool,
) -> Memory:
    """Memory of a window without events; `chunk`: the range, and a chunk of it."""
    made = Memory(layout, capacity, plain=plain)
    begin = [*steps.begin]
    if steps.chunk:
        begin[-2:] = chunk
    made.words[: len(begin)] = begin
    for place, field in zip(layout.named("kept"), identity, strict=True):
        made.sections[place][:] = field
    return made


def open_text(layout: Layout, steps: Stepwise, *, plain: bool) -> str:
    """Source of `open_memory(mem)`: memory as `_policy.py` has it, and out."""
    lines = []
    if plain:
        lines.append("    words = mem.words")
        lines += [f"    s{k} = mem.sections[{k}]" for k in range(len(layout.sections))]
    else:
        lines += [f"    words = mem[:{WORDS}]", f"    n = words[{MASK}] + 1"]
        lines.append(f"    at = {WORDS}")
        for k, one in enumerate(layout.sections):
            length = f"({one.each} * n + {one.more})"
            size = np.dtype(one.dtype).itemsize
            words = length if size == 8 else f"(({length} * {size} + 7) // 8)"
            kind = "bool_" if one.dtype == "bool" else one.dtype
            lines.append(f"    s{k} = mem[at : at + {words}].view(np.{kind})")
            lines.append(f"    at += {words}")

    def group(name: str) -> str:
        return "(" + "".join(f"s{k}, " for k in layout.named(name)).rstrip() + ")"

    rings = "".join(f"{group(f'ring{r}')}, " for r in range(steps.rings))
    numbers = "".join(f"s{k}, " for k in layout.named("number"))
    scratch = f"({rings}{numbers}words[{MASK}])"
    rest = ", ".join(f"s{layout.named(x)[0]}" for x in ("marks", "floats", "ids"))
    lines.append(f"    memory = (words, {scratch}, {group('kept')}, {rest})")
    lines.append(f"    return memory, {group('out')}")
    return "def open_memory(mem):\n" + "\n".join(lines)
