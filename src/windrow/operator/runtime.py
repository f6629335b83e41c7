"""Assembles an operator's kernel: an algorithm's steps, a product, two policies.

OperatorKernel    what the kernel is made for, as a value
WindowProgram     the kernel, compiled, and what all windows of an operator share
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from windrow.algorithms import Algorithm, Stepwise
from windrow.kernels import Assembly, Named, Product, is_interpreting
from windrow.windows.policy_numbers import PolicyNumbers

from .entries import ANY_PLACE_ENTRIES, ENTRIES, move_rings
from .inputs import EventColumns
from .layout import Memory, MemoryLayout, empty_memory, open_text
from .policies import ANCHOR, EVERY, FURTHEST, RANGE, SINCE, STEP

# An event's way.  As calls they pass partials through memory: for pba 30 ns an event
# with max where it is 10 ns, and 1.9 us with a moment sketch where it is 0.8.
_INLINE = ("insert", "evict", "whole", "put", "make_room_for", "drop_before")


@dataclass(frozen=True)
class OperatorKernel:
    """What the kernel of an operator is made for."""

    algorithm: Algorithm
    product: Product
    evict: int
    trigger: int
    ordered: bool = False

    @property
    def steps(self) -> Stepwise:
        """The algorithm, one event at a time."""
        assert self.algorithm.steps is not None
        return self.algorithm.steps

    @property
    def layout(self) -> MemoryLayout:
        """What the memory of a window looks like."""
        ordered = self.ordered
        return MemoryLayout.of(self.product, self.steps, self.evict, ordered=ordered)

    def assembly(self, *, interpreted: bool) -> Assembly:
        """What the kernel is made of; memory differs where it runs interpreted."""
        steps = self.steps
        low, high = steps.span
        entries = ENTRIES if steps.fifo else ENTRIES + ANY_PLACE_ENTRIES
        return Assembly(
            what=f"{self.algorithm.name}, one event at a time",
            product=self.product,
            leaf="events",
            constants=(
                ("EVICT", self.evict),
                ("TRIGGER", self.trigger),
                ("ORDERED", self.ordered),
                ("NUMBERED", not steps.fifo),
                ("RING_FROM", low),
                ("RING_UPTO", high),
            ),
            generated=(
                *_state_functions(steps),
                open_text(self.layout, steps, plain=interpreted),
            ),
            words=_words(steps),
            entries=tuple((entry.__name__, entry) for entry in entries),
            inline=_INLINE,
        )


def compile_operator(kernel: OperatorKernel) -> ModuleType:
    """The kernel, ready to be called: its entries are those of `entries.py`."""
    interpreted = kernel.product.interpreted or is_interpreting()
    return kernel.assembly(interpreted=interpreted).module()


@dataclass(frozen=True)
class WindowProgram:
    """What all windows of an operator share: the compiled module, and how to begin."""

    kernel: OperatorKernel
    module: ModuleType
    policies: PolicyNumbers
    columns: EventColumns
    chunk: tuple[int, int]

    @property
    def takes_numbers(self) -> bool:
        """Whether an event is one number, and no more."""
        columns, policies = self.columns, self.policies
        return (
            len(columns.bound) == 1
            and len(columns.slots.columns) == 1
            and len(columns.slots.masks) < 2
            and not columns.payloads
            and not policies.columns
            and not policies.punctuated
            and not self.kernel.ordered
            and not policies.timed
        )

    def memory(self, capacity: int) -> Memory:
        """Memory for a window without events."""
        kernel, policies = self.kernel, self.policies
        layout = kernel.layout
        memory = empty_memory(
            layout,
            kernel.steps,
            self.module.IDENTITY,
            capacity,
            chunk=self.chunk,
            plain=kernel.product.interpreted or is_interpreting(),
        )
        words = {
            RANGE: policies.range,
            EVERY: policies.every,
            ANCHOR: policies.anchor,
            SINCE: policies.since,
        }
        for place, number in words.items():
            memory.words[place] = number
        floats = memory.sections[layout.named("floats")[0]]
        floats[FURTHEST], floats[STEP] = policies.furthest, policies.step
        return memory


def _words(steps: Stepwise) -> Named:
    words = {
        "insert": steps.insert,
        "evict": steps.evict,
        "whole": steps.whole,
        "move": steps.move or move_rings,
    }
    if steps.any_place is not None:
        words |= {
            "correct": steps.any_place.correct,
            "remove": steps.any_place.remove,
            "make_way": steps.any_place.make_way,
            "between": steps.any_place.between,
        }
    return tuple(words.items())


def _state_functions(steps: Stepwise) -> tuple[str, ...]:
    """`size_of`, `ints_of`, `set_ints`, `state_of`, `set_state`, `copy_event`.

    As text: they make and take tuples of as many items as the algorithm keeps, and
    numba has to see each item.
    """
    count = len(steps.begin)
    ints = "".join(f"words[{k}], " for k in range(count))
    sets = "\n".join(f"    words[{k}] = ints[{k}]" for k in range(count))
    state = "".join(f"load(fields, {k}), " for k in range(steps.state))
    puts = "\n".join(f"    store(fields, {k}, state[{k}])" for k in range(steps.state))
    size = f"ints[{steps.live}]" if steps.live is not None else "ints[1] - ints[0]"
    copies = [
        f"    store(wider[{ring}], j, load(scratch[{ring}], i))"
        for ring in range(steps.rings)
    ]
    copies += [
        f"    wider[{ring}][j] = scratch[{ring}][i]"
        for ring in range(steps.rings, steps.rings + steps.numbers)
    ]
    return (
        f"def size_of(ints):\n    return {size}",
        f"def ints_of(words):\n    return ({ints.rstrip()})",
        f"def set_ints(words, ints):\n{sets}",
        f"def state_of(fields):\n    return ({state.rstrip()})",
        f"def set_state(fields, state):\n{puts or '    pass'}",
        "def copy_event(scratch, i, wider, j):\n" + "\n".join(copies),
    )


__all__ = ["OperatorKernel", "WindowProgram", "compile_operator"]
