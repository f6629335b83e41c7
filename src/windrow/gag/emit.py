"""From a specialised graph to the source of a kernel.

Each part of the text stands for a part of the graph: a scan that is kept is an array
and the loop that fills it, one of which only the newest node is read is a running value
or, where several windows read it, a block of values; a window is a loop for each way in
which it can be read.  Laps, ranges and slides are arguments: graphs of the same form
share one compiled kernel.

    run(source, firsts, lasts, ranges, slides, at, laps, ends, room, out)

    firsts, lasts     runs of inputs: [first, last) for each key
    ranges, slides    of each window, in inputs; windows are ordered by lap, then range
    at                where the next result of each window goes
    laps, ends        each lap, and one past the last window that stands on it
    room              suffixes that are kept of a lap, at most

Where windows are not equally long (a range of 0 in the graph):

    run(source, inputs, starts, stops, ends, room, out)

    starts, stops     of all windows, those of the first before those of the second
    ends              one past the last of each
"""

from __future__ import annotations

from windrow.kernels import (
    ENTRY,
    JIT,
    Product,
    Text,
    add_emit,
    add_lift,
    add_loaded_leaf,
    add_partial,
    titles,
)

from .graph import Kind, Sum
from .pieces import (
    BEYOND,
    BY_SCANS,
    EARLIER,
    FEW,
    FEW_LEAD,
    FEW_RUN,
    FEW_SLIDE,
    FEW_STEP,
    INPUTS,
    LAST,
    LEAVE,
    MEET,
    ONE,
    RUN,
    RUNNING,
    SAME,
    SCAN_BACK,
    SCAN_BACK_IN_LANES,
    SCAN_ON,
    SCAN_ON_IN_LANES,
    SLIDE,
    UNEVEN_DIFFERENCES,
    UNEVEN_RUNNING,
    UNEVEN_STACKS,
    WAY,
)
from .specialise import Special

LONG_LAP = 256  # inputs: shorter laps are not worth lanes
BLOCK = 2048  # prefixes at a time, where only the newest is needed: they stay in L1


def graph_text(special: Special, product: Product, leaf: str) -> str:
    """The source of the kernel: `leaf` is "rows", lifted in the loop, or "slices"."""
    text = Text(f"aggregation graph over {leaf}: {titles(product.outputs)}.")
    add_partial(text, product)
    (add_lift if leaf == "rows" else add_loaded_leaf)(text, product)
    add_emit(text, product, tail=False)
    for block in graph_blocks(special):
        text.add(block)
    return text.render()


def graph_blocks(special: Special) -> list[str]:
    """The part that comes out of the graph: what `explain` shows."""
    graph = special.graph
    blocks = []
    many = len(graph.roots) > 1 and graph.roots[0].range > 0
    lanes = many and not special.invertible
    if any(family.kind == Kind.SUFFIX for family in special.kept):
        piece = SCAN_BACK_IN_LANES if lanes else SCAN_BACK
        blocks.append(piece.format(jit=JIT, long=LONG_LAP))
    if not graph.roots[0].range:
        return [*blocks, _uneven(special)]
    if many and not special.kept:
        return _few(_text(graph.roots[0].last))
    if not many:
        form = BY_SCANS if special.kept else RUNNING if special.scans else INPUTS
        blocks.append(form.format(jit=JIT, text=_text(graph.roots[0].last)))
        scratch = "suffix = allocate(room)\n    " if special.kept else ""
        passed = "suffix, " if special.kept else ""
        blocks.append(ONE.format(entry=ENTRY, scratch=scratch, passed=passed))
        return blocks
    piece = SCAN_ON_IN_LANES if lanes else SCAN_ON
    blocks.append(piece.format(jit=JIT, long=LONG_LAP))
    ways = {name: _way(special, name) for name in ("earlier", "last", "same")}
    if ways["last"] or ways["earlier"]:
        blocks.append(MEET.format(jit=JIT))
    if ways["same"]:
        blocks.append(LEAVE.format(jit=JIT))
    blocks.append(_slide(special, ways))
    blocks.append(RUN.format(entry=ENTRY, scratch=_scratch(special, ways)))
    return blocks


def _few(text: str) -> list[str]:
    """A running value for each window, up to four of them in one loop."""
    blocks = [FEW.format(jit=JIT)]
    for count in range(1, 5):
        numbers = range(count)
        slide = FEW_SLIDE.format(
            jit=JIT,
            count=count,
            widths=", ".join(f"w{n}" for n in numbers),
            reads=", ".join(f"ranges[q + {n}]" for n in numbers),
            last=count - 1,
            leads="\n".join(FEW_LEAD.format(q=n) for n in numbers),
            steps="\n".join(FEW_STEP.format(q=n) for n in numbers),
            text=text,
        )
        blocks.append(slide)
    return [*blocks, FEW_RUN.format(entry=ENTRY)]


def _uneven(special: Special) -> str:
    root = special.graph.roots[0]
    if root.same:
        return UNEVEN_DIFFERENCES.format(entry=ENTRY, text=_text(root.same))
    form = UNEVEN_STACKS if special.kept else UNEVEN_RUNNING
    return form.format(jit=JIT, entry=ENTRY, text=_text(root.last))


def _slide(special: Special, ways: dict[str, Sum]) -> str:
    """Laps, trigger-points, prefixes, and a loop for each way to read a window."""
    has_total = bool(ways["earlier"])
    ends = "min(begin + width, high)" if ways["same"] else "high"
    answers = {
        "earlier": ("min(begin - lap + width, high)", EARLIER),
        "last": (ends, LAST),
        "same": ("high", SAME),
    }
    lines = []
    for name, way in ways.items():
        if way:
            until, answer = answers[name]
            lines.append(WAY.format(text=_text(way), until=until, answer=answer))
    names = ["suffix", *(["older"] if has_total else []), "prefix"]
    names += ["beyond"] if has_total else []
    return SLIDE.format(
        jit=JIT,
        unpacked=", ".join(names),
        turn="            suffix, older = older, suffix" if has_total else "",
        block=BLOCK,
        base="begin" if _whole_laps(special) else "low",
        reach="ranges[q1 - 1]" if _whole_laps(special) else "lap",
        beyond=BEYOND if has_total else "",
        ways="\n".join(one.strip("\n") for one in lines),
    ).replace("trigger-point\n\n", "trigger-point\n")


def _scratch(special: Special, ways: dict[str, Sum]) -> str:
    suffixes = ["allocate(room)"] * (2 if ways["earlier"] else 1)
    prefix = "allocate(laps[0])" if _whole_laps(special) else f"allocate({BLOCK})"
    beyond = [f"allocate({BLOCK})"] if ways["earlier"] else []
    return ", ".join([*suffixes, prefix, *beyond])


def _whole_laps(special: Special) -> bool:
    """Whether prefixes are kept for a whole lap: windows start among them."""
    return any(family.kind == Kind.PREFIX for family in special.kept)


def _way(special: Special, name: str) -> Sum:
    """How some window of the graph is read in that case; laps may differ."""
    for root in special.graph.roots:
        way: Sum = getattr(root, name)
        if way:
            return way
    return ()


def _text(way: Sum) -> str:
    """A way in words: suffix[start] + prefix[end]."""
    words = ""
    for term in way:
        sign = " - " if term.off else " + " if words else ""
        words += f"{sign}{term.family.kind}[{term.at}]"
    return words


__all__ = ["graph_blocks", "graph_text"]
