"""Kernels are functions: lifted by their source, interpreted at their own lines."""

import ast
import re
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import windrow as wr
from windrow.aggregates import find as find_aggregate
from windrow.algorithms import _kernel as drivers
from windrow.algorithms import find
from windrow.kernels.vocabulary import prepare, slide
from windrow.loops import ENTRY, INLINE, JIT, Text, interpreting, kernel
from windrow.operator import loops

VALUES = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
LIMIT = 9.0
STEP = 2


def _refuse(older, newer):
    if newer == LIMIT:
        raise ValueError("nine is too much")
    return older + newer


FAILING = wr.Aggregate(
    name="failing",
    lift=lambda value: value,
    combine=_refuse,
    lower=lambda partial: partial,
)


def _slide(aggregate, algorithm, values=VALUES):
    return lambda: wr.slide(values, wr.rows(3), aggregate, algorithm=algorithm)


def _insert_and_query():
    operator = wr.Operator(wr.rows(3), wr.max(), types={"value": "float64"})
    for value in (1.0, 7.0):
        operator.insert(value)
        assert operator.query() == value


def lines_run(call):
    """Every (file, line) that a call runs, seen by the hook that debuggers use."""
    seen = set()

    def trace(frame, event, _):
        if event == "line":
            seen.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return seen


# --- where interpreted kernels run --------------------------------------------------


def test_a_failing_combine_shows_the_line_of_the_algorithm_that_called_it():
    with interpreting(), pytest.raises(ValueError, match="nine is too much") as failed:
        _slide(FAILING, "two_stacks_lite")()

    frames = traceback.extract_tb(failed.value.__traceback__)
    by_file = {Path(frame.filename).name: frame for frame in frames}
    assert by_file["two_stacks_lite.py"].name == "slide"
    assert (
        by_file["two_stacks_lite.py"].line == "emit(out, at + i, combine(head, back))"
    )
    assert by_file["_kernel.py"].line.startswith("slide(source, (base, width, step")
    assert by_file["test_lifted.py"].line == 'raise ValueError("nine is too much")'


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (drivers.run_regular, _slide("max", "two_stacks_lite")),
        (drivers.run_stride, _slide("max", "sba")),
        (find("two_stacks_lite").slide, _slide("max", "two_stacks_lite")),
        (find_aggregate("max").combine, _slide("max", "recompute")),
        (loops.insert_and_answer, _insert_and_query),
        (loops.call_quick, _insert_and_query),
    ],
    ids=lambda value: f"{value.__module__.rpartition('.')[2]}.{value.__name__}",
)
def test_a_debugger_sees_the_lines_of_the_function_that_was_lifted(function, call):
    code = function.__code__
    own = {line for *_, line in code.co_lines() if line} - {code.co_firstlineno}
    first, last = min(own), max(own)

    with interpreting():
        seen = lines_run(call)

    lines = {line for file, line in seen if file == code.co_filename}
    assert first in lines
    assert {line for line in lines if first <= line <= last} <= own


# --- how functions are taken --------------------------------------------------------


def _double(x):
    return STEP * np.int64(x)


def driver(x):
    """A word and a helper, by their names."""
    return slide(x, 0, 0, 0, 0, 0) + _double(x)


def _five(x, *_):
    return 5 + x


def test_a_word_is_taken_where_it_is_used_and_helpers_come_along():
    text = Text("a driver", words={"slide": _five, "prepare": _double})
    text.take(driver, "run", entry=True)

    source = text.render()
    module = kernel(text, interpreted=True)

    assert module.run(1) == 8
    assert "def prepare" not in source
    assert f"{ENTRY}\ndef run(x):" in source
    assert f"{JIT}\ndef slide(x, *_):" in source
    assert "STEP = 2" in source
    assert kernel(text).run(1) == 8


def test_numbers_are_pythons_own_where_kernels_are_interpreted():
    text = Text("a helper")
    text.take(_double, "run", entry=True)

    assert type(kernel(text, interpreted=True).run(1)) is int
    assert "np.int64" in text.render()


def test_a_function_that_is_an_entry_is_one_wherever_it_was_taken_first():
    text = Text("an entry", words={"slide": _five}, inline=("_double",))
    text.take(driver)
    assert f"{INLINE}\ndef _double(x):" in text.render()

    text.take(_double, entry=True)

    assert text.render().count("def _double") == 1
    assert f"{ENTRY}\ndef _double(x):" in text.render()


def test_two_functions_of_one_name_are_refused():
    text = Text("twins")
    text.take(_double, "run")

    with pytest.raises(AssertionError, match="two things are called run"):
        text.take(_five, "run")


def test_a_function_of_an_aggregate_is_named_after_its_module():
    text = Text("names")

    name = text.take(_double, after_module=True)

    assert name == "test_lifted_double"
    assert "test_lifted_STEP = 2" in text.render()


def test_words_have_no_bodies_of_their_own():
    assert slide(0, 0, 0, 0, 0, 0) is None
    assert prepare(1, 0) is None


# --- templates do not creep back ----------------------------------------------------

SOURCE = Path(wr.__file__).parent
# file: how many functions, and why they cannot be lifted
GENERATED = {
    "_later.py": (1, "an __init__ with the fields of its dataclass; no kernel"),
    **{
        f"graph/emit/{name}.py": (count, "walks nodes and edges of a graph")
        for name, count in [
            ("kernel_text", 2),
            ("own_laps", 3),
            ("running", 3),
            ("scans", 4),
            ("shared_laps", 4),
            ("stacks", 1),
            ("uneven", 4),
        ]
    },
    "algorithms/_parts.py": (7, "as many parts as a product has, field by field"),
    "batch/loop_joins.py": (1, "columns of a key, and which of them may be null"),
    "kernels/codes.py": (2, "columns of a key, and which of them may be null"),
    "kernels/leaves.py": (6, "numba sees rows and partials field by field"),
    "kernels/source.py": (16, "numba sees partials field by field; products differ"),
    "kernels/tallies.py": (4, "as source.py, for rows that are counted"),
    "kernels/user.py": (3, "numba sees partials field by field; they are inferred"),
    "operator/arena.py": (
        6,
        "words of a block by its sections; plain Python has views",
    ),
    "operator/layout.py": (1, "as many views as an operator's memory has sections"),
    "operator/runtime.py": (7, "as many ints and partials as the algorithm keeps"),
}


def functions_in_strings(path):
    """How many functions stand in the string literals of a file, but docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    docs = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node not in docs
    ]
    defined = re.compile(r"^ *def (?:\w|$)", re.MULTILINE)
    return sum(len(defined.findall(text)) for text in texts)


def test_functions_stand_in_strings_only_where_their_shape_depends_on_the_kernel():
    files = [path for path in SOURCE.rglob("*.py") if "bench" not in path.parts]

    counts = {
        path.relative_to(SOURCE).as_posix(): functions_in_strings(path)
        for path in files
    }

    expected = {name: count for name, (count, _) in GENERATED.items()}
    assert {name: count for name, count in counts.items() if count} == expected
