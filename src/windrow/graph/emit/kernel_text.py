"""Writes the functions of a kernel from a graph, which walks its nodes and edges.

    run(source, firsts, lasts, ranges, slides, at, splits, laps, out)

    firsts, lasts     runs of inputs: [first, last) for each key
    ranges, slides    of each window, in inputs
    at                where the next result of each window goes
    splits            group g of windows is [splits[g], splits[g + 1])
    laps              the lap of the scans that a group shares, 0 for none

Where windows are not equally long (a range of 0 in the graph):

    run(source, inputs, starts, stops, ends, splits, laps, room, out)

    starts, stops     of all windows, list by list; `ends` is one past each list's last
    room              inputs of the longest window
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from windrow.graph.graph import Graph, GraphError
from windrow.graph.loops.common import fold, move_on, stack_state
from windrow.loops import defined_name

from .forms import Group, groups_of
from .own_laps import is_own, own_laps, stores_of
from .running import is_running, running
from .scans import SIDE, long_scans, scans_of, short_scans
from .shared_laps import answers, scratch, slide_laps
from .stacks import STATE, stacks
from .sums import block
from .uneven import (
    AHEAD,
    ARRAYS,
    is_whole,
    slide_differences,
    slide_in_laps,
    slide_list,
    whole_scan,
)


@dataclass(frozen=True)
class KernelText:
    """The functions of a kernel, `run` the last; and the groups of its windows."""

    functions: tuple[str, ...]
    groups: tuple[Group, ...]

    @property
    def helpers(self) -> tuple[Callable[..., Any], ...]:
        """The functions that the code calls and that are the same for all graphs."""
        text = "".join(self.functions)
        return tuple(
            function
            for function in (fold, move_on, stack_state)
            if f"{function.__name__}(" in text
        )

    @property
    def inline(self) -> tuple[str, ...]:
        """The functions that must not become calls: they have many arguments."""
        names = [defined_name(function) for function in self.functions]
        words = "answer_", "move_", "list_"
        return tuple(
            name for name in names if name.startswith(words) and name[-1].isdigit()
        )

    @property
    def splits(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Where groups begin, and one past the last window."""
        return np.array([0, *(group.stop for group in self.groups)], np.int64)

    @property
    def laps(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The lap of each group."""
        return np.array([group.lap for group in self.groups], np.int64)


@lru_cache(maxsize=512)
def write_kernel(graph: Graph) -> KernelText:
    """The kernel of a graph."""
    groups = groups_of(graph)
    unknown = {root.range == 0 for root in graph.roots}
    if len(unknown) > 1:
        raise GraphError("cannot slide even windows and uneven ones in one kernel")
    functions = _uneven(groups) if unknown.pop() else _even(graph, groups)
    return KernelText(tuple(functions), tuple(groups))


def _even(graph: Graph, groups: list[Group]) -> list[str]:
    functions, rooms, calls, sharing = [], [], [], []
    for number, group in enumerate(groups):
        form, name = group.form, f"slide_{number}"
        bounds = f"splits[{number}], splits[{number + 1}]"
        own = []
        if is_running(form):
            functions += running(form, name, group.stop - group.start)
        elif is_own(form):
            functions += own_laps(form, name)
            own = [f"suffix{number}_{k}" for k in range(stores_of(form))]
            widest = f"ranges[{bounds.replace(', ', ':')}].max()"
            rooms += [f"{array} = allocate({widest})" for array in own]
        else:
            sharing.append((number, group))
            continue
        given = "".join(f"{array}, " for array in own)
        run = f"{name}(source, first, length, {bounds}, ranges, slides, at, {given}out)"
        calls.append(run)
    for lap in sorted({group.lap for _, group in sharing}):
        members = [(number, group) for number, group in sharing if group.lap == lap]
        functions += _shared(graph, lap, members)
        first = members[0][0]
        if len({group.lap for _, group in sharing}) > 1:
            raise GraphError("cannot share laps of two lengths in one kernel")
        rooms.append(f"scratch = lap_scratch(firsts, lasts, laps[{first}], ranges)")
        given = f"source, first, length, laps[{first}], splits, ranges, slides, at"
        calls.append(f"slide_laps({given}, scratch, out)")
    return [*functions, _run_even(rooms, calls)]


def _run_even(rooms: list[str], calls: list[str]) -> str:
    return f'''\
def run(source, firsts, lasts, ranges, slides, at, splits, laps, out):
    """All windows, run by run."""
{block(chr(10).join(rooms), 1)}
    for k in range(len(firsts)):
        first, length = firsts[k], lasts[k] - firsts[k]
{block(chr(10).join(calls), 2)}
        move_on(length, ranges, slides, at)
'''


def _shared(graph: Graph, lap: int, members: list[tuple[int, Group]]) -> list[str]:
    scans = scans_of([group.form for _, group in members])
    functions = long_scans(scans) if scans.is_long else short_scans(scans)
    names = []
    for number, group in members:
        names.append(f"answer_{number}")
        roots = graph.roots[group.start : group.stop]
        within = any(root.range < lap for root in roots)
        functions += stacks(group.form, names[-1])
        functions += answers(group.form, scans, names[-1], within=within, across=True)
    return [*functions, scratch(scans), *slide_laps(scans, "slide_laps", names)]


def _uneven(groups: list[Group]) -> list[str]:
    functions, calls, sharing = [], [], []
    rooms: list[str] = []
    for number, group in enumerate(groups):
        form, name = group.form, f"slide_{number}"
        lists = f"for q in range(splits[{number}], splits[{number + 1}]):\n"
        lists += "    begin = ends[q - 1] if q > 0 else 0\n"
        if is_whole(form):
            functions += slide_differences(form, name)
            if not rooms:
                functions.append(whole_scan(form))
                rooms = [
                    "prefix = allocate(inputs + 1)",
                    "scan_whole(source, inputs, prefix)",
                ]
            given = "source, starts, stops, begin, ends[q], prefix, out"
            calls.append(f"{lists}    {name}({given})")
        elif form.shared:
            sharing.append((number, group))
        else:
            functions += slide_list(form, name)
            given = "source, inputs, starts, stops, begin, ends[q], suffix, out"
            calls.append(f"{lists}    {name}({given})")
    if any("suffix" in call for call in calls):
        rooms.append("suffix = allocate(room)  # of one list after the other")
    if sharing:
        functions += _uneven_laps(sharing)
        lap = f"laps[{sharing[0][0]}]"
        given = "source, inputs, starts, stops, ends, splits"
        calls.append(f"slide_laps({given}, {lap}, room, out)")
    return [
        *functions,
        f'''\
def run(source, inputs, starts, stops, ends, splits, laps, room, out):
    """All windows, list by list."""
{block(chr(10).join([*rooms, *calls]), 1)}
''',
    ]


def _uneven_laps(sharing: list[tuple[int, Group]]) -> list[str]:
    scans = scans_of([group.form for _, group in sharing])
    if scans.is_long or len({group.lap for _, group in sharing}) > 1:
        raise GraphError("cannot walk uneven windows over long laps, or over two")
    functions = short_scans(scans)
    walks = []
    for number, group in sharing:
        functions += stacks(group.form, f"list_{number}")
        functions += slide_in_laps(group.form, scans, f"list_{number}")
        given = "source, starts, stops, cursors[q], ends[q], upto, q, lap"
        arrays = f"{ARRAYS}, out"
        walks.append(f"""\
for q in range(splits[{number}], splits[{number + 1}]):
    cursors[q] = list_{number}({given}, {arrays})""")
    return [
        *functions,
        f'''\
def slide_laps(source, inputs, starts, stops, ends, splits, lap, room, out):
    """Lists of windows over laps that they share."""
    count, many = len(ends), inputs // lap + 1
    ring = np.int64({AHEAD})
    while ring < room // lap + {AHEAD + 2}:  # laps in which windows that are open start
        ring *= 2
    mask = ring - 1
    suffix, prefix = allocate(ring * lap), allocate({AHEAD} * lap)
    totals = allocate(many + {SIDE})
    {STATE} = stack_state(np.full(count, room // lap + 2))
    cursors = np.zeros(count, np.int64)
    for q in range(1, count):
        cursors[q] = ends[q - 1]
    for block in range(0, many, {AHEAD}):
        last, shift = min(block + {AHEAD}, many), -block * lap
        c = block
        while c < last:
            i, place, j = c * lap, (c & mask) * lap, (c - block) * lap
            if (c + {SIDE}) * lap <= inputs and len(IDENTITY) == 1:
                scan_laps(source, i, lap, suffix, place, prefix, j, totals, c)
                c += {SIDE}
            else:
                have = min(lap, inputs - i)
                scan_lap(source, i, lap, have, suffix, place, prefix, j, totals, c)
                c += 1
        upto = last * lap
{block(chr(10).join(walks), 2)}
''',
    ]
