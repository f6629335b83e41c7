"""No loop chooses between partials by a conditional expression.

As an argument, `emit(out, i, load(...) if a < b else IDENTITY)`, it compiles to code
three to seven times slower than an if statement, and nothing shows which it will be.
"""

import ast
from pathlib import Path

import pytest

import windrow

FOLDER = Path(windrow.__file__).parent
LOOPS = sorted(
    path
    for room in ("algorithms", "graph", "slicing", "spans")
    for path in (FOLDER / room).glob("*.py")
    if "kernels.vocabulary" in path.read_text()
)
WORDS = {
    "IDENTITY", "combine", "inverse", "join", "join_tallies", "leaf", "load",
    "load_tally", "partial_of", "tally", "tally_of",
}  # fmt: skip
ARGUMENTS = {"ca", "csa", "middle", "partial", "state", "value", "whole"}


def conditional_values(source: str) -> list[str]:
    """The conditional expressions of a module that choose between partials."""
    return [
        ast.unparse(expression)
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
        for expression in ast.walk(function)
        if isinstance(expression, ast.IfExp)
        and names_of([expression.body, expression.orelse]) & partials_of(function)
    ]


def partials_of(function: ast.FunctionDef) -> set[str]:
    """The names of partials in a function: words that give one, and what holds one."""
    names = WORDS | {arg.arg for arg in function.args.args if arg.arg in ARGUMENTS}
    assignments = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    before = set()
    while names != before:
        before = set(names)
        for assignment in assignments:
            if names_of([assignment.value]) & names:
                names |= names_of(assignment.targets)
    return names


def names_of(nodes: list[ast.expr]) -> set[str]:
    return {
        name.id
        for node in nodes
        for name in ast.walk(node)
        if isinstance(name, ast.Name)
    }


@pytest.mark.parametrize("path", LOOPS, ids=lambda path: path.stem)
def test_no_loop_chooses_between_partials_by_an_expression(path):
    assert conditional_values(path.read_text()) == []


@pytest.mark.parametrize(
    "body",
    [
        "emit(out, i, load(part, i) if i < n else IDENTITY)",
        "whole = leaf(source, i)\n    other = whole\n    return other if i else n",
        "return combine(value, value) if i else value",
    ],
)
def test_such_an_expression_is_seen(body):
    assert len(conditional_values(f"def f(out, i, n, value):\n    {body}")) == 1


def test_whole_numbers_may_be_chosen_by_an_expression():
    source = "def f(i, n):\n    whole = leaf(s, i)\n    return i if n > 0 else n"

    assert conditional_values(source) == []
