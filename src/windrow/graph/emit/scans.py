"""Writes the loops that fill the scans of laps which windows share.

    laps        c         c + 1       c + 2       c + 3
    prefix      0 1 2 ..  0 1 2 ..    0 1 2 ..    0 1 2 ..     of those inputs before it
    suffix      .. 2 1 0  .. 2 1 0    .. 2 1 0    .. 2 1 0     from it to the lap's end

Where only the newest prefix is read, laps are short, and four of them are scanned in
one loop: they do not wait for each other.  Where every prefix of a lap is read, laps
are long, and are scanned piece by piece.
"""

from __future__ import annotations

from windrow._later import dataclass
from windrow.graph.graph import GraphError, Need, Node, NodeKind

from .forms import Form
from .sums import add_edges, back_edges, block, join_parts

SIDE = 4  # laps in one loop
PIECE = 2048  # prefixes at a time, where every one is read: they stay in L1


@dataclass(frozen=True)
class Scans:
    """The scans that the windows of a kernel share: at most one of each kind."""

    prefix: Node | None
    suffix: Node | None
    total: Node | None

    @property
    def is_long(self) -> bool:
        """Whether every prefix of a lap is read, while it is made."""
        return self.prefix is not None and self.prefix.need is Need.EVERY


def scans_of(forms: list[Form]) -> Scans:
    """The scans that windows of those forms share."""
    nodes = {node.name: node for form in forms for node in form.shared}
    kinds: dict[NodeKind, Node] = {}
    for node in nodes.values():
        if kinds.setdefault(node.kind, node) != node:
            raise GraphError(
                f"cannot scan laps by both {kinds[node.kind].name} and {node.name}"
            )
    scans = Scans(*(kinds.get(NodeKind(k)) for k in ("prefix", "suffix", "total")))
    if scans.prefix is None and scans.suffix is None:
        raise GraphError("cannot walk laps of which there is no scan")
    return scans


def short_scans(scans: Scans) -> list[str]:
    """`scan_lap` for one lap, which may be incomplete, and `scan_laps` for four."""
    arrays = "suffix, i, prefix, j, totals, number"
    return [
        f'''\
def scan_lap(source, first, lap, have, {arrays}):
    """Prefix scan: eager; suffix scan: lazy, if the lap is complete."""
{block(_lap(scans), 1)}
''',
        f'''\
def scan_laps(source, first, lap, {arrays}):
    """The scans of four complete laps, which do not wait for each other."""
{block(_laps(scans), 1)}
''',
    ]


def _prefix_lines(scans: Scans, variable: str, place: str, part: str) -> list[str]:
    if scans.prefix is None:
        return []
    return [
        f"store(prefix, {place}, {variable})",
        *add_edges(scans.prefix, variable, part),
    ]


def _suffix_lines(scans: Scans, variable: str, place: str, part: str) -> list[str]:
    if scans.suffix is None:
        return []
    return [
        *back_edges(scans.suffix, variable, part),
        f"store(suffix, {place}, {variable})",
    ]


def total_lines(scans: Scans, variable: str, number: str) -> list[str]:
    """Lines that store a total: the prefix of a whole lap, once for each edge."""
    if scans.total is None:
        return []
    total = join_parts([(variable, term.off) for term in scans.total.edges])
    return [f"store(totals, {number}, {total})"]


def _body(lines: list[str]) -> str:
    return block("\n".join(lines or ["pass"]), 1)


def _lap(scans: Scans) -> str:
    up = _prefix_lines(scans, "a", "j + o", "leaf(source, first + o)")
    down = _suffix_lines(scans, "a", "i + o", "leaf(source, first + o)")
    return f"""\
a = IDENTITY
for o in range(have):
{_body(up)}
if have < lap:
    store(prefix, j + have, a)
    return
{chr(10).join(total_lines(scans, "a", "number"))}
a = IDENTITY
for o in range(lap - 1, -1, -1):
{_body(down)}
"""


def _laps(scans: Scans) -> str:
    up, down = [], []
    for k, variable in enumerate("abcd"):
        shift = {0: "", 1: "lap + "}.get(k, f"{k} * lap + ")
        part = f"leaf(source, first + {shift}o)"
        up += _prefix_lines(scans, variable, f"j + {shift}o", part)
        down += _suffix_lines(scans, variable, f"i + {shift}o", part)
    numbers = ["number", *(f"number + {k}" for k in range(1, SIDE))]
    pairs = zip("abcd", numbers, strict=True)
    totals = [line for pair in pairs for line in total_lines(scans, *pair)]
    return f"""\
a = b = c = d = IDENTITY
for o in range(lap):
{_body(up)}
{chr(10).join(totals)}
a = b = c = d = IDENTITY
for o in range(lap - 1, -1, -1):
{_body(down)}
"""


def long_scans(scans: Scans) -> list[str]:
    """`scan_on` for a piece of a lap's prefixes, `scan_back` for its suffixes."""
    up = _prefix_lines(scans, "partial", "at + p - low", "leaf(source, first + p)")
    functions = [
        f'''\
def scan_on(source, first, low, high, partial, prefix, at):
    """Prefix scan: eager; prefix[at + i] is that of inputs before low + i."""
    for p in range(low, high):
{block(_body(up), 2)}
    return partial
'''
    ]
    if scans.suffix is not None:
        down = _suffix_lines(scans, "partial", "i + j", "leaf(source, first + j)")
        functions.append(f'''\
def scan_back(source, first, reach, suffix, i):
    """Suffix scan: lazy, once the lap that ends `reach` inputs on is complete."""
    partial = IDENTITY
    for j in range(reach - 1, -1, -1):
{block(_body(down), 2)}
''')
    return functions
