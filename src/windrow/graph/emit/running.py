"""Writes the loops of running values: up to four windows side by side.

Running values are variables of their own: an array of them would be memory that each
input reads and writes.
"""

from __future__ import annotations

from windrow.graph.graph import At, GraphError, Node, NodeKind, Term

from .forms import Form
from .sums import add_edges, block, read_input, refuse, sentence, write_sum

SIDE = 4  # windows in one loop


def is_running(form: Form) -> bool:
    """Whether windows of a form are made of one running value each."""
    return any(node.kind is NodeKind.RUNNING for node in form.nodes)


def running_of(form: Form) -> Node:
    """The only node of the form."""
    if len(form.nodes) > 1 or form.stepping:
        raise GraphError("cannot mix a running value with scans, or skip its inputs")
    return form.nodes[0]


def running(form: Form, name: str, count: int) -> list[str]:
    """The function that slides `count` windows of this form over one run."""
    node = running_of(form)
    sides = {SIDE} if count >= SIDE else set()
    rest = count % SIDE
    functions = [_alone(form, node, name)]
    functions += [_side(form, node, name, k) for k in sorted(sides | {rest}) if k > 1]
    calls = ""
    if count >= SIDE:
        calls += f"""\
    while q + {SIDE} <= stop:
        {name}_{SIDE}(source, first, length, q, ranges, at, out)
        q += {SIDE}
"""
    if rest > 1:
        calls += f"    {name}_{rest}(source, first, length, q, ranges, at, out)\n"
    if rest == 1:
        calls += f"    {name}_1(source, first, length, ranges[q], at[q], out)\n"
    functions.append(f'''\
def {name}(source, first, length, start, stop, ranges, slides, at, out):
    """Windows that are a running value each."""
    q = start
{calls}''')
    return functions


def edge_reader(newest: str, left: str):  # type: ignore[no-untyped-def]
    """A reader of the edges of a running value."""
    return lambda term: newest if term.at is At.END else left


def root_reader(node: Node, variable: str, start: str, end: str):  # type: ignore[no-untyped-def]
    """A reader of a window's sum, where its running value is a variable."""

    def read(term: Term) -> str:
        if term.node != node.name:
            return read_input(term, start, end)
        if term.at is not At.END:
            raise refuse(term, "of a running value there is only the newest")
        return variable

    return read


def _alone(form: Form, node: Node, name: str) -> str:
    newest = "leaf(source, first + i)"
    edges = add_edges(
        node, "value", edge_reader(newest, "leaf(source, first + i - width)")
    )
    warm = [line for line, t in zip(edges, node.edges, strict=True) if t.at is At.END]
    warm = warm or ["pass"]
    read = root_reader(node, "value", "first + i + 1 - width", "first + i + 1")
    total = write_sum(form.last, read)
    return f'''\
def {name}_1(source, first, end, width, to, out):
    """Slide one window over inputs [first, first + end); gives its running value."""
    value = IDENTITY
    if width > end:
        return value
    for i in range(width):
{block(chr(10).join(warm), 2)}
    i = width - 1
    emit(out, to, {total})
    for i in range(width, end):
        # a window is {sentence(form.last)}
{block(chr(10).join(edges), 2)}
        emit(out, to + i + 1 - width, {total})
    return value
'''


def _side(form: Form, node: Node, name: str, count: int) -> str:
    numbers = range(count)
    lines = []
    for k in numbers:
        left = f"leaf(source, first + i - w{k})"
        lines += add_edges(node, f"v{k}", edge_reader("newest", left))
        read = root_reader(node, f"v{k}", f"first + i + 1 - w{k}", "first + i + 1")
        lines.append(f"emit(out, t{k} + i + 1 - w{k}, {write_sum(form.last, read)})")
    opened = [f"w{k}, t{k} = ranges[q + {k}], at[q + {k}]" for k in numbers]
    warmed = [f"v{k} = {name}_1(source, first, end, w{k}, t{k}, out)" for k in numbers]
    opened += [f"end = min(w{count - 1}, length)  # of the longest of them", *warmed]
    return f"""\
def {name}_{count}(source, first, length, q, ranges, at, out):
{block(chr(10).join(opened), 1)}
    for i in range(end, length):
        newest = leaf(source, first + i)
{block(chr(10).join(lines), 2)}
"""
