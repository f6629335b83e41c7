"""Lists every operator and scalar function of CQL: name, form, number of arguments.

Both evaluators (`batch/expressions.py`, `spark/expressions.py`) have one function for
each of these names, and a test holds the three lists together.

To add one: a line here, its type in `plan/cql/types.py`, one function in each
evaluator.
"""

from __future__ import annotations

from windrow._later import dataclass


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
CASTS = ("as bigint", "as double", "as string")
_INFIX: dict[int, tuple[str, ...]] = {
    1: ("or",),
    2: ("and",),
    4: ("=", "<>", "<", "<=", ">", ">=", "like"),
    5: ("||",),
    6: ("+", "-"),
    7: ("*", "/", "div", "%"),
}
_UNARY = ("abs", "ceil", "floor", "length", "lower", "sqrt", "upper")
_OTHERS = ("negative", "start", "end")

CATALOGUE: tuple[TextOperator, ...] = (
    *(
        TextOperator(name, "infix", (2, 2), rank)
        for rank, names in _INFIX.items()
        for name in names
    ),
    TextOperator("not", "prefix", (1, 1), 3),
    TextOperator("is null", "suffix", (1, 1), 4),
    TextOperator("in", "call", (2, MANY), 4),
    TextOperator("case", "call", (3, MANY)),
    TextOperator("coalesce", "call", (1, MANY)),
    TextOperator("round", "call", (1, 2)),
    *(TextOperator(name, "call", (1, 1)) for name in (*_OTHERS, *CASTS, *_UNARY)),
)

BY_NAME: dict[str, TextOperator] = {operator.name: operator for operator in CATALOGUE}

_FUNCTIONS = sorted((*_UNARY, "ceiling", "coalesce", "round"))
FUNCTIONS: dict[str, str] = {name: name for name in _FUNCTIONS} | {"ceiling": "ceil"}
"""The operator of each function, by its name in lower case."""
