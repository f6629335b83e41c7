"""Writes the loops of even windows over laps that they share.

    lap b                lap c - 1              lap c
    |---------|...|----------------|--------------------------|
        start |suffix|  totals     |---prefix---| end             b < c: the sum `last`
                                   | start |----| end             b = c: the sum `same`

Windows of one range that end in lap c are answered stretch by stretch: those of a
stretch start in one lap, so that they have one sum, and the totals between are the same
for all of them.
"""

from __future__ import annotations

from itertools import groupby

from windrow.graph.graph import At, NodeKind, Sum, Term

from .forms import Form, over_totals
from .scans import PIECE, SIDE, Scans, total_lines
from .stacks import STATE, middle
from .sums import block, join_parts, read_input, refuse, sentence

RANGES = "start, stop, ranges, slides, at"
ARRAYS = f"suffix, reach, mask, prefix, shift, totals, {STATE}"


def answers(
    form: Form, scans: Scans, name: str, *, within: bool, across: bool
) -> list[str]:
    """The function that answers windows of a form that end at places [low, high).

    `within` says that some of them start in the lap in which they end, `across` that
    some start earlier.
    """
    functions, texts = [], []
    if within:
        loop, call = _stretch(form, form.same, scans, f"{name}_same")
        functions.append(loop)
        texts.append(f"{_says(form.same)}{_count('high')}{call}")
    if across:
        loop, call = _stretch(form, form.last, scans, f"{name}_last")
        functions.append(loop)
        until = "min(high, p + (b + 1) * lap - s)"
        texts.append(f"{_says(form.last)}{_count(until)}{call}")
    body = texts[0]
    if len(texts) > 1:
        body = f"if b == c:\n{block(texts[0], 1)}\nelse:\n{block(texts[1], 1)}"
    functions.append(f'''\
def {name}(source, first, c, lap, low, high, {RANGES}, {ARRAYS}, out):
    """Windows that end at places [low, high) of lap c."""
    for q in range(start, stop):
        width, step = ranges[q], slides[q]
        p = max(low, width)
        to = at[q] + p - width
        if step > 1:
            p += (width - p) % step
            to = at[q] + (p - width) // step
        b = (p - width) // lap
        while p < high:
            s = p - width
            while s >= (b + 1) * lap:
                b += 1
{block(body, 3)}
            p, to = p + count * step, to + count
''')
    return functions


def _says(terms: Sum) -> str:
    return f"# a window is {sentence(terms)}\n"


def _count(until: str) -> str:
    return f"count = {until} - p\nif step > 1:\n    count = (count - 1) // step + 1\n"


def _stretch(form: Form, terms: Sum, scans: Scans, name: str) -> tuple[str, str]:
    """The loop over windows of one stretch, and its call.

    What is alike in all of them, the totals between, is combined before.
    """
    before = ""
    arguments: dict[str, str] = {}  # of the loop, and what they are in the call
    parts: list[tuple[str, bool]] = []

    def alike(term: Term) -> bool:
        return over_totals(form.node(term.node))

    for is_alike, some in groupby(terms, alike):
        if is_alike:
            if name.endswith("_same"):
                raise refuse(terms[0], "no lap lies between")
            variable = f"middle{len(arguments)}"
            before += middle(form, list(some), name.removesuffix("_last"), variable)
            arguments[variable] = variable
            parts.append((variable, False))
        else:
            for term in some:
                text, needs = _place(form, term, scans, name)
                parts.append((text, term.off))
                arguments |= needs
    answer = f"emit(out, to + n, {join_parts(parts)})"
    given = "".join(f", {argument}" for argument in arguments)
    loop = f'''\
def {name}(out, to, count, step{given}):
    """Windows that are {sentence(terms)}."""
    if step == 1:
        for n in range(count):
            {answer.replace("@", "n")}
    else:
        for n in range(count):
            o = n * step
            {answer.replace("@", "o")}
'''
    values = "".join(f", {value}" for value in arguments.values())
    return loop, f"{before}{name}(out, to, count, step{values})"


_SUFFIX = {"suffix": "suffix", "i": "(b & mask) * reach + s - (b + 1) * lap + reach"}
_PREFIX = {"prefix": "prefix"}
_SOURCE = {"source": "source", "s": "first + s", "p": "first + p"}


def _place(
    form: Form, term: Term, scans: Scans, name: str
) -> tuple[str, dict[str, str]]:
    """What a term reads for the window @ inputs on, and the arguments it needs."""
    node, same = form.node(term.node), name.endswith("_same")
    if node.kind is NodeKind.INPUT:
        return read_input(term, "s + @", "p + @"), _SOURCE
    if node == scans.prefix and term.at is At.END:
        return "load(prefix, j + @)", _PREFIX | {"j": "p + shift"}
    if node == scans.prefix and term.at is At.START and same:
        return "load(prefix, k + @)", _PREFIX | {"k": "s + shift"}
    if node == scans.suffix and term.at is At.START and not same:
        return "load(suffix, i + @)", _SUFFIX
    raise refuse(term, f"its lap is {'not complete' if same else 'over'} there")


def slide_laps(scans: Scans, name: str, members: list[str]) -> list[str]:
    """The function that slides all windows over shared laps of one run."""
    bounds = [f"splits[{member.split('_')[-1]}]" for member in members]
    nexts = [f"splits[{member.split('_')[-1]} + 1]" for member in members]
    calls = [
        f"{member}(source, first, c, lap, low, high, {start}, {stop}, "
        f"ranges, slides, at, {ARRAYS}, out)"
        for member, start, stop in zip(members, bounds, nexts, strict=True)
    ]
    walk = _long_walk(scans, calls) if scans.is_long else _short_walk(calls)
    return [
        f'''\
def {name}(source, first, length, lap, splits, ranges, slides, at, scratch, out):
    """Slide windows over the laps of one run."""
    suffix, prefix, totals, reach, mask, state = scratch
    {STATE} = state
    flips[:] = 0
{block(walk, 1)}
'''
    ]


def _short_walk(calls: list[str]) -> str:
    return f"""\
for block in range(0, length // lap + 1, {SIDE}):
    upto = min(block + {SIDE}, length // lap + 1)
    if (block + {SIDE}) * lap <= length and len(IDENTITY) == 1:
        place = (block & mask) * reach
        start = first + block * lap
        scan_laps(source, start, lap, suffix, place, prefix, np.int64(0), totals, block)
    else:
        for c in range(block, upto):
            have, place = min(lap, length - c * lap), (c & mask) * reach
            i, j = first + c * lap, (c - block) * lap
            scan_lap(source, i, lap, have, suffix, place, prefix, j, totals, c)
    for c in range(block, upto):
        low, high, shift = c * lap, min(c * lap + lap, length + 1), -block * lap
{block(chr(10).join(calls), 2)}
"""


def _long_walk(scans: Scans, calls: list[str]) -> str:
    place = "((c - 1) & mask) * reach"
    back = f"scan_back(source, first + begin - reach, reach, suffix, {place})"
    lazy = f"if begin > 0:  # trigger-point\n    {back}" if scans.suffix else ""
    total = "\n".join(total_lines(scans, "partial", "c"))
    return f"""\
for begin in range(0, length + 1, lap):
    c, shift, partial = begin // lap, -begin, IDENTITY
{block(lazy, 1)}
    end = min(begin + lap, length + 1)
    for low in range(begin, end, {PIECE}):
        high = min(low + {PIECE}, end)
        upto = min(high, length)
        partial = scan_on(source, first, low, upto, partial, prefix, low - begin)
        if high > length:
            store(prefix, length - begin, partial)
{block(chr(10).join(calls), 2)}
{block(total, 1)}
"""


def scratch(scans: Scans) -> str:
    """`lap_scratch`: memory for scans, totals and stacks."""
    ahead, reach = SIDE + 2, "lap"
    if scans.is_long:  # one lap at a time, of which windows read the last inputs
        ahead, reach = 1, "min(lap, widest)"
    rooms = "ranges // lap + 1" if scans.total else "np.zeros(len(ranges), np.int64)"
    return f'''\
def lap_scratch(firsts, lasts, lap, ranges):
    """Memory for the scans of laps, their totals, and the stacks of each window."""
    longest = np.int64(0)
    for k in range(len(firsts)):
        longest = max(longest, lasts[k] - firsts[k])
    laps, widest = np.int64(1), ranges.max()
    while laps < widest // lap + {ahead}:  # in which windows that are open may start
        laps *= 2
    reach = {reach}
    suffix = allocate(laps * reach)
    prefix = allocate(min({SIDE} * lap, longest + 1))
    totals = allocate(longest // lap + {SIDE})
    return suffix, prefix, totals, reach, laps - 1, stack_state({rooms})
'''
