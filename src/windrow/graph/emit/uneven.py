"""Writes the loops of windows that are not equally long: [start, stop) in inputs.

Windows of a list are walked one after the other, in one of two ways:

    arrays    starts and stops are read from memory
    instants  windows begin at even instants, and a cursor for each end follows the
              instants of inputs: bounds are in no memory.  A gap is left at one step

Forms are a running value, two stacks, differences of prefixes over the whole stream, or
laps that all lists share.  Scans that lists share are as long as the stream: there are
several windows for each input of it.
"""

from __future__ import annotations

from windrow._later import dataclass
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
from .scans import SIDE, Scans
from .stacks import STATE, middle
from .sums import (
    add_edges,
    back_edges,
    block,
    read_input,
    refuse,
    sentence,
    write_sum,
)

STORES = f"suffix, prefix, totals, {STATE}"

_BY_ARRAYS = """\
for i in range(at[q], at[q + 1]):
    start, stop = peek(starts, i), peek(stops, i)
{body}
"""

_BY_INSTANTS = """\
i, width, slide, shift = at[q], ranges[q], slides[q], shifts[q]
begin = shift
start = stop = np.int64(0)
for k in range(len(firsts)):
    start, last = firsts[k], lasts[k]
    while start < last:
        instant = peek(instants, start)
        if stop <= firsts[k] or instant >= begin + width:  # the next with an input
            begin = shift + ((instant - shift - width) // slide + 1) * slide
        end, stop = begin + width, max(start, stop)
        # mostly a cursor moves by one or none: then no branch is mistaken
        stop = min(stop + (peek(instants, min(stop, last - 1)) < end), last)
        while stop < last and peek(instants, stop) < end:
            stop += 1
        poke(begins, i, begin)
{body}
        i += 1
        begin += slide
        start += instant < begin
        while start < last and peek(instants, start) < begin:
            start += 1
"""


@dataclass(frozen=True)
class BoundsWalk:
    """The arguments of the loops, by the way in which windows are walked."""

    bounds: str
    text: str
    depth: int

    def function(self, name: str, title: str, setup: str, body: str) -> str:
        """The function that walks list q, and does `body` for each window."""
        text = self.text.format(body=block(body, self.depth))
        return f'''\
def {name}(source, {self.bounds}, at, q, lap, {STORES}, out):
    """{title}"""
{block(setup, 1)}
{block(text, 1)}
'''

    def call(self, name: str, number: int) -> str:
        """The loop over the lists of a group."""
        given = f"source, {self.bounds}, at, q, laps[{number}], {STORES}, out"
        return f"""\
for q in range(splits[{number}], splits[{number} + 1]):
    {name}({given})"""


WALKS = {
    "arrays": BoundsWalk("starts, stops", _BY_ARRAYS, 1),
    "instants": BoundsWalk(
        "instants, firsts, lasts, ranges, slides, shifts, begins", _BY_INSTANTS, 2
    ),
}


def slide_list(
    form: Form, scans: Scans | None, name: str, walk: BoundsWalk
) -> list[str]:
    """The function that slides the lists of a form, and what it calls."""
    if is_running(form):
        return [_running(form, name, walk)]
    if is_whole(form):
        return [_differences(form, name, walk)]
    if form.shared and scans is not None:
        return [_laps(form, scans, name, walk)]
    if any(node.lap == USED_UP for node in form.nodes):
        return _two_stacks(form, name, walk)
    if form.nodes:
        raise GraphError("cannot slide a list by itself over scans of other windows")
    total = write_sum(form.last, lambda term: read_input(term, "start", "stop"))
    body = f"{_says(form.last)}emit(out, i, {total})"
    return [walk.function(name, "Windows that are read off the inputs.", "", body)]


def _says(terms: Sum) -> str:
    return f"# a window is {sentence(terms)}\n"


def _running(form: Form, name: str, walk: BoundsWalk) -> str:
    node = running_of(form)
    reader = edge_reader("leaf(source, high)", "leaf(source, low)")
    pairs = list(zip(add_edges(node, "value", reader), node.edges, strict=True))
    newer = [line for line, term in pairs if term.at is At.END]
    older = [line for line, term in pairs if term.at is At.LEFT]
    total = write_sum(form.last, root_reader(node, "value", "start", "stop"))
    body = f"""\
if start >= high:  # nothing of the last window is left: begin anew
    low = high = start
    value = IDENTITY
{_says(form.last)}while high < stop:
{block(chr(10).join(newer), 1)}
    high += 1
while low < start:
{block(chr(10).join(older), 1)}
    low += 1
emit(out, i, {total})"""
    title = "Windows that are one running value, from which old inputs are taken off."
    setup = "value = IDENTITY\nlow = high = np.int64(0)"
    return walk.function(name, title, setup, body)


def _two_stacks(form: Form, name: str, walk: BoundsWalk) -> list[str]:
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
            return "newer"
        if term.node in (older.name, newer.name):
            raise refuse(term, "a stack is read at its own end")
        return read_input(term, "start", "stop")

    up = add_edges(newer, "newer", "leaf(source, high)")
    down = back_edges(older, "partial", "leaf(source, first + j)")
    flip = f'''\
def {name}_flip(source, first, count, suffix):
    """Suffix scan: lazy, over `count` inputs."""
    partial = IDENTITY
    for j in range(count - 1, -1, -1):
{block(chr(10).join(down), 2)}
        store(suffix, j, partial)
'''
    body = f"""\
if start >= high:  # nothing of the last window is left: begin anew
    base = flip = high = start
    newer = IDENTITY
elif start >= flip:  # trigger-point: the suffixes are used up
    {name}_flip(source, start, high - start, suffix)
    base, flip = start, high
    newer = IDENTITY
while high < stop:
{block(chr(10).join(up), 1)}
    high += 1
older = IDENTITY
if start < flip:
    older = load(suffix, start - base)
{_says(form.last)}emit(out, i, {write_sum(form.last, read)})"""
    title = "Windows that are a suffix and a running prefix: two stacks."
    setup = "newer = IDENTITY\nbase = flip = high = np.int64(0)"
    return [flip, walk.function(name, title, setup, body)]


def is_whole(form: Form) -> bool:
    """Whether windows of a form read scans of the whole stream."""
    return any(n.lap == WHOLE and n.kind is NodeKind.PREFIX for n in form.nodes)


def _differences(form: Form, name: str, walk: BoundsWalk) -> str:
    if len(form.nodes) > 1:
        raise GraphError("cannot read two scans where the lap is the whole stream")

    def read(term: Term) -> str:
        if term.node != form.nodes[0].name:
            return read_input(term, "start", "stop")
        places = {At.START: "start", At.END: "stop"}
        if term.at not in places:
            raise refuse(term, "a prefix is read at an end of the window")
        return f"load(prefix, {places[term.at]})"

    body = f"{_says(form.same)}emit(out, i, {write_sum(form.same, read)})"
    title = "Windows that are answered from prefixes of the whole stream."
    return walk.function(name, title, "", body)


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


SCAN_ALL = f'''\
def scan_all(source, inputs, lap, suffix, prefix, totals):
    """The scans of all laps."""
    c = np.int64(0)
    while c * lap <= inputs:
        i = c * lap
        if (c + {SIDE}) * lap <= inputs and len(IDENTITY) == 1:
            scan_laps(source, i, lap, suffix, i, prefix, i, totals, c)
            c += {SIDE}
        else:
            have = min(lap, inputs - i)
            scan_lap(source, i, lap, have, suffix, i, prefix, i, totals, c)
            c += 1
'''


def _laps(form: Form, scans: Scans, name: str, walk: BoundsWalk) -> str:
    stacked = [term for term in form.last if over_totals(form.node(term.node))]
    places = [k for k, term in enumerate(form.last) if term in stacked]
    if places and places[-1] - places[0] >= len(places):
        raise GraphError("cannot combine totals first that stand apart in a sum")

    def read(term: Term) -> str:
        return "middle" if term in stacked else _read(form, scans, term, same=False)

    terms = [t for k, t in enumerate(form.last) if t not in stacked or k == places[0]]
    last = write_sum(tuple(terms), read)
    same = write_sum(form.same, lambda term: _read(form, scans, term, same=True))
    moved = ""
    if stacked:
        moved = f"""\
if b != older or c != newer:
    older, newer = b, c
{block(middle(form, stacked, name, "middle"), 1)}
"""
    body = f"""\
while start >= (b + 1) * lap:
    b += 1
while stop >= (c + 1) * lap:
    c += 1
if b == c:
    {_says(form.same)}    emit(out, i, {same})
else:
{block(moved, 1)}
    {_says(form.last)}    emit(out, i, {last})"""
    setup = """\
b = c = np.int64(0)  # the laps in which a window starts and ends: they never fall
older = newer = np.int64(-1)
middle = IDENTITY"""
    title = "Windows over laps that all lists share."
    return walk.function(name, title, setup, body)


def _read(form: Form, scans: Scans, term: Term, *, same: bool) -> str:
    node = form.node(term.node)
    if node.kind is NodeKind.INPUT:
        return read_input(term, "start", "stop")
    if node == scans.prefix and term.at is At.END:
        return "load(prefix, stop)"
    if node == scans.prefix and term.at is At.START:
        return "load(prefix, start)"
    if node == scans.suffix and term.at is At.START and not same:
        return "load(suffix, start)"
    raise refuse(term, f"its lap is {'not complete' if same else 'over'} there")
