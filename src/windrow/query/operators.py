"""Lists every operator and scalar function of CQL: name, form, number of arguments.

Both evaluators (`batch/expressions.py`, `spark/expressions.py`) have one function for
each of these names, and a test holds the three lists together.

To add one: a line here, its type in `plan/cql/types.py`, one function in each
evaluator.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TextOperator:
    """An operator or function of CQL.

    `form` is infix, prefix, suffix or call; `takes` is the least and the largest number
    of arguments; the higher its `rank`, the tighter an operator binds.
    """

    name: str
    form: str
    takes: tuple[int, int]
    rank: int = 9


MANY = 1_000

CATALOGUE: tuple[TextOperator, ...] = (
    TextOperator("or", "infix", (2, 2), 1),
    TextOperator("and", "infix", (2, 2), 2),
    TextOperator("not", "prefix", (1, 1), 3),
    TextOperator("=", "infix", (2, 2), 4),
    TextOperator("<>", "infix", (2, 2), 4),
    TextOperator("<", "infix", (2, 2), 4),
    TextOperator("<=", "infix", (2, 2), 4),
    TextOperator(">", "infix", (2, 2), 4),
    TextOperator(">=", "infix", (2, 2), 4),
    TextOperator("like", "infix", (2, 2), 4),
    TextOperator("is null", "suffix", (1, 1), 4),
    TextOperator("in", "call", (2, MANY), 4),
    TextOperator("||", "infix", (2, 2), 5),
    TextOperator("+", "infix", (2, 2), 6),
    TextOperator("-", "infix", (2, 2), 6),
    TextOperator("*", "infix", (2, 2), 7),
    TextOperator("/", "infix", (2, 2), 7),
    TextOperator("div", "infix", (2, 2), 7),
    TextOperator("%", "infix", (2, 2), 7),
    TextOperator("negative", "call", (1, 1)),
    TextOperator("case", "call", (3, MANY)),
    TextOperator("as bigint", "call", (1, 1)),
    TextOperator("as double", "call", (1, 1)),
    TextOperator("as string", "call", (1, 1)),
    TextOperator("abs", "call", (1, 1)),
    TextOperator("ceil", "call", (1, 1)),
    TextOperator("coalesce", "call", (1, MANY)),
    TextOperator("floor", "call", (1, 1)),
    TextOperator("length", "call", (1, 1)),
    TextOperator("lower", "call", (1, 1)),
    TextOperator("round", "call", (1, 2)),
    TextOperator("sqrt", "call", (1, 1)),
    TextOperator("upper", "call", (1, 1)),
    TextOperator("start", "call", (1, 1)),
    TextOperator("end", "call", (1, 1)),
)

BY_NAME: dict[str, TextOperator] = {operator.name: operator for operator in CATALOGUE}

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
"""The operator of each function, by its name in lower case."""
