"""Generates the functions that depend on a product: combine, load, store, emit.

Numba cannot loop over a tuple with items of several types, so that code which touches
the fields of a partial is generated for each product, as text; all other functions of a
kernel are lifted from their own source (`text.py`).  `vocabulary.py` lists their names
and meanings.
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow.loops.text import Text, typed_literal

from .product import Output, Product, ProductPart
from .user import add_user_part

_NUMPY = {"bool": "bool_", "object": "object_"}  # numpy's names that are not ours
FEW = 8  # most arrays that are prefetched: with more of them it does not pay


def add_partial(text: Text, product: Product, *, by_part: bool = False) -> list[str]:
    """Add `IDENTITY`, `combine`, `inverse`, `load`, `store`, `allocate`, `same`.

    With `by_part` each part has them too, as `combine_0` and so on.  Gives the name of
    each part's own `join`.
    """
    combines, joins, inverses, identities = [], [], [], []
    names = []
    for number, part in enumerate(product.parts):
        text.add(f"# partial of {part_title(part)}")
        combine, inverse, identity = _part_functions(text, part, number)
        aggregate = part.request.aggregate
        span = f"[{part.offset}:{part.stop}]" if len(product.parts) > 1 else ""
        combines.append(f"{combine}(older{span}, newer{span})")
        no_guard = part.optional and aggregate.is_users and not part.request.masks
        join = f"user{number}_join_" if no_guard else combine  # no slice can be empty
        names.append(join)
        joins.append(f"{join}(older{span}, newer{span})")
        inverses.append(f"{inverse}(whole{span}, oldest{span})" if inverse else None)
        identities.append(identity)
        if by_part:
            _add_part_words(text, number, part, combine, inverse)
    text.add(f"IDENTITY = {' + '.join(identities)}")
    text.define(f"def combine(older, newer):\n    return {' + '.join(combines)}")
    text.define(f"def join(older, newer):\n    return {' + '.join(joins)}")
    if all(inverses):
        terms = " + ".join(str(inverse) for inverse in inverses)
        text.define(f"def inverse(whole, oldest):\n    return {terms}")
    add_memory(text, product.dtypes, "load", "store", "allocate")
    _add_same(text, "same", len(product.dtypes))
    return names


def _add_same(text: Text, name: str, width: int) -> None:
    """Add a function that compares partials; NaN equals NaN."""
    alike = " and ".join(
        f"(a[{i}] == b[{i}] or (a[{i}] != a[{i}] and b[{i}] != b[{i}]))"
        for i in range(width)
    )
    text.define(f"def {name}(a, b):\n    return {alike}")


def _add_part_words(
    text: Text, number: int, part: ProductPart, combine: str, inverse: str | None
) -> None:
    """Add the words for the partial of one part alone."""
    arguments = {"combine": ("older, newer", combine)}
    if inverse:
        arguments["inverse"] = ("whole, oldest", inverse)
    for word, (names, function) in arguments.items():
        text.define(f"def {word}_{number}({names}):\n    return {function}({names})")
    memory = (f"{word}_{number}" for word in ("load", "store", "allocate"))
    add_memory(text, part.dtypes, *memory)
    _add_same(text, f"same_{number}", len(part.dtypes))


def add_memory(
    text: Text, dtypes: Sequence[str], load: str, store: str, allocate: str
) -> None:
    """Add functions that load, store and allocate tuples of those dtypes."""
    width = range(len(dtypes))
    reads = "".join(f"peek(fields[{i}], i), " for i in width)
    writes = "\n".join(f"    poke(fields[{i}], i, partial[{i}])" for i in width)
    rooms = "".join(f"np.empty(n, np.{_NUMPY.get(kind, kind)}), " for kind in dtypes)
    text.define(f"def {load}(fields, i):\n    return ({reads.rstrip()})")
    text.define(f"def {store}(fields, i, partial):\n{writes}")
    text.define(f"def {allocate}(n):\n    return ({rooms.rstrip()})")


def add_emit(
    text: Text, product: Product, *, tail: bool, repeats: bool = False
) -> None:
    """Add `emit(out, i, partial)`, which lowers all results, and `expect(out, i)`.

    With `tail` the tail partial of window i is combined first.  If it `repeats`, places
    FROM and UPTO of the last array of `out` bound the places that are written.
    """
    lines, slot = [], 0
    for number, output in enumerate(product.outputs):
        request, aggregate = output.request, output.request.aggregate
        chosen = _project(output, len(product.dtypes))
        if aggregate.is_users:
            part = [part.request for part in product.parts].index(request)
            unpack = f"{chosen}[0]" if request.scalar else chosen
            lowered = f"user{part}_lower({unpack})"
        else:
            lowered = f"{text.take(aggregate.lower, after_module=True)}({chosen})"
        tests = []
        if output.present_in is not None:
            tests = [f"partial[{output.present_in}] > 0"]
        if aggregate.defined is not None:
            defined = text.take(aggregate.defined, after_module=True)
            tests.append(f"{defined}({chosen})")
        test = " & ".join(f"({test})" for test in tests)
        body, values = [], [lowered]
        if len(output.dtypes) > 1:
            body = [f"r{number} = {lowered}"]
            values = [f"r{number}[{k}]" for k in range(len(output.dtypes))]
        if test:
            values.append(test)
        body += [f"write(out[{k}], i, {v}, {k})" for k, v in enumerate(values, slot)]
        if (
            test and aggregate.is_users and not text.columns
        ):  # its lower never sees an empty partial
            body = [body[-1], f"if {test}:", *(f"    {line}" for line in body[:-1])]
        lines += [f"    {line}" for line in body]
        slot += len(values)
    if tail:
        tails = "".join(f"out[{slot + k}], " for k in range(len(product.dtypes)))
        lines.insert(0, f"    partial = combine(partial, load(({tails.rstrip()}), i))")
    if repeats:
        text.define("def emit_at(out, i, partial):\n" + "\n".join(lines))
        lines = [
            "    start, stop = peek(out[-1], FROM), peek(out[-1], UPTO)",
            "    for place in range(start, stop):",
            "        emit_at(out, place, partial)",
        ]
    text.define("def emit(out, i, partial):\n" + "\n".join(lines))
    places = range(len(product.out_dtypes)) if len(product.out_dtypes) <= FEW else ()
    fetches = "".join(f"\n    prefetch(out[{k}], i)" for k in places) or "\n    pass"
    text.define(f"def expect(out, i):{fetches}")


def add_approach(text: Text, product: Product, leaf: str) -> None:
    """Add `approach(source, i)`, which prefetches the numbers of slice i.

    Validity is not prefetched: it is an eighth as long as the numbers.
    """
    slots = {slot for part in product.parts for slot in part.request.slots}
    numbers = sorted(slots) if leaf == "rows" else range(len(product.dtypes))
    lines = [f"\n    prefetch_read(source[{k}], i)" for k in numbers]
    body = "".join(lines) if 0 < len(lines) <= FEW else "\n    pass"
    text.define(f"def approach(source, i):{body}")


def add_raw_emit(text: Text, product: Product) -> None:
    """Add `emit(out, i, partial)` which writes the partial itself, for sashes."""
    width = range(len(product.dtypes))
    writes = "".join(f"\n    write(out[{k}], i, partial[{k}], {k})" for k in width)
    text.define(f"def emit(out, i, partial):{writes}")
    text.define("def expect(out, i):\n    pass")


def _project(output: Output, width: int) -> str:
    fields = output.fields
    if fields == tuple(range(width)):
        return "partial"
    if fields == tuple(range(fields[0], fields[0] + len(fields))):
        return f"partial[{fields[0]}:{fields[-1] + 1}]"
    return "(" + ", ".join(f"partial[{i}]" for i in fields) + ",)"


def part_title(part: ProductPart) -> str:
    """The aggregate and slots of a partial, for comments."""
    slots = ", ".join(f"source[{slot}]" for slot in part.request.slots)
    return f"{part.request.aggregate.name}({slots})"


def _part_functions(
    text: Text, part: ProductPart, number: int
) -> tuple[str, str | None, str]:
    """Add the part's combine, inverse and identity; return their names."""
    aggregate, name = part.request.aggregate, f"IDENTITY_{number}"
    if aggregate.is_users:
        return add_user_part(text, part, number)
    identity = aggregate.identity
    if isinstance(identity, dict):
        identity = identity[part.request.kind]
    identity = (*identity, 0) if part.optional else identity
    text.add(f"{name} = {typed_literal(identity, part.dtypes)}")
    combine = text.take(aggregate.combine, after_module=True)
    if part.optional:
        combine = _add_flagged(text, combine, number, len(part.dtypes) - 1)
    inverse = aggregate.inverse and text.take(aggregate.inverse, after_module=True)
    return combine, inverse, name


def _add_flagged(text: Text, combine: str, number: int, width: int) -> str:
    """Add a combine that is selective: if one side is empty, it returns the other."""
    name = f"flagged{number}_combine"
    if text.columns:
        text.define(f"""\
def {name}(older, newer):
    both = {combine}(older[:{width}], newer[:{width}]) + (1,)
    both = choose(older[{width}] == 0, newer, both)
    return choose(newer[{width}] == 0, older, both)""")
        return name
    text.define(f"""\
def {name}(older, newer):
    if newer[{width}] == 0:
        return older
    if older[{width}] == 0:
        return newer
    return {combine}(older[:{width}], newer[:{width}]) + (1,)""")
    return name


def titles(outputs: Sequence[Output]) -> str:
    """The aggregates of a kernel, for its docstring."""
    return ", ".join(output.request.aggregate.name for output in outputs)
