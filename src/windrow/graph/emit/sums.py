"""Writes sums and edges as expressions in the vocabulary of kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import dedent, indent

from windrow.graph.graph import INPUT, At, GraphError, Node, Sum, Term

Reader = Callable[[Term], str]
"""Writes what a term reads, at the place where its sum stands."""


def write_sum(terms: Sum, read: Reader) -> str:
    """The expression of a sum, from left to right."""
    return join_parts([(read(term), term.off) for term in terms])


def join_parts(parts: Sequence[tuple[str, bool]]) -> str:
    """The expression of parts, of which some are taken off what stands before them.

    Sums are combined from the newest part on, so that what is alike in many windows,
    the totals in the middle, meets the prefixes first.
    """
    if not parts:
        raise GraphError("cannot write a window that is no sum at all")
    if parts[0][1]:
        raise GraphError("cannot take a part off nothing: it comes first in its sum")
    if any(off for _, off in parts):
        text = parts[0][0]
        for part, off in parts[1:]:
            text = f"{'inverse' if off else 'combine'}({text}, {part})"
        return text
    *older, (text, _) = parts
    for part, _ in reversed(older):
        text = f"combine({part}, {text})"
    return text


def add_edges(node: Node, variable: str, read: Reader | str) -> list[str]:
    """Lines that bring the newest value of a node on by one part, edge by edge.

    What an edge reads is one text where all edges read the newest part.
    """
    lines = []
    for term in node.edges:
        part = read if isinstance(read, str) else read(term)
        word = "inverse" if term.off else "combine"
        lines.append(f"{variable} = {word}({variable}, {part})")
    return lines


def back_edges(node: Node, variable: str, part: str) -> list[str]:
    """Lines that put a part before a suffix, edge by edge."""
    if any(term.off for term in node.edges):
        raise GraphError(f"cannot take parts off {node.name}: they come first in it")
    return [f"{variable} = combine({part}, {variable})" for _ in node.edges]


def read_input(term: Term, start: str, end: str, base: str = "") -> str:
    """What a term reads of the inputs, for the window [start, end)."""
    assert term.node == INPUT.name
    if term.at is At.LEFT:
        raise GraphError("cannot read the input left behind: windows do not follow on")
    if term.at is At.BETWEEN:
        return f"fold(source, {base}{start}, {base}{end})"
    place = f"{base}{start}" if term.at is At.START else f"{base}{end} - 1"
    return f"leaf(source, {place})"


def refuse(term: Term, why: str) -> GraphError:
    """The error for a term that cannot be read where it stands."""
    return GraphError(f"cannot read {term.node}[{term.at}]: {why}")


def sentence(terms: Sum) -> str:
    """A sum as a comment says it: suffix[start] + prefix[end]."""
    words = []
    for term in terms:
        name = term.node.rstrip("0123456789").rstrip(".:#")
        words.append(f"{'-' if term.off else '+'} {name}[{term.at}]")
    return " ".join(words).removeprefix("+ ")


def block(text: str, depth: int = 0) -> str:
    """A piece of source, set in by `depth` levels."""
    return indent(dedent(text).strip("\n"), "    " * depth)
