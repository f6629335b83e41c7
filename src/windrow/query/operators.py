"""Every operator and scalar function: its name, how it is written, what it takes.

Both evaluators (`batch/expressions.py`, `spark/expressions.py`) have one function for
each of these names, and a test holds the three lists together.

To add one: a line here, its type in `plan/cql/types.py`, one function in each
evaluator.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Operator:
    """`form` is infix, prefix, suffix or call; `takes` the least and most arguments.

    Infix operators bind the tighter the higher their `rank`.
    """

    name: str
    form: str
    takes: tuple[int, int]
    rank: int = 9


MANY = 1_000

CATALOGUE: tuple[Operator, ...] = (
    Operator("or", "infix", (2, 2), 1),
    Operator("and", "infix", (2, 2), 2),
    Operator("not", "prefix", (1, 1), 3),
    Operator("=", "infix", (2, 2), 4),
    Operator("<>", "infix", (2, 2), 4),
    Operator("<", "infix", (2, 2), 4),
    Operator("<=", "infix", (2, 2), 4),
    Operator(">", "infix", (2, 2), 4),
    Operator(">=", "infix", (2, 2), 4),
    Operator("like", "infix", (2, 2), 4),
    Operator("is null", "suffix", (1, 1), 4),
    Operator("in", "call", (2, MANY), 4),
    Operator("||", "infix", (2, 2), 5),
    Operator("+", "infix", (2, 2), 6),
    Operator("-", "infix", (2, 2), 6),
    Operator("*", "infix", (2, 2), 7),
    Operator("/", "infix", (2, 2), 7),
    Operator("div", "infix", (2, 2), 7),
    Operator("%", "infix", (2, 2), 7),
    Operator("negative", "call", (1, 1)),
    Operator("case", "call", (3, MANY)),
    Operator("as bigint", "call", (1, 1)),
    Operator("as double", "call", (1, 1)),
    Operator("as string", "call", (1, 1)),
    Operator("abs", "call", (1, 1)),
    Operator("ceil", "call", (1, 1)),
    Operator("coalesce", "call", (1, MANY)),
    Operator("floor", "call", (1, 1)),
    Operator("length", "call", (1, 1)),
    Operator("lower", "call", (1, 1)),
    Operator("round", "call", (1, 2)),
    Operator("sqrt", "call", (1, 1)),
    Operator("upper", "call", (1, 1)),
    Operator("start", "call", (1, 1)),
    Operator("end", "call", (1, 1)),
)

BY_NAME: dict[str, Operator] = {one.name: one for one in CATALOGUE}

CASTS = ("as bigint", "as double", "as string")
FUNCTIONS: dict[str, str] = {
    "abs": "abs",
    "ceil": "ceil",
    "ceiling": "ceil",
    "coalesce": "coalesce",
    "floor": "floor",
    "length": "length",
    "lower": "lower",
    "round": "round",
    "sqrt": "sqrt",
    "upper": "upper",
}
"""Functions as they are written, all in small letters, and their operators."""
