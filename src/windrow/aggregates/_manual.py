"""Writes the manual page of an aggregate: what `wr.sum?` and `help(wr.sum)` show.

All aggregates are values of one class, whose own page says what an aggregate is.  The
two descriptors here give each value a page and a signature of its own.
"""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any

from ._examples import EXAMPLES, OPTIONS, Example

_FRAME = {
    "last": "how far `wr.over` and `wr.as_of` look back: a duration or rows",
    "next": "how far `wr.over` looks ahead",
    "closed": "which ends of that interval are in: right, left, both or neither",
    "min_periods": "fewer values than these give null",
    "where": "a condition of the query language: other rows do not count",
}


class Page:
    """The docstring of the class, or of one aggregate."""

    def __init__(self, of_class: str) -> None:
        self.of_class = of_class

    def __get__(self, aggregate: Any, owner: type) -> str:
        return self.of_class if aggregate is None else manual(aggregate)


class CallSignature:
    """The signature of a call of one aggregate; the class has its own."""

    def __get__(self, aggregate: Any, owner: type) -> Signature:
        if aggregate is None:
            raise AttributeError("__signature__")
        least, _ = aggregate.columns
        columns = [
            Parameter(
                name,
                Parameter.POSITIONAL_ONLY,
                default=Parameter.empty if place < least else None,
                annotation="str",
            )
            for place, name in enumerate(_columns(aggregate))
        ]
        options = {**aggregate.options, **dict.fromkeys(_FRAME)}
        rest = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=value)
            for name, value in options.items()
        ]
        return Signature([*columns, *rest], return_annotation="Call")


def manual(aggregate: Any) -> str:
    """What it gives, what it takes, its laws, and an example that runs."""
    name, columns = aggregate.name, ", ".join(map(repr, _columns(aggregate)))
    words = aggregate.summary or "an aggregate of your own"
    lines = [f"{name}: {words}.", "", f"    wr.{name}({columns})", ""]
    words = {option: OPTIONS.get(option, "") for option in aggregate.options}
    for option, meaning in {**words, **_FRAME}.items():
        default = aggregate.options.get(option)
        lines.append(f"{option}={default!r}: {meaning}.")
    lines.append("")
    laws = ", ".join(aggregate.laws.names()) or "associative alone"
    lines.append(f"Laws: {laws}.")
    if aggregate.aliases:
        lines.append(f"Also called {', '.join(aggregate.aliases)}.")
    if name in EXAMPLES:
        written = _code(EXAMPLES[name], over="own" in aggregate.takes)
        lines += ["", *written, EXAMPLES[name].results]
    return "\n".join(lines)


def _code(example: Example, *, over: bool) -> list[str]:
    """The lines of an example, which ask for its results."""
    begin = ">>> import windrow as wr"
    if over:
        table = f">>> table = pa.table({example.values})"
        code = f'>>> wr.over(table, on="at", own={example.call})["own"].to_pylist()'
        return [">>> import pyarrow as pa", begin, table, code]
    slide = f"wr.slide({example.values}, wr.rows(3), {example.call})"
    code = f"{slide}.tolist()"
    if example.each:
        code = f"[{example.each} for v in {slide}]"
    elif example.results.startswith("[[("):
        code = f"[list(v) for v in {slide}]"
    elif example.results.startswith("[["):
        code = f"[v.tolist() for v in {slide}]"
    elif "." in example.results:
        code = f"{slide}.round(6).tolist()"
    return [begin, f">>> {code}"]


def _columns(aggregate: Any) -> list[str]:
    """Names for the columns that it takes."""
    most = aggregate.columns[1]
    return ["column"] if most == 1 else ["column", "other"][:most]
