"""Writes the loops of windows that share nothing: they are inputs, or two stacks.

laps        |-- as long as the window --|
suffix      lazy, at each trigger-point
prefix      eager, a running value                  window = suffix[start] + prefix[end]
"""

from __future__ import annotations

from windrow.graph.graph import At, Node, NodeKind, Term

from .forms import OWN, Form
from .sums import (
    add_edges,
    back_edges,
    block,
    join_parts,
    read_input,
    refuse,
    sentence,
    write_sum,
)


def own_laps(form: Form, name: str) -> list[str]:
    """The function that slides windows of this form over one run, and its scans."""
    if not form.nodes:
        return [_inputs(form, name)]
    suffixes = form.of_kind(NodeKind.SUFFIX)
    prefixes = form.of_kind(NodeKind.PREFIX)
    variables = {node.name: f"prefix{k}" for k, node in enumerate(prefixes)}
    stores = {node.name: f"suffix{k}" for k, node in enumerate(suffixes)}

    def read(term: Term) -> str:
        if term.node in stores and term.at is At.START:
            return f"load({stores[term.node]}, j)"
        if term.node in variables and term.at is At.END:
            return variables[term.node]
        if term.node in stores or term.node in variables:
            raise refuse(term, "no such node is at hand there")
        return read_input(term, "first + begin + j", "first + begin + width + j")

    newest = "leaf(source, first + begin + width + j - 1)"
    advance = [
        line for n in prefixes for line in add_edges(n, variables[n.name], newest)
    ]
    flips = [
        f"{name}_{store}(source, first + begin, width, {store})  # trigger-point"
        for store in stores.values()
    ]
    resets = [f"{v} = IDENTITY  # eager: a running value" for v in variables.values()]
    at_start = tuple(term for term in form.last if term.node not in variables)
    first = write_sum(at_start, read) if at_start else "IDENTITY"  # prefixes are empty
    inner = [*advance, *_emit(form, write_sum(form.last, read))]
    body = [
        *flips,
        *resets,
        f"# a window is {sentence(form.last)}",
        "j = np.int64(0)",
        *_emit(form, first),
        "for j in range(1, min(width, count - begin)):",
        *(f"    {line}" for line in inner),
    ]
    arguments = "".join(f"{store}, " for store in stores.values())
    main = f'''\
def {name}(source, first, length, start, stop, ranges, slides, at, {arguments}out):
    """Windows over laps of their own."""
    for q in range(start, stop):
        width, step, to = ranges[q], slides[q], at[q]
        count = length - width + 1
        for begin in range(0, count, width):
{block(chr(10).join(body), 3)}
'''
    return [*(_scan_back(n, f"{name}_{stores[n.name]}") for n in suffixes), main]


def _emit(form: Form, total: str) -> list[str]:
    """The lines that write a window, if it is one of those that its slide asks for."""
    if not form.stepping:
        return [f"emit(out, to + begin + j, {total})"]
    return [
        "if (begin + j) % step == 0:",
        f"    emit(out, to + (begin + j) // step, {total})",
    ]


def _scan_back(node: Node, name: str) -> str:
    part = "leaf(source, first + j)"
    newest = join_parts([("leaf(source, first + lap - 1)", False) for _ in node.edges])
    return f'''\
def {name}(source, first, lap, suffix):
    """Suffix scan: lazy, once the lap that begins at `first` is complete."""
    partial = {newest}
    store(suffix, lap - 1, partial)
    for j in range(lap - 2, -1, -1):
{block(chr(10).join(back_edges(node, "partial", part)), 2)}
        store(suffix, j, partial)
'''


def _inputs(form: Form, name: str) -> str:
    def read(term: Term) -> str:
        return read_input(term, "first + i", "first + i + width")

    total = write_sum(form.last, read)
    step = " * step" if form.stepping else ""
    return f'''\
def {name}(source, first, length, start, stop, ranges, slides, at, out):
    """Windows that are read off the inputs."""
    for q in range(start, stop):
        width, step, to = ranges[q], slides[q], at[q]
        for k in range((length - width) // step + 1):
            i = k{step}
            # a window is {sentence(form.last)}
            emit(out, to + k, {total})
'''


def is_own(form: Form) -> bool:
    """Whether windows of a form share nothing, and have a prefix at most."""
    return all(node.lap == OWN for node in form.nodes)


def stores_of(form: Form) -> int:
    """How many arrays of suffixes as long as a window the loop is given."""
    return len(form.of_kind(NodeKind.SUFFIX))
