"""Assembles an operator's kernel: an algorithm's steps, a product, two policies.

OperatorKernel    what the kernel is made for, as a value
WindowProgram     its steps, and what all windows of an operator share
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

import pyarrow as pa

from windrow._later import dataclass
from windrow.algorithms import Algorithm, Stepwise, range_words
from windrow.kernels import Assembly, Product
from windrow.loops import Lane, forced_lane, is_interpreting
from windrow.windows.policy_numbers import DELTA, TIME, PolicyNumbers

from .arena import arena_texts
from .events import EventReader
from .inputs import EventColumns
from .key_loops import KEY_LOOPS
from .layout import Array, Layout, Memory, layout_of, open_text
from .loops import LOOPS, fill_by_steps, move_rings, slide_by_steps
from .many_loops import MANY_LOOPS
from .places import PLACES
from .policies import ANCHOR, EVERY, FURTHEST, INTS, RANGE, SINCE, STEP
from .steps import Kernel, Steps

# An event's way.  As calls they pass partials through memory: for pba 30 ns an event
# with max where it is 10 ns, and 1.9 us with a moment sketch where it is 0.8.
_INLINE = (
    *("insert", "evict", "whole", "put", "make_room_for", "drop_before", "take_event"),
    *("advance", "answer", "since", "take_newest", "find_start", "put_newest"),
    *("begin_later", "drop_oldest"),
)


@dataclass(frozen=True)
class OperatorKernel:
    """What the kernel of an operator is made for."""

    algorithm: Algorithm
    product: Product
    evict: int
    trigger: int
    ordered: bool = False
    many: bool = False

    @property
    def steps(self) -> Stepwise:
        """The algorithm, one event at a time."""
        steps = self.algorithm.steps_for(self.product)
        assert steps is not None
        return (steps.list_form if self.many else None) or steps

    @cached_property
    def layout(self) -> Layout:
        """What the memory of a window looks like."""
        policies = self.evict, self.trigger
        return layout_of(self.product, self.steps, *policies, ordered=self.ordered)

    @property
    def shares(self) -> bool:
        """Whether windows of many keys can stand in one array."""
        objects = any(own.dtype == "object" for own in self.layout.sections)
        return self.steps.fifo and not objects and not self.many

    @property
    def nodes(self) -> tuple[tuple[int, int], ...]:
        """Between which ints places are in use, where events have none."""
        keeps_events = self.ordered or self.evict == DELTA
        return () if keeps_events else self.steps.nodes

    @property
    def interpreted(self) -> bool:
        """Whether the kernel runs as plain Python here."""
        return self.product.interpreted or is_interpreting()

    def steps_in_lane(self) -> Steps:
        """Its loops, in the lane that is asked for now: `LOOPS`, perhaps `PLACES`."""
        return _steps(self, Lane.COLUMNS if self.interpreted else forced_lane())

    def memory(
        self, identity: tuple[Any, ...], capacity: int, chunk: tuple[int, ...]
    ) -> Memory:
        """Memory of a window without events; `chunk` as its plan has it."""
        memory = Memory(self.layout, capacity)
        begin = [*self.steps.begin]
        if self.steps.chunk:
            begin[-4:] = chunk
        memory.words[INTS:] = begin
        for section, field in zip(memory.named("state"), identity, strict=True):
            section[:] = field
        return memory

    def assembly(self, *, interpreted: bool) -> Assembly:
        """What the kernel is made of; memory differs where it runs interpreted."""
        steps = self.steps
        low, high = steps.span
        words: dict[str, Callable[..., Any] | str] = {
            "insert": steps.insert,
            "evict": steps.evict,
            "whole": steps.whole,
            "move": steps.move or move_rings,
            "fill_rows": steps.fill_rows or fill_by_steps,
            "slide_rows": steps.slide_rows or slide_by_steps,
        }
        entries: tuple[Callable[..., Any], ...] = LOOPS
        if self.shares:
            entries += KEY_LOOPS
        if self.many:
            entries += MANY_LOOPS
            words |= {} if steps.part_words else range_words(steps)
        if steps.any_place is not None:
            words |= vars(steps.any_place)
            entries += PLACES
        return Assembly(
            what=f"{self.algorithm.name}, one event at a time",
            product=self.product,
            leaf="events",
            constants=(
                ("EVICT", self.evict),
                ("TRIGGER", self.trigger),
                ("ORDERED", self.ordered),
                ("NUMBERED", not steps.fifo),
                ("NODES", bool(self.nodes)),
                ("RING_FROM", low),
                ("RING_UPTO", high),
            ),
            generated=(
                *(text for text in words.values() if isinstance(text, str)),
                *steps.texts,
                *_state_functions(steps, self.nodes),
                open_text(self.layout, steps, plain=interpreted),
                *arena_texts(self.layout, plain=interpreted),
            ),
            words=tuple((w, f) for w, f in words.items() if not isinstance(f, str)),
            entries=tuple((entry.__name__, entry) for entry in entries),
            part_words=steps.part_words,
            allocates=False,
            inline=(*_INLINE, *(f"{name}_{k}" for name, _, k in steps.part_words)),
        )


@dataclass(frozen=True)
class WindowProgram:
    """What all windows of an operator share: the steps, and how to begin."""

    kernel: OperatorKernel
    steps: Steps
    policies: PolicyNumbers
    columns: EventColumns
    chunk: tuple[int, ...]
    reader: EventReader
    lateness: int

    @property
    def bounds(self) -> Callable[[Array], pa.Array]:
        """How starts and ends of windows are written."""
        write: Callable[[Array], pa.Array] = pa.array
        policies = self.policies
        timed = policies.evict == TIME if self.kernel.many else policies.aligned
        return self.reader.instants if timed else write

    @property
    def takes_numbers(self) -> bool:
        """Whether an event is one number, and no more."""
        columns, policies = self.columns, self.policies
        slots, timed = columns.slots, policies.timed or self.kernel.ordered
        if columns.payloads or policies.columns or policies.punctuated or timed:
            return False
        if columns.masks:
            return False
        return len(columns.bound) == len(slots.columns) == 1 and len(slots.masks) < 2

    def memory(self, capacity: int) -> Memory:
        """Memory for a window without events."""
        kernel, policies = self.kernel, self.policies
        memory = kernel.memory(self.steps.kernel.plain.IDENTITY, capacity, self.chunk)
        words, (floats,) = memory.words, memory.named("floats")
        words[RANGE], words[EVERY] = policies.range, policies.every
        words[ANCHOR], words[SINCE] = policies.anchor, policies.since
        if len(floats):
            floats[FURTHEST], floats[STEP] = policies.furthest, policies.step
        return memory


@lru_cache(maxsize=1024)
def _steps(kernel: OperatorKernel, lane: Lane | None) -> Steps:
    compiled = kernel.assembly(interpreted=False)
    modules = Kernel(compiled, kernel.assembly(interpreted=True))
    return Steps(modules, tuple(name for name, _ in compiled.entries), lane)


def _state_functions(
    steps: Stepwise, nodes: tuple[tuple[int, int], ...]
) -> tuple[str, ...]:
    """`size_of`, `used_of`, `ints_of`, `set_ints`, `state_of`, and the like.

    As text: they make and take tuples of as many items as the algorithm keeps, and
    numba has to see each item.
    """
    count = len(steps.begin)
    ints = "".join(f"words[{INTS + k}], " for k in range(count))
    sets = "\n".join(f"    words[{INTS + k}] = ints[{k}]" for k in range(count))
    state = "".join(f"load(fields, {k}), " for k in range(steps.state))
    puts = "\n".join(f"    store(fields, {k}, state[{k}])" for k in range(steps.state))
    size = f"ints[{steps.live}]" if steps.live is not None else "ints[1] - ints[0]"
    counts = [f"ints[{high}] - ints[{low}]" for low, high in nodes or ((0, 1),)]
    used = counts[0] if len(counts) == 1 else f"max({', '.join(counts)})"
    rings = range(steps.rings)
    numbers = range(steps.rings, steps.rings + steps.numbers)
    copies = [f"    store(wider[{k}], j, load(scratch[{k}], i))" for k in rings]
    if steps.part_words:  # whose parts move by themselves
        copies, numbers = ["    pass"], range(0)
    copies += [f"    wider[{k}][j] = scratch[{k}][i]" for k in numbers]
    return (
        f"def size_of(ints):\n    return {size}",
        f"def used_of(ints):\n    return {used}",
        f"def ints_of(words):\n    return ({ints.rstrip()})",
        f"def set_ints(words, ints):\n{sets}",
        f"def state_of(fields):\n    return ({state.rstrip()})",
        f"def set_state(fields, state):\n{puts or '    pass'}",
        "def copy_event(scratch, i, wider, j):\n" + "\n".join(copies),
    )
