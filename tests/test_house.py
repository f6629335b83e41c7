"""The house is in order: one contract for windows, rooms that say what they hold."""

from __future__ import annotations

import ast
import functools
import pkgutil
import re
import sys
from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pytest

import windrow as wr

SOURCE = Path(wr.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

ROOMS = ("batch", "operator", "state", "tasks")
KINDS = {
    "Sliding", "Rows", "Calendar", "PolicyWindow",
    "Periodic", "Counted", "CalendarRule",
}  # fmt: skip

# Where bounds may be computed from range, slide and shift: loops and slicers that are
# handed `rule.even`, and the planner, which weighs lengths against each other.
EVEN = {
    "batch/aggregate.py",
    "batch/assemble.py",
    "batch/shared_scans.py",
    "batch/slices.py",
    "plan/aggregate.py",
    "plan/choose.py",
    "plan/explain_lines.py",
    "plan/flow.py",
    "plan/sharing.py",
    "plan/tiles.py",
    "slicing/cut.py",
}


@functools.cache
def tree(file: Path) -> ast.Module:
    """What is written there; read when a test asks, not by all who collect tests."""
    return ast.parse(file.read_text("utf-8"))


def _name(file: Path) -> str:
    return file.relative_to(SOURCE).as_posix()


def _outside_windows():
    apart = ("windows/", "cli/")
    return [file for file in FILES if not _name(file).startswith(apart)]


def test_outside_windows_nobody_asks_of_which_class_a_window_is():
    asking = []
    for file in _outside_windows():
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
                "isinstance",
                "issubclass",
                "type",
            ):
                words = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                if words & KINDS:
                    asking.append(f"{_name(file)}:{node.lineno}")

    assert asking == []


def test_outside_windows_only_loops_and_the_planner_see_even_bounds():
    seeing = {
        _name(file)
        for file in _outside_windows()
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Attribute) and node.attr == "even"
    }

    assert seeing <= EVEN


def test_no_two_classes_of_the_package_share_a_name():
    places = defaultdict(list)
    for file in FILES:
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(_name(file))

    twice = {name: files for name, files in places.items() if len(files) > 1}
    assert twice == {}


def test_no_package_imports_an_underscore_module_of_another():
    private = []
    for file in FILES:
        package = file.relative_to(SOURCE).parts[0]
        for node in ast.walk(tree(file)):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module, *(f"{node.module}.{a.name}" for a in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                found = re.match(r"windrow\.(\w+)\.(?:\w+\.)*_[a-z]", name)
                if found and found[1] != package:
                    private.append(f"{_name(file)} imports {name}")

    assert private == []


def test_the_rooms_that_were_one_engine_stay_few():
    loops = ("loops", "key_loops", "lap_loops", "many_loops", "places", "policies")
    lifted = {  # an operator's kernel, which stood with the algorithms
        f"operator/{name}.py" for name in ("arena", "layout", "runtime", *loops)
    }
    modules = [_name(file) for file in FILES if _name(file).split("/")[0] in ROOMS]

    assert lifted <= set(modules)
    assert len(set(modules) - lifted) <= 92  # engine/ had 78; see architecture.md


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_every_module_says_in_a_sentence_what_it_is(file):
    text = ast.get_docstring(tree(file)) or ""

    first = text.split("\n\n")[0].replace("\n", " ")
    assert re.match(r"[A-Z`\"'].*[.:]$", first), first


def test_every_package_opens_with_a_map_of_its_modules():
    packages = [SOURCE / name for name in (*ROOMS, "windows", "plan", "spark")]
    missing = {}
    for package in packages:
        text = ast.get_docstring(tree(package / "__init__.py")) or ""
        modules = [m.name for m in pkgutil.iter_modules([str(package)])]
        missing[package.name] = [
            name
            for name in modules
            if not name.startswith("_") and not re.search(rf"\b{name}\b", text)
        ]

    assert {name: lost for name, lost in missing.items() if lost} == {}


# --- the walk of a call ---------------------------------------------------------


def _walked(call):
    """The pairs of modules between which functions are called, in order, once each.

    Methods and properties of values are no hop: a plan's attribute is part of the plan.
    """
    hops = {}

    def profile(frame, event, _):
        if event != "call" or frame.f_back is None:
            return
        to = frame.f_globals.get("__name__", "")
        source = frame.f_back.f_globals.get("__name__", "")
        ours = to.startswith("windrow.") and source.startswith("windrow.")
        if ours and to != source and "." not in frame.f_code.co_qualname:
            hops[source, to] = None

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(hops)


def _room(module: str) -> str:
    return module.split(".")[1]


GROUND = ("loops", "errors")  # what every room stands on, as on numpy


TABLE = pa.table(
    {"at": list(range(100)), "key": ["a", "b"] * 50, "x": [1.5] * 100, "n": [1] * 100}
)
CALLS = {
    "aggregate": lambda: wr.aggregate(
        TABLE, wr.sliding(20, every=5, on="at"), by="key", top=wr.max("x")
    ),
    "over": lambda: wr.over(TABLE, on="at", by="key", s=wr.sum("x", last=9)),
    "slide": lambda: wr.slide(TABLE["x"].to_numpy(), wr.rows(10), "max"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_never_goes_back_from_the_tables_to_the_planner(name):
    CALLS[name]()  # compile first

    back = [
        (source, to)
        for source, to in _walked(CALLS[name])
        if _room(source) == "batch" and _room(to) == "plan"
    ]

    assert back == []


@pytest.mark.parametrize("name", CALLS)
def test_a_call_crosses_from_room_to_room_at_most_14_times(name):
    CALLS[name]()  # compile first

    hops = {(_room(source), _room(to)) for source, to in _walked(CALLS[name])}
    crossings = [
        (source, to)
        for source, to in hops
        if source != to and source not in GROUND and to not in GROUND
    ]

    assert len(crossings) <= 14


def test_a_walk_sees_the_calls_between_modules():
    CALLS["aggregate"]()

    walked = _walked(CALLS["aggregate"])

    assert ("windrow._dispatch", "windrow.plan.resolve") in walked
    assert ("windrow.batch.cells", "windrow.slicing.cells") in walked
