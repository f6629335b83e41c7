"""Writes the functions of a kernel from a graph, which walks its nodes and edges.

    run(source, firsts, lasts, ranges, slides, at, splits, laps, out)

    firsts, lasts     runs of inputs: [first, last) for each key
    ranges, slides    of each window, in inputs
    at                where the next result of each window goes
    splits            group g of windows is [splits[g], splits[g + 1])
    laps              the lap of the scans that a group shares, 0 for none

Where windows are not equally long (a range of 0 in the graph):

    run(source, inputs, starts, stops, at, splits, laps, room, out)
    run(source, inputs, instants, firsts, lasts, ranges, slides, shifts, begins, ...)

    starts, stops     of all windows, list by list; list q is [at[q], at[q + 1])
    instants          of inputs, which rise in each run; window k of a list lasts from
                      shift + k * slide on for its range, and those that hold an input
                      come out; where each begins is written to `begins`
    room              inputs of the longest window
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from windrow._later import dataclass
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
from .uneven import SCAN_ALL, WALKS, BoundsWalk, is_whole, slide_list, whole_scan


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
def write_kernel(graph: Graph, walk: str = "arrays") -> KernelText:
    """The kernel of a graph; `walk` says how bounds of uneven windows are found."""
    groups = groups_of(graph)
    unknown = {root.range == 0 for root in graph.roots}
    if len(unknown) > 1:
        raise GraphError("cannot slide even windows and uneven ones in one kernel")
    is_uneven = unknown.pop()
    functions = _uneven(groups, WALKS[walk]) if is_uneven else _even(graph, groups)
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


def _uneven(groups: list[Group], walk: BoundsWalk) -> list[str]:
    sharing = [group for group in groups if group.form.shared and group.lap]
    wholes = [group.form for group in groups if is_whole(group.form)]
    if len({group.lap for group in sharing}) > 1 or (sharing and wholes):
        raise GraphError("cannot share laps of two lengths in one kernel")
    functions: list[str] = []
    scans = None
    rooms = {"suffix": "room", "prefix": "np.int64(0)", "totals": "np.int64(0)"}
    fills, state = [], "np.zeros(1, np.int64)"
    if sharing:
        scans = scans_of([group.form for group in sharing])
        functions += [*short_scans(scans), SCAN_ALL]
        lap = f"laps[{groups.index(sharing[0])}]"
        totals = f"inputs // {lap} + {SIDE}"
        rooms = {
            "suffix": "max(inputs, room)",
            "prefix": "inputs + 1",
            "totals": totals,
        }
        fills = [f"scan_all(source, inputs, {lap}, suffix, prefix, totals)"]
        state = f"np.full(len(at), room // {lap} + 2)"
    if wholes:
        functions.append(whole_scan(wholes[0]))
        rooms["prefix"] = "inputs + 1"
        fills = ["scan_whole(source, inputs, prefix)"]
    lines = [f"{name} = allocate({room})" for name, room in rooms.items()]
    lines += [f"{STATE} = stack_state({state})", *fills]
    for number, group in enumerate(groups):
        functions += stacks(group.form, f"list_{number}")
        functions += slide_list(group.form, scans, f"list_{number}", walk)
        lines.append(walk.call(f"list_{number}", number))
    return [
        *functions,
        f'''\
def run(source, inputs, {walk.bounds}, at, splits, laps, room, out):
    """All windows, list by list."""
{block(chr(10).join(lines), 1)}
''',
    ]
