"""From a specialised graph to the source of a kernel.

Each part of the text stands for a part of the graph: a scan that is kept is an array
and the loop that fills it, one of which only the newest node is read is a running value
or, where several windows read it, a block of values; a window is a loop for each way in
which it can be read.  Laps, ranges and slides are arguments: graphs of the same form
share one compiled kernel.

    run(source, firsts, lasts, ranges, slides, at, lap, alone, room, out)

    firsts, lasts     runs of inputs: [first, last) for each key
    ranges, slides    of each window, in inputs; windows are ordered by range
    at                where the next result of each window goes
    lap               of the scans that windows share
    alone             how many windows, the shortest ones, have laps of their own
    room              suffixes that are kept of one of those, at most

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
from .pieces import few, long_laps, one, short_laps, uneven
from .specialise import Special

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
    roots = special.graph.roots
    if not roots[0].range:
        blocks = _uneven(special)
    elif len(roots) == 1:
        blocks = _one(special)
    elif not special.kept:
        blocks = _few(_text(roots[0].last))
    elif roots[0].same:
        blocks = _in_long_laps(roots[0].last, roots[0].same)
    else:
        blocks = _in_short_laps(special)
    return [_fill(block) for block in blocks]


def _fill(block: str) -> str:
    return block.replace("{jit}", JIT).replace("{entry}", ENTRY)


def _one(special: Special) -> list[str]:
    """One window: suffixes and a running prefix, or a running value, or inputs."""
    text = _text(special.graph.roots[0].last)
    if special.kept:
        run = one.ONE.replace("{scratch}", "suffix = allocate(room)\n    ")
        run = run.replace("{passed}", "suffix, ")
        return [one.SCAN_BACK, one.BY_SCANS.replace("{text}", text), run]
    slide = one.RUNNING if special.scans else one.INPUTS
    run = one.ONE.replace("{scratch}", "").replace("{passed}", "")
    return [slide.replace("{text}", text), run]


def _few(text: str) -> list[str]:
    """A running value for each window, up to four of them in one loop."""
    blocks = [few.FEW]
    for count in range(1, 5):
        numbers = range(count)
        slide = few.FEW_SLIDE.format(
            jit=JIT,
            count=count,
            widths=", ".join(f"w{n}" for n in numbers),
            reads=", ".join(f"ranges[q + {n}]" for n in numbers),
            last=count - 1,
            leads="\n".join(few.FEW_LEAD.format(q=n) for n in numbers),
            steps="\n".join(few.FEW_STEP.format(q=n) for n in numbers),
            text=text,
        )
        blocks.append(slide)
    return [*blocks, few.FEW_RUN]


def _in_long_laps(last: Sum, same: Sum) -> list[str]:
    """Prefixes of a whole lap, of which windows are differences."""
    slide = long_laps.LAPS.replace("{last}", _text(last)).replace("{same}", _text(same))
    slide = slide.replace("{block}", str(BLOCK))
    scans = [one.SCAN_BACK, long_laps.SCAN_ON, *_answers()]
    return [*scans, slide, _run([long_laps.LAPS_SCRATCH], [long_laps.LAPS_CALL])]


def _answers() -> list[str]:
    """Loops over windows that are two scans' nodes, or two of one."""
    meet = {
        "name": "meet",
        "given": "suffix",
        "other": "prefix, ",
        "text": "suffix[i] + prefix[j]",
        "answer": "combine",
        "older": "suffix",
        "newer": "prefix",
    }
    leave = meet | {
        "name": "leave",
        "given": "prefix",
        "other": "",
        "text": "prefix[i] - prefix[j]",
        "answer": "inverse",
        "older": "prefix",
    }
    return [long_laps.ANSWERS.format(jit=JIT, **words) for words in (meet, leave)]


def _in_short_laps(special: Special) -> list[str]:
    """Suffixes, totals and prefixes that windows share, and windows that do not."""
    ways = {root.last for root in special.graph.roots}
    shared = [w for w in ways if any(t.family.kind == Kind.TOTAL for t in w)]
    blocks, scratch, calls = [], [], []
    if len(ways) > len(shared):
        alone = next(way for way in ways if way not in shared)
        blocks += [one.SCAN_BACK, short_laps.ALONE.replace("{text}", _text(alone))]
        scratch.append(short_laps.ALONE_SCRATCH)
        calls.append(short_laps.ALONE_CALL)
    if shared:
        slide = short_laps.SHARED.replace("{text}", _text(shared[0]))
        blocks += [short_laps.SCAN_LAPS, short_laps.MIDDLE, short_laps.BETWEEN, slide]
        scratch.append(short_laps.SHARED_SCRATCH)
        calls.append(short_laps.SHARED_CALL)
    return [*blocks, _run(scratch, calls)]


def _run(scratch: list[str], calls: list[str]) -> str:
    run = short_laps.SCANS_RUN.replace("{scratch}", "\n".join(scratch))
    return run.replace("{calls}", "\n".join(calls))


def _uneven(special: Special) -> list[str]:
    root = special.graph.roots[0]
    if root.same:
        return [uneven.UNEVEN_DIFFERENCES.replace("{text}", _text(root.same))]
    text = _text(root.last)
    if special.kept:
        return [one.SCAN_BACK, uneven.UNEVEN_STACKS.replace("{text}", text)]
    return [uneven.UNEVEN_RUNNING.replace("{text}", text)]


def _text(way: Sum) -> str:
    """A way in words: suffix[start] + prefix[end]."""
    words = ""
    for term in way:
        sign = " - " if term.off else " + " if words else ""
        words += f"{sign}{term.family.kind}[{term.at}]"
    return words


__all__ = ["graph_blocks", "graph_text"]
