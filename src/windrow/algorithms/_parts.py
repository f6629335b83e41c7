"""Lets each part of a product go its own way, all of them in one pass.

    partial      (min | max | count, total | total)     range, mean and a float sum
    ways          deque deque  running       stacks

    deque        a part that selects: nodes that can still be an answer
    running      a part with an exact inverse: the oldest is taken off
    stacks       any other part: suffixes up to a flip, a sum from it on

A part has the step functions of one algorithm over its own fields (`combine_0`,
`load_0`, ...), its own rings, and its own whole numbers beside the places of the
window, which all parts share:

    ints         F, E | head, tail | head, tail | flip
    state        one partial of the product: what each part has of its own
    scratch      a ring for each part, rings of numbers, the mask

The functions that call all of them are text: they take tuples apart field by field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from windrow._later import dataclass
from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    answer,
    begin_steps,
    emit,
    evict,
    insert,
    keep_of,
    leaf,
    make_answers,
    query_of,
    start_of,
    stop_of,
    take_newest,
    whole,
)

from ._ranges import (
    RULE,
    RUNNING_WORDS,
    SINCE_WORDS,
    STACK_WORDS,
    begin_first,
    begin_later,
    drop_oldest,
)
from ._ring import ring
from ._stepwise import Stepwise

if TYPE_CHECKING:
    from windrow.kernels import Product, ProductPart

Words = dict[str, Callable[..., Any]]


@dataclass(frozen=True)
class Ways:
    """The step forms by which parts of a product may go."""

    deque: Stepwise
    running: Stepwise
    stacks: Stepwise

    def of(self, part: ProductPart) -> Stepwise:
        """The way of a part, by its laws."""
        laws = part.request.aggregate.laws
        if Law.SELECTIVE in laws:
            return self.deque
        return self.running if part.undoable else self.stacks


@lru_cache(maxsize=256)
def steps_by_parts(product: Product, ways: Ways) -> Stepwise:
    """The steps of a product whose parts go their own way."""
    steps = [ways.of(part) for part in product.parts]
    lists = [own.list_form or own for own in steps]
    list_form = _joined(product, lists, [range_words(own) for own in lists])
    return replace(_joined(product, steps), list_form=list_form)


def range_words(steps: Stepwise) -> Words:
    """The words by which an algorithm answers several ranges."""
    if steps.since is not None:
        return SINCE_WORDS | {"since": steps.since}
    return RUNNING_WORDS if steps.running else STACK_WORDS


def _joined(
    product: Product, steps: Sequence[Stepwise], ranges: Sequence[Words] = ()
) -> Stepwise:
    """The steps of all parts as one, with words for several ranges of each."""
    parts = list(zip(product.parts, steps, strict=True))
    firsts = np.cumsum([2, *(len(own.begin) - 2 for own in steps)]).tolist()
    numbers = np.cumsum([len(steps), *(own.numbers for own in steps)]).tolist()
    owns: list[_Own] = []
    functions: list[tuple[str, Any, int]] = []
    for k, (part, own) in enumerate(parts):
        more = [f"ints[{i}]" for i in range(firsts[k], firsts[k + 1])]
        rings = [f"scratch[{i}]" for i in range(numbers[k], numbers[k + 1])]
        fields = f"[{part.offset}:{part.stop}]"
        owns.append(
            _Own(
                k,
                fields,
                f"({', '.join([f'scratch[{k}]', *rings, 'scratch[-1]'])})",
                f"({', '.join(['ints[0]', 'ints[1]', *more])})",
                f"(state[0]{fields},)" if own.state else "()",
                f"s{k}[0]" if own.state else f"state[0]{fields}",
                [f"i{k}[{i}]" for i in range(2, len(own.begin))],
            )
        )
        words = {"insert": own.insert, "evict": own.evict, "whole": own.whole}
        words |= ranges[k] if ranges else {}
        functions += [(name, function, k) for name, function in words.items()]
    has_state = any(own.state for own in steps)
    nodes = [
        (first + low - 2, first + high - 2)
        for first, own in zip(firsts, steps, strict=False)
        for low, high in own.nodes
    ]
    return Stepwise(
        insert=_step_text("insert", ", value, tick", owns, has_state=has_state),
        evict=_step_text("evict", "", owns, has_state=has_state),
        whole=_answer_text(
            "whole(scratch, ints, state)", "whole_{k}({scratch}, {ints}, {state})", owns
        ),
        move=_move_text(owns, steps, firsts, numbers),
        begin=(0,) * firsts[-1],
        nodes=tuple(nodes) if len(nodes) == len(steps) else (),
        state=int(has_state),
        rings=len(steps),
        numbers=numbers[-1] - len(steps),
        ring_fields=tuple((part.offset, part.stop) for part in product.parts),
        answer_rooms=tuple(
            (int(own.since is None), int(own.stacks))
            for part, own in parts
            for _ in part.dtypes
        ),
        stacks=any(own.stacks for own in steps),
        part_words=tuple(functions),
        texts=(
            *(_range_texts(owns) if ranges else ()),
            _begin_text(firsts[-1], has_state=has_state),
        ),
    )


@dataclass(frozen=True)
class _Own:
    """How one part is written in the text of a function for all parts."""

    k: int
    fields: str
    scratch: str
    ints: str
    state: str
    new_state: str
    new_ints: list[str]

    def fill(self, form: str) -> str:
        return form.format(**vars(self))


def _step_text(name: str, more: str, owns: Sequence[_Own], *, has_state: bool) -> str:
    """`insert` or `evict`: one after the other, over the places before the step."""
    lines = [f"def {name}(scratch, ints, state{more}):"]
    for own in owns:
        given = more.replace("value", f"value{own.fields}")
        call = f"{name}_{own.k}({own.scratch}, {own.ints}, {own.state}{given})"
        lines.append(f"    i{own.k}, s{own.k} = {call}")
    ints = ["i0[0]", "i0[1]", *(i for own in owns for i in own.new_ints)]
    state = " + ".join(own.new_state for own in owns)
    lines.append(
        f"    return ({', '.join(ints)}), {f'({state},)' if has_state else 'state'}"
    )
    return "\n".join(lines)


def _answer_text(head: str, form: str, owns: Iterable[_Own]) -> str:
    """The partials of all parts, side by side."""
    partials = " + ".join(f"{own.fill(form)}[0]" for own in owns)
    return f"def {head}:\n    return {partials}, ints, state"


def _range_texts(owns: Sequence[_Own]) -> tuple[str, ...]:
    """The words for several ranges; `answers` are fields, of which each has its own."""
    answers = "q, rules, answers{fields}"
    calls = {
        "advance(scratch, ints, q, rules, answers, start)": (
            f"advance_{{k}}({{scratch}}, {{ints}}, {answers}, start)"
        ),
        "begin_range(scratch, ints, q, rules, answers)": (
            f"begin_range_{{k}}({{scratch}}, {{ints}}, {answers})"
        ),
        "take_newest(rules, answers, value)": (
            "take_newest_{k}(rules, answers{fields}, value{fields})"
        ),
    }
    texts = [
        "\n".join([f"def {head}:", *(f"    {own.fill(form)}" for own in owns)])
        for head, form in calls.items()
    ]
    head = "answer(scratch, ints, state, q, rules, answers)"
    form = f"answer_{{k}}({{scratch}}, {{ints}}, {{state}}, {answers})"
    return (*texts, _answer_text(head, form, owns))


def _move_text(
    owns: Sequence[_Own],
    steps: Sequence[Stepwise],
    firsts: Sequence[int],
    numbers: Sequence[int],
) -> str:
    """`move`: the ring of each part, between the places that are in use."""
    lines = [
        "def move(scratch, ints, wider):",
        "    mask, new = scratch[-1], wider[-1]",
    ]
    for own, part, first, number in zip(owns, steps, firsts, numbers, strict=False):
        low, high = (i if i < 2 else first + i - 2 for i in part.span)
        lines.append(f"    for i in range(ints[{low}], ints[{high}]):")
        load = f"load_{own.k}(scratch[{own.k}], i & mask)"
        lines.append(f"        store_{own.k}(wider[{own.k}], i & new, {load})")
        lines += [
            f"        wider[{n}][i & new] = scratch[{n}][i & mask]"
            for n in range(number, number + part.numbers)
        ]
    return "\n".join([*lines, "    return ints"])


def _begin_text(count: int, *, has_state: bool) -> str:
    zeros = ", ".join(["np.int64(0)"] * count)
    state = "(IDENTITY,)" if has_state else "()"
    return f"def begin_steps():\n    return ({zeros}), {state}"


# --- the same over arrays ---------------------------------------------------------


def by_parts(steps: Stepwise) -> dict[str, Any]:
    """What the assembly of a kernel over arrays has to name."""
    texts = (steps.insert, steps.evict, steps.whole, *steps.texts)
    inline = ("insert", "evict", "whole", "advance", "answer", "take_newest", "since")
    return {
        "part_words": steps.part_words,
        "generated": (*texts, *_array_texts(steps)),
        "helpers": (ring,),
        "inline": tuple(f"{word}_{k}" for word in inline for k in range(steps.rings)),
    }


def _array_texts(steps: Stepwise) -> tuple[str, ...]:
    """`prepare` and `make_answers`: memory as an operator has it, but no operator."""
    rings = "".join(f"allocate_{k}(size), " for k in range(steps.rings))
    rings += "np.empty(size, np.int64), " * steps.numbers
    rooms = []
    for k, (start, _) in enumerate(steps.ring_fields):
        one, stacks = steps.answer_rooms[start]
        rooms.append(f"allocate_{k}(count * {'(1 + places)' if stacks else one})")
    size = "    size = ring(widest)\n"
    return (
        f"def prepare(widest, chunk):\n{size}    return ({rings}size - 1)",
        f"def make_answers(count, places):\n    return {' + '.join(rooms)}",
    )


def slide_steps(source, bounds, count, at, scratch, out):
    """Windows over arrays, event by event: the oldest leave before new ones come."""
    ints, state = begin_steps()
    start = stop = 0
    for i in range(count):
        first, last = start_of(bounds, i), stop_of(bounds, i)
        if first >= stop:  # nothing of the last window is left: begin anew
            ints, state = begin_steps()
            start = stop = first
        while start < first:
            ints, state = evict(scratch, ints, state)
            start += 1
        while stop < last:
            ints, state = insert(scratch, ints, state, leaf(source, stop), stop)
            stop += 1
        partial, ints, state = whole(scratch, ints, state)
        emit(out, at + i, partial)


def slide_ranges(source, bounds, count, at, scratch, out):
    """Windows of several ranges in one pass; place 0 of the rings is slice `base`."""
    ranges = 0
    for i in range(count):
        ranges = max(ranges, query_of(bounds, i) + 1)
    rules = np.zeros((ranges, RULE), np.int64)
    answers = make_answers(ranges, scratch[-1] + 1)
    ints, state = begin_steps()
    base = stop = -1
    for i in range(count):
        keep, q, last = keep_of(bounds, i), query_of(bounds, i), stop_of(bounds, i)
        if keep >= stop:  # nothing of the last window is left: begin anew
            ints, state = begin_steps()
            base = stop = keep
            for other in range(ranges):
                begin_first(scratch, ints, other, rules, answers)
        while ints[0] + base < keep:
            ints, state = drop_oldest(scratch, ints, state, rules, answers)
        while stop < last:
            value = leaf(source, stop)
            ints, state = insert(scratch, ints, state, value, stop)
            take_newest(rules, answers, value)
            stop += 1
        first = start_of(bounds, i) - base
        begin_later(scratch, ints, q, rules, answers, first)
        partial, ints, state = answer(scratch, ints, state, q, rules, answers)
        emit(out, at + i, partial)
