"""What all windows of an operator share: the compiled module, and how to begin."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from windrow.kernels import is_interpreting
from windrow.plan.policies import Rules

from .inputs import Inputs
from .layout import Memory, empty_memory
from .policies import ANCHOR, EVERY, FURTHEST, RANGE, SINCE, STEP
from .runtime import OperatorKernel


@dataclass(frozen=True)
class Kit:
    """What all windows of an operator share."""

    kind: OperatorKernel
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
        for place, value in _words(self.rules).items():
            made.words[place] = value
        floats = made.sections[layout.named("floats")[0]]
        for place, number in _floats(self.rules).items():
            floats[place] = number
        return made


def _words(rules: Rules) -> dict[int, int]:
    """What stands in the memory of a new window."""
    return {
        RANGE: rules.range,
        EVERY: rules.every,
        ANCHOR: rules.anchor,
        SINCE: rules.since,
    }


def _floats(rules: Rules) -> dict[int, float]:
    """The distances in the memory of a new window."""
    return {FURTHEST: rules.furthest, STEP: rules.step}


__all__ = ["Kit"]
