"""Defines every error that Windrow raises, and the shape of its message.

    WindrowError
    ├── WindowError            a window that makes no sense        (ValueError)
    ├── UnknownName            a column, aggregate or algorithm that does not exist
    ├── UnsupportedType        a column type the aggregate has no meaning for
    ├── UnsuitableAlgorithm    an algorithm that needs a law the aggregate lacks
    ├── BadInput               data that breaks a promise, or an unsuitable argument
    ├── QueryError             an unexpected word in a query, with its place
    ├── StateError             damaged state of a stream, or that of another query
    └── SumOverflow            an exact result that its type cannot hold

All but the last two are raised before anything is computed.
A message is one sentence (what could not be done, colon, the cause with the
value), then a line `Hint:` with what would work; that of a query also shows the
line of the query, with carets under the word.  Bugs of Windrow are plain
`AssertionError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Self

_WORD = re.compile(r"\s*(\w+|\S)")


class WindrowError(ValueError):
    """Anything Windrow refuses to do."""

    @classmethod
    def because(cls, fact: str, cause: str, hint: str) -> Self:
        """An error with the shape that every message has."""
        return cls(f"{fact}: {cause}\nHint: {hint}")


class WindowError(WindrowError):
    """A range, slide, offset or duration that makes no sense."""


class UnknownName(WindrowError):
    """A name that does not exist, with the nearest ones that do."""

    @classmethod
    def among(cls, kind: str, name: object, known: Iterable[str]) -> Self:
        """An error with the unknown name and the nearest known ones."""
        import difflib  # noqa: PLC0415 - only an error needs it

        known = list(known)
        near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)
        if near:
            hint = f"did you mean {' or '.join(near)}?"
        elif known:
            hint = f"known are {', '.join(known)}"
        else:
            hint = "there is none to choose from"
        return cls.because(
            f"no {kind} called {name!r}",
            f"it is not among the {len(known)} known",
            hint,
        )


class UnsupportedType(WindrowError):
    """A column type the aggregate has no meaning for."""


class UnsuitableAlgorithm(WindrowError):
    """The algorithm needs a law the aggregate lacks."""

    @classmethod
    def lacking(
        cls, law: str, *, algorithm: str, aggregate: str, able: Iterable[str]
    ) -> Self:
        """An error with both names, the missing law, and algorithms that suit."""
        return cls.because(
            f"{algorithm} cannot slide {aggregate}",
            f"{aggregate} is not {law}",
            f"use {' or '.join(able)}, or leave the algorithm to the planner",
        )


class BadInput(WindrowError):
    """Data or arguments that break a promise."""


class QueryError(WindrowError):
    """A query that cannot be read: what was expected, and where.

    `line` and `column` count from one, `start` and `stop` are places in the text.
    """

    line = column = 1
    start = stop = 0

    @classmethod
    def at(cls, text: str, start: int, stop: int, expected: str, hint: str) -> Self:
        """Point at the text between two places; at one place, at the word after it.

        >>> print(QueryError.at("select from S", 7, 11, "a column", "name one"))
        cannot read the query: expected a column, got 'from' at line 1, column 8
          select from S
                 ^^^^
        Hint: name one
        """
        start = min(start, len(text.rstrip()))
        if start >= stop and (after := _WORD.search(text, start)):
            start, stop = after.span(1)
        line = text.count("\n", 0, start) + 1
        column = start - (text.rfind("\n", 0, start) + 1) + 1
        shown = text.split("\n")[line - 1]
        word = text[start:stop].partition("\n")[0].rstrip()
        got = repr(word) if word else "the end"
        under = "".join("\t" if c == "\t" else " " for c in shown[: column - 1])
        error = cls(
            f"cannot read the query: expected {expected}, got {got} "
            f"at line {line}, column {column}\n"
            f"  {shown}\n  {under}{'^' * max(1, len(word))}\nHint: {hint}"
        )
        error.line, error.column = line, column
        error.start, error.stop = start, stop
        return error


class StateError(WindrowError):
    """State of a stream that is damaged, too new, or was written by another query."""


class SumOverflow(WindrowError, ArithmeticError):
    """An exact sum that does not fit its result type."""


class InterpretedWarning(UserWarning):
    """A user's function could not be compiled and runs as plain Python."""


class StateWarning(UserWarning):
    """Saved state that cannot tell whether this very query wrote it."""


class CacheWarning(UserWarning):
    """A folder of compiled kernels, or a file in it, that cannot be used."""


class SketchWarning(UserWarning):
    """Estimates whose data show a weak spot of the sketch that they come from."""
