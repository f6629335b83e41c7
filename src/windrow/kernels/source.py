"""From a product and an algorithm to the text of one Python module.

The module reads like a hand-written kernel: the functions of each aggregate, the
product's `lift`, `combine` and `emit`, how bounds are read, the algorithm's own
`slide`, and `run`, which walks the keys.  Nothing in it is dynamic; the names an
algorithm may use are listed, with their meaning, in `vocabulary.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .product import Output, Part, Product
from .text import JIT, Text, literal
from .user import add_user_part

FEW = 8  # result arrays: more would be fetched faster than they are used


def add_partial(text: Text, product: Product) -> None:
    """`IDENTITY`, `combine`, `inverse`, `load`, `store`, `allocate`, `same`."""
    combines, joins, inverses, identities = [], [], [], []
    for number, part in enumerate(product.parts):
        text.add(f"# partial of {_title(part)}")
        combine, inverse, identity = _part_functions(text, part, number)
        span = f"[{part.offset}:{part.stop}]" if len(product.parts) > 1 else ""
        combines.append(f"{combine}(older{span}, newer{span})")
        bare = _bare(part, number, combine)
        joins.append(f"{bare}(older{span}, newer{span})")
        inverses.append(f"{inverse}(whole{span}, oldest{span})" if inverse else None)
        identities.append(identity)
    text.add(f"IDENTITY = {' + '.join(identities)}")
    text.add(f"{JIT}\ndef combine(older, newer):\n    return {' + '.join(combines)}")
    text.add(f"{JIT}\ndef join(older, newer):\n    return {' + '.join(joins)}")
    if all(inverses):
        whole = " + ".join(str(inverse) for inverse in inverses)
        text.add(f"{JIT}\ndef inverse(whole, oldest):\n    return {whole}")
    width = range(len(product.dtypes))
    reads = "".join(f"peek(fields[{i}], i), " for i in width)
    writes = "\n".join(f"    poke(fields[{i}], i, partial[{i}])" for i in width)
    made = "".join(f"np.empty(n, np.{_numpy(dtype)}), " for dtype in product.dtypes)
    text.add(f"{JIT}\ndef load(fields, i):\n    return ({reads.rstrip()})")
    text.add(f"{JIT}\ndef store(fields, i, partial):\n{writes}")
    text.add(f"{JIT}\ndef allocate(n):\n    return ({made.rstrip()})")
    alike = " and ".join(
        f"(a[{i}] == b[{i}] or (a[{i}] != a[{i}] and b[{i}] != b[{i}]))" for i in width
    )
    text.add(f"{JIT}\ndef same(a, b):\n    return {alike}")


def _numpy(dtype: str) -> str:
    return {"bool": "bool_", "object": "object_"}.get(dtype, dtype)


def add_lift(text: Text, product: Product) -> None:
    """`leaf(source, i)`: row i, lifted; a null row is the identity."""
    calls = []
    for number, part in enumerate(product.parts):
        value = _lifted(text, part, number, "i", _read)
        body = _unless_null(part, number, value, _read)
        text.add(f"{JIT}\ndef lift_{number}(source, i):  # {_title(part)}\n{body}")
        calls.append(f"lift_{number}(source, i)")
    text.add(f"{JIT}\ndef leaf(source, i):\n    return {' + '.join(calls)}")


def _read(slot: int) -> str:
    return f"read(source[{slot}], i)"


def _lifted(
    text: Text, part: Part, number: int, position: str, read: Callable[[int], str]
) -> str:
    """The call of `lift` on what stands in the part's slots."""
    request, aggregate = part.request, part.request.aggregate
    arguments, slots = [], iter(request.slots)
    for role in aggregate.takes:
        if role == "position":
            arguments.append(position)
        else:
            kind = "float" if role == "other" else request.kind
            arguments.append(_CASTS[kind].format(read(next(slots))))
    given = ", ".join(arguments)
    if aggregate.is_users:
        return f"user{number}_pack(user{number}_lift({given}))"
    flag = " + (1,)" if part.optional else ""
    return f"{text.take(aggregate.lift)}({given}){flag}"  # type: ignore[arg-type]


def _unless_null(
    part: Part, number: int, value: str, read: Callable[[int], str]
) -> str:
    if not part.request.masks:
        return f"    return {value}"
    valid = " and ".join(read(slot) for slot in part.request.masks)
    return f"    if {valid}:\n        return {value}\n    return IDENTITY_{number}"


def add_lift_one(text: Text, product: Product) -> list[str]:
    """`lift_one(position, v0, v1, ...)`: one row from its numbers; gives their names.

    And `leaf(source, i)`, which reads them from arrays: the columns, their validity,
    and last an array that holds the position of row 0.
    """
    used = [slot for part in product.parts for slot in _slots(part)]
    names = [f"v{slot}" for slot in range(max(used, default=-1) + 1)]
    calls = []
    for number, part in enumerate(product.parts):
        _add_lift_of(text, part, number, names)
        calls.append(f"lift_{number}({', '.join(['position', *names])})")
    given = ", ".join(["position", *names])
    text.add(f"{JIT}\ndef lift_one({given}):\n    return {' + '.join(calls)}")
    reads = [f"read(source[{len(names)}], 0) + i"]
    reads += [f"read(source[{slot}], i)" for slot in range(len(names))]
    text.add(f"{JIT}\ndef leaf(source, i):\n    return lift_one({', '.join(reads)})")
    return names


def _slots(part: Part) -> tuple[int, ...]:
    return (*part.request.slots, *part.request.masks)


def _add_lift_of(text: Text, part: Part, number: int, names: list[str]) -> None:
    given = ", ".join(["position", *names])
    value = _lifted(text, part, number, "position", lambda slot: f"v{slot}")
    body = _unless_null(part, number, value, lambda slot: f"v{slot}")
    text.add(f"{JIT}\ndef lift_{number}({given}):  # {_title(part)}\n{body}")


_CASTS = {"int": "np.int64({})", "float": "np.float64({})", "object": "{}"}


def add_emit(text: Text, product: Product, *, tail: bool) -> None:
    """`emit(out, i, partial)`: lower every result; with `tail`, take window i's on.

    And `expect(out, i)`, which says that this will happen soon.
    """
    lines, slot = [], 0
    for number, output in enumerate(product.outputs):
        request, aggregate = output.request, output.request.aggregate
        chosen = _project(output, len(product.dtypes))
        if aggregate.is_users:
            part = _part_of(product, request)
            unpack = f"{chosen}[0]" if request.scalar else chosen
            lowered = f"user{part}_lower({unpack})"
        else:
            lowered = f"{text.take(aggregate.lower)}({chosen})"  # type: ignore[arg-type]
        test = f"partial[{output.told_by}] > 0" if output.told_by is not None else ""
        if aggregate.defined is not None:
            defined = text.take(aggregate.defined)  # type: ignore[arg-type]
            test = " and ".join(filter(None, [test, f"{defined}({chosen})"]))
        if len(output.dtypes) == 1:
            body = [f"write(out[{slot}], i, {lowered}, {slot})"]
        else:
            body = [f"r{number} = {lowered}"]
            body += [
                f"write(out[{slot + k}], i, r{number}[{k}], {slot + k})"
                for k in range(len(output.dtypes))
            ]
        slot += len(output.dtypes)
        if (
            test and aggregate.is_users
        ):  # a user's lower is never given an empty partial
            lines += [f"    write(out[{slot}], i, {test}, {slot})", f"    if {test}:"]
            lines += [f"        {line}" for line in body]
            slot += 1
        else:
            lines += [f"    {line}" for line in body]
            if test:
                lines.append(f"    write(out[{slot}], i, {test}, {slot})")
                slot += 1
    if tail:
        tails = "".join(f"out[{slot + k}], " for k in range(len(product.dtypes)))
        lines.insert(0, f"    partial = combine(partial, load(({tails.rstrip()}), i))")
    text.add(f"{JIT}\ndef emit(out, i, partial):\n" + "\n".join(lines))
    places = range(len(product.out_dtypes)) if len(product.out_dtypes) <= FEW else ()
    fetches = "".join(f"\n    prefetch(out[{k}], i)" for k in places) or "\n    pass"
    text.add(f"{JIT}\ndef expect(out, i):{fetches}")


def add_raw_emit(text: Text, product: Product) -> None:
    """`emit(out, i, partial)` where the partial itself is wanted: sashes."""
    writes = [
        f"    write(out[{k}], i, partial[{k}], {k})" for k in range(len(product.dtypes))
    ]
    text.add(f"{JIT}\ndef emit(out, i, partial):\n" + "\n".join(writes))
    text.add(f"{JIT}\ndef expect(out, i):\n    pass")


def add_loaded_leaf(text: Text, product: Product) -> None:
    """`leaf(source, i)` where the source is slice partials already."""
    reads = "".join(f"read(source[{i}], i), " for i in range(len(product.dtypes)))
    text.add(f"{JIT}\ndef leaf(source, i):\n    return ({reads.rstrip()})")


def _part_of(product: Product, request: Any) -> int:
    return next(n for n, part in enumerate(product.parts) if part.request == request)


def _project(output: Output, width: int) -> str:
    fields = output.fields
    if fields == tuple(range(width)):
        return "partial"
    if fields == tuple(range(fields[0], fields[0] + len(fields))):
        return f"partial[{fields[0]}:{fields[-1] + 1}]"
    return "(" + ", ".join(f"partial[{i}]" for i in fields) + ",)"


def _title(part: Part) -> str:
    slots = ", ".join(f"source[{slot}]" for slot in part.request.slots)
    return f"{part.request.aggregate.name}({slots})"


def _part_functions(text: Text, part: Part, number: int) -> tuple[str, str | None, str]:
    """Names of the part's combine, inverse and identity."""
    aggregate, name = part.request.aggregate, f"IDENTITY_{number}"
    if aggregate.is_users:
        return add_user_part(text, part, number)
    identity = aggregate.identity
    if isinstance(identity, dict):
        identity = identity[part.request.kind]
    identity = (*identity, 0) if part.optional else identity
    typed = (
        float(item) if dtype == "float64" else item
        for item, dtype in zip(identity, part.dtypes, strict=True)
    )
    text.add(f"{name} = {literal(tuple(typed))}")
    combine = text.take(aggregate.combine)  # type: ignore[arg-type]
    if part.optional:
        combine = _add_flagged(text, combine, number, len(part.dtypes) - 1)
    inverse = text.take(aggregate.inverse) if aggregate.inverse else None  # type: ignore[arg-type]
    return combine, inverse, name


def _bare(part: Part, number: int, combine: str) -> str:
    """The part's combine without its guard, where no slice can be empty."""
    unguarded = part.request.aggregate.is_users and not part.request.masks
    return f"user{number}_join_" if part.optional and unguarded else combine


def _add_flagged(text: Text, combine: str, number: int, width: int) -> str:
    """A combine that keeps selection: an empty side gives way to the other."""
    name = f"flagged{number}_combine"
    text.add(f"""
{JIT}
def {name}(older, newer):
    if newer[{width}] == 0:
        return older
    if older[{width}] == 0:
        return newer
    return {combine}(older[:{width}], newer[:{width}]) + (1,)
""")
    return name


def titles(outputs: Sequence[Output]) -> str:
    """What a kernel computes, for its docstring."""
    return ", ".join(output.request.aggregate.name for output in outputs)


__all__ = [
    "add_emit",
    "add_lift",
    "add_lift_one",
    "add_loaded_leaf",
    "add_partial",
    "add_raw_emit",
    "titles",
]
