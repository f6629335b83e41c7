"""An algorithm's steps, a product and two policies, made into one module.

    call_feed, call_rows, call_one, call_quick, call_look, call_drop, call_elapse
    call_move
    call_find, call_place, call_correct, call_remove, call_between    if not FIFO

Each takes the operator's memory as its first argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import Any

from windrow.algorithms._algorithm import Algorithm
from windrow.algorithms._fat_steps import correct, remove
from windrow.algorithms._stepwise import Stepwise
from windrow.kernels import (
    ENTRY,
    JIT,
    Product,
    Text,
    add_emit,
    add_lift_one,
    add_partial,
    is_interpreting,
    kernel,
    titles,
    user_functions,
)
from windrow.windows.policy import DELTA

from . import policies
from .layout import Layout, open_text
from .places import answer_between, find, place_late


@dataclass(frozen=True)
class Kind:
    """What an operator's module is made for."""

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
    def layout(self) -> Layout:
        """What the memory of a window looks like."""
        ordered = self.ordered
        return Layout.of(self.product, self.steps, self.evict, ordered=ordered)


# An event's way.  As calls they pass partials through memory: for pba 30 ns an event
# with max where it is 10 ns, and 1.9 us with a moment sketch where it is 0.8.
_INLINE = ("insert", "evict", "whole", "put", "make_room_for", "drop_before")

_CALLS = """
{entry}
def call_feed(mem, source, events, i, count, out, begins, ends):
    memory, _ = open_memory(mem)
    return feed(memory, source, events, i, count, out, begins, ends)


{entry}
def call_one(mem, tick, mark{given}):
    memory, out = open_memory(mem)
    value = lift_one(memory[0][{total}]{given})
    return one(memory, value, tick, mark, out)


{entry}
def call_quick(mem, {first}):
    memory, out = open_memory(mem)
    value = lift_one(memory[0][{total}], {quick})
    return one(memory, value, 0, 0.0, out)


{entry}
def call_rows(mem, source, count, out):
    memory, _ = open_memory(mem)
    return feed_rows(memory, source, count, out)


{entry}
def call_look(mem):
    memory, out = open_memory(mem)
    return look(memory, out)


{entry}
def call_drop(mem, many):
    memory, _ = open_memory(mem)
    return drop(memory, many)


{entry}
def call_elapse(mem, tick, out, begins, ends):
    memory, _ = open_memory(mem)
    return elapse(memory, tick, out, begins, ends)
"""

_MOVE_RINGS = """
{jit}
def move(scratch, ints, wider):
    mask, new_mask = scratch[-1], wider[-1]
    for i in range(ints[{low}], ints[{high}]):
{copies}
    return ints
"""

_CALL_MOVE = """
{entry}
def call_move(mem, new):
    (words, scratch, fields, marks, floats, ids), _ = open_memory(mem)
    (new_words, wider, new_fields, new_marks, new_floats, new_ids), _ = open_memory(new)
    for k in range({words}):
        if k != {mask}:
            new_words[k] = words[k]
    for k in range(len(floats)):
        new_floats[k] = floats[k]
    old, mask, new_mask = ints_of(words), scratch[-1], wider[-1]
    at = old[0]
    for i in range(old[0], old[1]):
        if {alive}:
{carried}
            at += 1
    set_ints(new_words, move(scratch, old, wider))
    set_kept(new_fields, kept_of(fields))
"""

_CALLS_BY_PLACE = """
{entry}
def call_find(mem, tick, number):
    memory, _ = open_memory(mem)
    return find(memory, tick, number)


{entry}
def call_place(mem, tick{given}):
    memory, _ = open_memory(mem)
    return place_late(memory, lift_one(memory[0][{total}]{given}), tick)


{entry}
def call_correct(mem, place, position{given}):
    memory, _ = open_memory(mem)
    words, scratch = memory[0], memory[1]
    set_ints(words, correct(scratch, ints_of(words), place, lift_one(position{given})))


{entry}
def call_remove(mem, place):
    words, scratch, fields, _, _, _ = open_memory(mem)[0]
    set_ints(words, remove(scratch, ints_of(words), kept_of(fields), place))


{entry}
def call_between(mem, first, last):
    memory, out = open_memory(mem)
    return answer_between(memory, first, last, out)
"""


def operator_text(kind: Kind, *, plain: bool) -> str:
    """The source of the module."""
    product, steps = kind.product, kind.steps
    title = f"{kind.algorithm.name}, one event at a time: {titles(product.outputs)}."
    text = Text(title, _INLINE)
    text.add(
        f"EVICT = {kind.evict}\nTRIGGER = {kind.trigger}\n"
        f"ORDERED = {kind.ordered}\nNUMBERED = {not steps.fifo}"
    )
    add_partial(text, product)
    given = add_lift_one(text, product)
    add_emit(text, product, tail=False)
    text.add(f"# {kind.algorithm.title}")
    for function in (steps.insert, steps.evict, steps.whole):
        _take(text, function)
    text.add(_state_text(steps))
    text.add(f"{JIT}\n{open_text(kind.layout, steps, plain=plain)}")
    for name in ("feed", "feed_rows", "one", "look", "drop", "elapse"):
        _take(text, getattr(policies, name))
    arguments = "".join(f", {name}" for name in given)
    form = {
        "entry": ENTRY,
        "given": arguments,
        "total": policies.TOTAL,
        "first": given[0] if given else "v0",
        "quick": ", ".join([*given[:1], *(["True"] * len(given[1:]))]),
    }
    text.add(_CALLS.format(**form))
    if not steps.fifo:
        for function in (correct, remove, find, place_late, answer_between):
            _take(text, function)
        text.add(_CALLS_BY_PLACE.format(**form))
    _add_move(text, kind)
    return text.render()


def compile_operator(kind: Kind) -> ModuleType:
    """The module, ready to be called."""
    return _compiled(kind, kind.product.interpreted or is_interpreting())


@lru_cache(maxsize=256)
def _compiled(kind: Kind, plain: bool) -> ModuleType:
    text = operator_text(kind, plain=plain)
    users = user_functions(kind.product, compiled=not plain)
    return kernel(text, users, interpreted=plain)


def _state_text(steps: Stepwise) -> str:
    """`size_of`, `ints_of`, `set_ints`, `kept_of`, `set_kept`."""
    count = len(steps.begin)
    ints = "".join(f"words[{k}], " for k in range(count))
    sets = "\n".join(f"    words[{k}] = ints[{k}]" for k in range(count))
    kept = "".join(f"load(fields, {k}), " for k in range(steps.kept))
    puts = "\n".join(f"    store(fields, {k}, kept[{k}])" for k in range(steps.kept))
    size = f"ints[{steps.live}]" if steps.live is not None else "ints[1] - ints[0]"
    blocks = [
        f"def size_of(ints):\n    return {size}",
        f"def ints_of(words):\n    return ({ints.rstrip()})",
        f"def set_ints(words, ints):\n{sets}",
        f"def kept_of(fields):\n    return ({kept.rstrip()})",
        f"def set_kept(fields, kept):\n{puts or '    pass'}",
    ]
    return "\n\n\n".join(f"{JIT}\n{block}" for block in blocks)


def _add_move(text: Text, kind: Kind) -> None:
    steps = kind.steps
    if steps.move is not None:
        _take(text, steps.move)
    else:
        low, high = steps.span
        copies = [
            f"        store(wider[{r}], i & new_mask, load(scratch[{r}], i & mask))"
            for r in range(steps.rings)
        ]
        copies += [
            f"        wider[{k}][i & new_mask] = scratch[{k}][i & mask]"
            for k in range(steps.rings, steps.rings + steps.numbers)
        ]
        joined = "\n".join(copies)
        text.add(_MOVE_RINGS.format(jit=JIT, low=low, high=high, copies=joined))
    carried = []
    if kind.ordered or kind.evict == DELTA:
        carried.append("            new_marks[at & new_mask] = marks[i & mask]")
    if not steps.fifo:
        carried.append("            new_ids[at & new_mask] = ids[i & mask]")
    text.add(
        _CALL_MOVE.format(
            entry=ENTRY,
            words=policies.WORDS,
            mask=policies.MASK,
            alive="True" if steps.fifo else "scratch[1][i & mask] == 1",
            carried="\n".join(carried) or "            pass",
        )
    )


def _take(text: Text, function: Callable[..., Any]) -> str:
    assert isinstance(function, FunctionType)
    return text.take(function, keep_name=True)


__all__ = ["Kind", "compile_operator", "operator_text"]
