"""What all windows of an operator share: the compiled module, and how to begin."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from windrow.algorithms._layout import Memory, empty_memory
from windrow.algorithms._operator import Kind
from windrow.kernels import is_interpreting
from windrow.plan.rules import Rules

from .inputs import Inputs


@dataclass(frozen=True)
class Kit:
    """What all windows of an operator share."""

    kind: Kind
    module: ModuleType
    rules: Rules
    inputs: Inputs
    chunk: tuple[int, int]

    @property
    def quick(self) -> bool:
        """Whether an event is one number, and no more."""
        inputs, rules = self.inputs, self.rules
        return (
            len(inputs.bound) == 1
            and len(inputs.slots.columns) == 1
            and len(inputs.slots.masks) < 2
            and not inputs.payloads
            and not rules.columns
            and not rules.punctuated
            and not self.kind.ordered
            and not rules.timed
        )

    @property
    def plain(self) -> bool:
        """Whether the module runs interpreted."""
        return self.kind.product.interpreted or is_interpreting()

    def memory(self, capacity: int) -> Memory:
        """Memory for a window without events."""
        kind = self.kind
        layout, identity = kind.layout, self.module.IDENTITY
        made = empty_memory(
            layout, kind.steps, identity, capacity, chunk=self.chunk, plain=self.plain
        )
        for place, value in self.rules.words().items():
            made.words[place] = value
        floats = made.sections[layout.named("floats")[0]]
        for place, number in self.rules.floats().items():
            floats[place] = number
        return made


__all__ = ["Kit"]
