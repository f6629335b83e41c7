"""Writes the loops of windows that share nothing: they are inputs, or two stacks.

laps        |-- as long as the window --|
suffix      lazy, at each trigger-point
prefix      eager, a running value                  window = suffix[start] + prefix[end]
"""

from __future__ import annotations

from windrow.graph.graph import At, NodeKind, Term

from .forms import OWN, Form
from .sums import (
    add_edges,
    back_edges,
    block,
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
    total = write_sum(form.last, read)
    advance = [
        line for n in prefixes for line in add_edges(n, variables[n.name], newest)
    ]
    flips = [
        f"{name}_{stores[n.name]}(source, first + begin, width, {stores[n.name]})"
        for n in suffixes
    ]
    step = "if (begin + j) % step == 0:\n    " if form.stepping else ""
    to = "(begin + j) // step" if form.stepping else "begin + j"
    answer = f"{step}emit(out, to + {to}, {total})"
    inner = "\n".join(
        [
            "for j in range(1, min(width, count - begin)):",
            *(
                "    " + line
                for text in [*advance, answer]
                for line in text.split("\n")
            ),
        ]
    )
    resets = [
        f"{variable} = IDENTITY  # eager: a running value"
        for variable in variables.values()
    ]
    if flips:
        flips[0] += "  # trigger-point"
    body = "\n".join(
        [
            *flips,
            *resets,
            "j = np.int64(0)",
            f"# a window is {sentence(form.last)}",
            answer,
            inner,
        ]
    )
    arguments = "".join(f"{store}, " for store in stores.values())
    main = f'''\
def {name}(source, first, length, start, stop, ranges, slides, at, {arguments}out):
    """Windows over laps of their own."""
    for q in range(start, stop):
        width, step, to = ranges[q], slides[q], at[q]
        count = length - width + 1
        for begin in range(0, count, width):
{block(body, 3)}
'''
    scans = []
    for node in suffixes:
        lines = back_edges(node, "partial", "leaf(source, first + j)")
        scans.append(f'''\
def {name}_{stores[node.name]}(source, first, lap, suffix):
    """Suffix scan: lazy, once the lap that begins at `first` is complete."""
    partial = IDENTITY
    for j in range(lap - 1, -1, -1):
{block(chr(10).join(lines), 2)}
        store(suffix, j, partial)
''')
    return [*scans, main]


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
