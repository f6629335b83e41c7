"""Writes the two stacks of each window over totals, which it needs once a lap.

totals      0   1   2   3   4   5   6
front           |---|---|---|                 suffixes, made when used up
back                        |---|---|         a running prefix
window          low                 high      front[low] + back
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow.graph.graph import At, GraphError, NodeKind, Term

from .forms import Form
from .sums import add_edges, back_edges, block, join_parts, refuse

STATE = "front, places, back, flips, bases, tops"


def stacks(form: Form, name: str) -> list[str]:
    """The function that moves the stacks of window q on to totals [low, high)."""
    if not form.stacks:
        return []
    kinds = [node.kind for node in form.stacks]
    if sorted(kinds) != [NodeKind.PREFIX, NodeKind.SUFFIX]:
        raise GraphError(
            "cannot slide over totals without a suffix and a prefix of them"
        )
    front, back = sorted(form.stacks, key=lambda node: node.kind, reverse=True)
    down = back_edges(front, "partial", "load(totals, j)")
    up = add_edges(back, "newer", "load(totals, top)")
    return [
        f'''\
def move_{name}({STATE}, q, totals, low, high):
    """Two stacks over totals: bring those of window q to [low, high)."""
    if low >= flips[q]:  # trigger-point: the suffixes are used up
        partial = IDENTITY
        for j in range(high - 1, low - 1, -1):
{block(chr(10).join(down), 3)}
            store(front, places[q] + j - low, partial)
        store(back, q, IDENTITY)
        bases[q], flips[q], tops[q] = low, high, high
        return
    newer = load(back, q)
    for top in range(tops[q], high):
{block(chr(10).join(up), 2)}
    store(back, q, newer)
    tops[q] = high
''',
    ]


def middle(form: Form, terms: Sequence[Term], name: str, variable: str) -> str:
    """Lines that combine the totals between laps b and c, as those terms read them."""
    front = "load(front, places[q] + b + 1 - bases[q])"
    reads = {
        NodeKind.SUFFIX: (At.START, front),
        NodeKind.PREFIX: (At.END, "load(back, q)"),
    }
    parts = []
    for term in terms:
        at, text = reads[form.node(term.node).kind]
        if term.at is not at:
            raise refuse(term, "a stack is read at its own end")
        parts.append((text, term.off))
    return f"""\
{variable} = IDENTITY
if b + 1 < c:
    if b + 1 >= flips[q] or c > tops[q]:
        move_{name}({STATE}, q, totals, b + 1, c)
    {variable} = {join_parts(parts)}
"""
