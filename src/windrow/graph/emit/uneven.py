"""Writes the loops of windows that are not equally long: [starts[i], stops[i]).

    lists       starts, stops of all windows, those of list q before ends[q]
    forms       a running value, two stacks, differences of prefixes over the whole
                stream, or laps that all lists share

Lists over shared laps are walked together, so that scans stay in the cache: when some
laps have been scanned, each list answers its windows that end there.
"""

from __future__ import annotations

from windrow.graph.graph import (
    USED_UP,
    WHOLE,
    At,
    GraphError,
    Need,
    NodeKind,
    Sum,
    Term,
)

from .forms import Form, over_totals
from .running import edge_reader, is_running, root_reader, running_of
from .scans import Scans
from .stacks import STATE, middle
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

AHEAD = 16  # laps that are scanned before lists are walked
BOUNDS = "start, stop = peek(starts, i), peek(stops, i)"
ARRAYS = f"suffix, mask, prefix, shift, totals, {STATE}"
LISTS = "source, inputs, starts, stops, begin, end"


def slide_list(form: Form, name: str) -> list[str]:
    """The function that slides one list of windows of a form by itself."""
    if is_running(form):
        return [_running(form, name)]
    if any(node.lap == USED_UP for node in form.nodes):
        return _two_stacks(form, name)
    return [_inputs(form, name)]


def _running(form: Form, name: str) -> str:
    node = running_of(form)
    lines = add_edges(
        node, "value", edge_reader("leaf(source, high)", "leaf(source, low)")
    )
    pairs = list(zip(lines, node.edges, strict=True))
    newer = [line for line, term in pairs if term.at is At.END]
    older = [line for line, term in pairs if term.at is At.LEFT]
    total = write_sum(form.last, root_reader(node, "value", "start", "stop"))
    return f'''\
def {name}({LISTS}, suffix, out):
    """Windows that are one running value, from which old inputs are taken off."""
    value = IDENTITY
    low = high = 0
    for i in range(begin, end):
        {BOUNDS}
        if start >= high:  # nothing of the last window is left: begin anew
            low = high = start
            value = IDENTITY
        # a window is {sentence(form.last)}
        while high < stop:
{block(chr(10).join(newer), 3)}
            high += 1
        while low < start:
{block(chr(10).join(older), 3)}
            low += 1
        emit(out, i, {total})
'''


def _two_stacks(form: Form, name: str) -> list[str]:
    kinds = [node.kind for node in form.nodes]
    if sorted(kinds) != [NodeKind.PREFIX, NodeKind.SUFFIX]:
        raise GraphError("cannot slide two stacks without a suffix and a prefix scan")
    older, newer = sorted(form.nodes, key=lambda node: node.kind, reverse=True)
    if older.need is not Need.EVERY:
        raise GraphError("cannot use up suffixes of which only the newest is kept")

    def read(term: Term) -> str:
        if term.node == older.name and term.at is At.START:
            return "older"
        if term.node == newer.name and term.at is At.END:
            return "prefix"
        if term.node in (older.name, newer.name):
            raise refuse(term, "a stack is read at its own end")
        return read_input(term, "start", "stop")

    up = add_edges(newer, "prefix", "leaf(source, high)")
    down = back_edges(older, "partial", "leaf(source, first + j)")
    return [
        f'''\
def {name}_flip(source, first, count, suffix):
    """Suffix scan: lazy, over `count` inputs."""
    partial = IDENTITY
    for j in range(count - 1, -1, -1):
{block(chr(10).join(down), 2)}
        store(suffix, j, partial)
''',
        f'''\
def {name}({LISTS}, suffix, out):
    """Windows that are a suffix and a running prefix: two stacks."""
    prefix = IDENTITY  # eager: a running value
    base = flip = high = 0
    for i in range(begin, end):
        {BOUNDS}
        if start >= high:  # nothing of the last window is left: begin anew
            base = flip = high = start
            prefix = IDENTITY
        elif start >= flip:  # trigger-point: the suffixes are used up
            {name}_flip(source, start, high - start, suffix)
            base, flip = start, high
            prefix = IDENTITY
        while high < stop:
{block(chr(10).join(up), 3)}
            high += 1
        # a window is {sentence(form.last)}
        older = IDENTITY
        if start < flip:
            older = load(suffix, start - base)
        emit(out, i, {write_sum(form.last, read)})
''',
    ]


def _inputs(form: Form, name: str) -> str:
    if form.nodes:
        raise GraphError("cannot slide a list by itself over scans of other windows")
    total = write_sum(form.last, lambda term: read_input(term, "start", "stop"))
    return f'''\
def {name}({LISTS}, suffix, out):
    """Windows that are read off the inputs."""
    for i in range(begin, end):
        {BOUNDS}
        # a window is {sentence(form.last)}
        emit(out, i, {total})
'''


def is_whole(form: Form) -> bool:
    """Whether windows of a form read scans of the whole stream."""
    return any(n.lap == WHOLE and n.kind is NodeKind.PREFIX for n in form.nodes)


def slide_differences(form: Form, name: str) -> list[str]:
    """The function that answers a list from prefixes of the whole stream."""
    if len(form.nodes) > 1:
        raise GraphError("cannot read two scans where the lap is the whole stream")

    def read(term: Term) -> str:
        if term.node != form.nodes[0].name:
            return read_input(term, "start", "stop")
        places = {At.START: "start", At.END: "stop"}
        if term.at not in places:
            raise refuse(term, "a prefix is read at an end of the window")
        return f"load(prefix, {places[term.at]})"

    return [
        f'''\
def {name}(source, starts, stops, begin, end, prefix, out):
    """Windows that are answered from prefixes of the whole stream."""
    for i in range(begin, end):
        # a window is {sentence(form.same)}
        {BOUNDS}
        emit(out, i, {write_sum(form.same, read)})
'''
    ]


def whole_scan(form: Form) -> str:
    """`scan_whole`: the prefixes of the whole stream."""
    lines = add_edges(form.nodes[0], "partial", "leaf(source, i)")
    return f'''\
def scan_whole(source, inputs, prefix):
    """Prefix scan: eager, over the whole stream."""
    partial = IDENTITY
    store(prefix, np.int64(0), partial)
    for i in range(inputs):
{block(chr(10).join(lines), 2)}
        store(prefix, i + 1, partial)
'''


def slide_in_laps(form: Form, scans: Scans, name: str) -> list[str]:
    """The function that answers windows of list q that end before `upto`."""

    def read(term: Term) -> str:
        return _read(form, scans, term, same=False)

    parts: list[tuple[str, bool]] = []
    stacked = [term for term in form.last if over_totals(form.node(term.node))]
    for term in form.last:
        if term not in stacked:
            parts.append((read(term), term.off))
        elif ("middle", False) not in parts:
            parts.append(("middle", False))
    _check_neighbours(form, form.last)
    same = write_sum(form.same, lambda term: _read(form, scans, term, same=True))
    moved = ""
    if stacked:
        moved = f"""\
if b != older or c != newer:
    older, newer = b, c
{block(middle(form, stacked, name, "middle"), 1)}
"""
    return [
        f'''\
def {name}(source, starts, stops, i, end, upto, q, lap, {ARRAYS}, out):
    """Answer windows of list q from number i on that end before `upto`."""
    older = newer = np.int64(-1)
    middle = IDENTITY
    b = c = np.int64(0)  # the laps in which a window starts and ends: they never fall
    if i < end:
        b, c = peek(starts, i) // lap, peek(stops, i) // lap
    while i < end:
        {BOUNDS}
        if stop >= upto:
            break
        while start >= (b + 1) * lap:
            b += 1
        while stop >= (c + 1) * lap:
            c += 1
        if b == c:
            # a window is {sentence(form.same)}
            emit(out, i, {same})
        else:
{block(moved, 3)}
            # a window is {sentence(form.last)}
            emit(out, i, {join_parts(parts)})
        i += 1
    return i
'''
    ]


def _check_neighbours(form: Form, terms: Sum) -> None:
    """Refuse stacks that do not stand side by side in a sum."""
    stacked = [k for k, t in enumerate(terms) if over_totals(form.node(t.node))]
    if stacked and stacked[-1] - stacked[0] >= len(stacked):
        raise GraphError("cannot combine totals first that stand apart in a sum")


def _read(form: Form, scans: Scans, term: Term, *, same: bool) -> str:
    node = form.node(term.node)
    if node.kind is NodeKind.INPUT:
        return read_input(term, "start", "stop")
    if node == scans.prefix and term.at is At.END:
        return "load(prefix, stop + shift)"
    if node == scans.suffix and term.at is At.START and not same:
        return "load(suffix, start + ((b & mask) - b) * lap)"
    raise refuse(term, f"its lap is {'not complete' if same else 'over'} there")
