"""Generates tallies: partials of rows whose number the loop knows.

    product    mean(x), max(x), variance(x)
    partial    count, total     max     n, mean, m2
    tally             total     max        S, Q          from an origin in the window

A part without nulls whose aggregate has a tally is counted; any other part is
its own tally, and so are slices, which hold any number of rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow.loops.text import Text

from .leaves import CASTS
from .product import DTYPES, Product, ProductPart
from .source import add_memory

_WORDS = {
    "tally": "source, i, origin",
    "join_tallies": "older, newer",
    "tally_of": "partial, origin",
    "partial_of": "tally, origin, n",
}
_PLAIN = ("leaf(source, i)", "join(older, newer)", "partial", "tally")
Form = tuple[Sequence[str], Sequence[str]]
"""The dtypes of a part's tally, and its term in each word."""


def counted_parts(product: Product) -> list[ProductPart]:
    """The parts whose loops know how many rows they hold."""
    return [
        part
        for part in product.parts
        if part.request.aggregate.tally is not None and not part.request.masks
    ]


def add_tallies(
    text: Text, product: Product, joins: Sequence[str], *, counted: bool
) -> None:
    """Add the words for tallies; `counted` where a slice is one row."""
    parts = counted_parts(product) if counted else []
    forms: list[Form] = [(product.dtypes, _PLAIN)]
    if parts:
        forms = [
            _counted_form(text, part, f"origin[{parts.index(part)}]")
            if part in parts
            else _own_form(part, number, joins[number])
            for number, part in enumerate(product.parts)
        ]
    dtypes: list[str] = []
    terms: dict[str, list[str]] = {word: [] for word in _WORDS}
    for kinds, calls in forms:
        span = f"[{len(dtypes)}:{len(dtypes) + len(kinds)}]"
        dtypes += kinds
        for word, call in zip(_WORDS, calls, strict=True):
            terms[word].append(call.replace("{span}", span))
    for word, parameters in _WORDS.items():
        body = " + ".join(terms[word])
        text.define(f"def {word}({parameters}):\n    return {body}")
    values = "".join(f"np.float64({_value(part)}), " for part in parts) or "0.0,"
    text.define(f"def origin(source, i):\n    return ({values.rstrip()})")
    text.constant("ANYWHERE", (0.0,) * max(len(parts), 1))  # `lower` does not read it
    text.define(
        "def emit_tally(out, i, tally, n):\n"
        "    emit(out, i, partial_of(tally, ANYWHERE, n))"
    )
    if parts:  # windows hold as many rows each
        text.define("def divide(x, n):\n    return divide_evenly(x, n)")
    add_memory(text, dtypes, "load_tally", "store_tally", "allocate_tallies")


def _counted_form(text: Text, part: ProductPart, origin: str) -> Form:
    tally = part.request.aggregate.tally
    assert tally is not None
    lift, combine, settle, measure = (
        text.take(function, after_module=True)
        for function in (tally.lift, tally.combine, tally.settle, tally.measure)
    )
    kinds = [part.request.kind if kind == "value" else kind for kind in tally.kinds]
    return [DTYPES[kind] for kind in kinds], (
        f"{lift}({_value(part)}, {origin})",
        f"{combine}(older{{span}}, newer{{span}})",
        f"{measure}(partial[{part.offset}:{part.stop}], {origin})",
        f"{settle}(tally{{span}}, {origin}, n)",
    )


def _own_form(part: ProductPart, number: int, join: str) -> Form:
    return part.dtypes, (
        f"lift_{number}(source, i)",
        f"{join}(older{{span}}, newer{{span}})",
        f"partial[{part.offset}:{part.stop}]",
        "tally{span}",
    )


def _value(part: ProductPart) -> str:
    request = part.request
    return CASTS[request.kind].format(f"read(source[{request.slots[0]}], i)")
