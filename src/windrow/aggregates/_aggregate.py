r"""Defines an aggregate: lift, combine, lower, an identity, and laws.

    values      v0      v1      v2      v3
                |lift   |       |       |
    partials    p0      p1      p2      p3          partial = a tuple of fields
                 \combine/       \combine/
                    p01             p23
                      \  combine  /
                          p0123
                            |lower
                          result

`combine(older, newer)` is always called in stream order and is associative; the
laws say what else holds.  The planner and the algorithms rely on nothing else.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from windrow.errors import BadInput, WindowError
from windrow.windows import Duration, parse_duration

Function = Callable[..., Any]


class Law(enum.Flag):
    """What holds for `combine` beyond associativity, which every aggregate has.

        COMMUTATIVE   combine(a, b) == combine(b, a)
        INVERTIBLE    inverse(combine(a, b), a) == b: the *oldest* is taken off
        SELECTIVE     combine(a, b) is a or b
        IDEMPOTENT    combine(a, a) == a
        HOLISTIC      no partial of bounded size exists

    Combine several with `|`, or write them as words in a list.
    """

    NONE = 0
    COMMUTATIVE = enum.auto()
    INVERTIBLE = enum.auto()
    SELECTIVE = enum.auto()
    IDEMPOTENT = enum.auto()
    HOLISTIC = enum.auto()

    def names(self) -> list[str]:
        """The laws as lower-case words, in the order above."""
        return [str(law.name).lower() for law in Law if law in self and law.value]


@dataclass(frozen=True)
class Field:
    """One column of a partial.

    `kind` is "int" or "float", or "value": whichever the input column is.
    Two built-in aggregates that use the same field name over the same input mean
    the same number by it; that is what lets a product keep it once.

    `native` is the same number in SQL, for an engine that folds rows into slices by
    its own aggregates.  In it stand

        {value} {other}     the inputs as the kernel's lift gets them, null if left out
        {raw}               the first input column as it is
        {one}               something that is null where the row is left out
        {valid}             whether the row counts
        {time} {order}      the instant in ticks; it and the columns that break ties
        {payload}           the column that a position stands for

    A field that holds a position gives the payload at that position.
    """

    name: str
    kind: str = "value"
    native: str | None = None


class _Absent(enum.Enum):
    """A value that is the same object in every process."""

    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""The identity of an aggregate that has none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Aggregate:
    """An aggregate: plain functions over values and partials, and their laws.

    Your own needs a name, `lift`, `combine` and `lower`; a partial is a number or
    a tuple of numbers.  The functions are compiled into the loop.

    >>> import math
    >>> log_sum_exp = Aggregate(
    ...     name="log_sum_exp",
    ...     lift=lambda v: (v, 1.0),
    ...     combine=lambda a, b: (a[0], a[1] + b[1] * math.exp(b[0] - a[0]))
    ...     if a[0] >= b[0] else (b[0], b[1] + a[1] * math.exp(a[0] - b[0])),
    ...     lower=lambda p: p[0] + math.log(p[1]),
    ...     laws="commutative",
    ... )
    >>> log_sum_exp("x").label
    'log_sum_exp(x)'

    `identity` may be left out.  Calling an aggregate with column names gives a
    `Call`, which is what the query functions take.

    The remaining attributes belong to built-in aggregates: the schema of the
    partial (`fields`), what `lift` is given (`takes`: "value", "other",
    "position"), which column types have a meaning (`accepts`), what `lower` gives
    (`result`), and whether that is defined or null (`defined`).
    """

    name: str
    lift: Function
    combine: Function
    lower: Function
    identity: Any = ABSENT
    inverse: Function | None = None
    laws: Any = Law.NONE
    fields: tuple[Field, ...] = ()
    takes: tuple[str, ...] = ("value",)
    columns: tuple[int, int] = (1, 1)
    accepts: str = "number"
    result: str = "float"
    defined: Function | None = None
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    aliases: tuple[str, ...] = ()
    summary: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "laws", _laws(self.laws))
        for label in ("lift", "combine", "lower", "inverse", "defined"):
            function = getattr(self, label)
            optional = label in ("inverse", "defined")
            if not callable(function) and not (optional and function is None):
                raise BadInput.because(
                    f"cannot make aggregate {self.name!r}",
                    f"{label} is of type {type(function).__name__}, not a function",
                    "give plain functions: lift(value), combine(older, newer), "
                    "lower(partial)",
                )
        if self.inverse is None and Law.INVERTIBLE in self.laws:
            raise BadInput.because(
                f"cannot make aggregate {self.name!r}",
                "it is declared invertible but has no inverse",
                "give inverse(whole, oldest), or leave out the law",
            )
        if self.inverse is not None:
            object.__setattr__(self, "laws", self.laws | Law.INVERTIBLE)

    @property
    def native(self) -> bool:
        """Whether every field of its partial can be had in SQL."""
        return bool(self.fields) and all(field.native for field in self.fields)

    @property
    def is_users(self) -> bool:
        """Whether a user wrote it: its partial's schema is then inferred."""
        return not self.fields and Law.HOLISTIC not in self.laws

    def __call__(
        self,
        *columns: str,
        last: object = None,
        closed: str | None = None,
        **options: Any,
    ) -> Call:
        """This aggregate over columns, as the query functions take it."""
        return Call.of(self, columns, last, closed, options)


CLOSED = ("both", "left", "right", "neither")


@dataclass(frozen=True)
class Call:
    """An aggregate over named columns, with the frame that `wr.over` needs.

    `last` is a duration, or a whole number of rows that ends with this row; over a
    numeric time column a duration is text without a unit: last="60".
    `closed` says which ends of a duration are in: the far one is left.
    """

    aggregate: Aggregate
    columns: tuple[str, ...] = ()
    last: Duration | int | None = None
    closed: str = "both"
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of(
        cls,
        aggregate: Aggregate,
        columns: tuple[str, ...],
        last: object,
        closed: str | None,
        options: Mapping[str, Any],
    ) -> Call:
        """Check and freeze what the user wrote."""
        most = aggregate.columns[1]
        if len(columns) > most or any(not isinstance(name, str) for name in columns):
            raise BadInput.because(
                f"cannot make {aggregate.name}{columns!r}",
                f"it takes {_column_words(aggregate)}",
                f"write wr.{aggregate.name}"
                f"({', '.join(repr(f'column_{i + 1}') for i in range(most))})",
            )
        unknown = set(options) - set(aggregate.options)
        if unknown:
            known = ", ".join([*aggregate.options, "last", "closed"])
            raise BadInput.because(
                f"cannot make {aggregate.name}",
                f"it has no option {min(unknown)!r}",
                f"its options are {known}",
            )
        frame: Duration | int | None = None
        if last is not None:
            frame = _frame(last)
            if frame.amount <= 0:
                raise WindowError.because(
                    f"cannot look back over the last {frame.text}",
                    "a frame must be more than zero",
                    "use a positive duration or number of rows",
                )
            if not frame.is_time and not isinstance(last, str):
                frame = frame.amount
        if closed is not None and closed not in CLOSED:
            raise WindowError.because(
                f"cannot close a frame on {closed!r}",
                "there is no such side",
                f"use one of {', '.join(CLOSED)}",
            )
        if closed is not None and not isinstance(frame, Duration):
            raise WindowError.because(
                f"cannot close {aggregate.name} on {closed!r}",
                "closed is about durations, and last is not one",
                "leave closed out, or give last as a duration such as '1 hour'",
            )
        return cls(
            aggregate,
            columns,
            frame,
            closed or "both",
            MappingProxyType({**aggregate.options, **options}),
        )

    @property
    def label(self) -> str:
        """How it reads in messages and plans: `mean(len)`."""
        return f"{self.aggregate.name}({', '.join(self.columns)})"


def _frame(last: object) -> Duration:
    """A duration; text without a unit counts in the unit of a numeric time column."""
    if isinstance(last, str) and last.strip().lstrip("-").isdigit():
        return Duration(last.strip(), number=int(last))
    return parse_duration(last, what="a frame")


def _column_words(aggregate: Aggregate) -> str:
    least, most = aggregate.columns
    if most == 0:
        return "no column"
    words = f"{least}" if least == most else f"{least} or {most}"
    return f"the names of {words} column{'s' if most > 1 else ''}"


def _laws(laws_or_words: Any) -> Law:
    if isinstance(laws_or_words, Law):
        return laws_or_words
    is_word = isinstance(laws_or_words, str)
    words: Iterable[Any] = [laws_or_words] if is_word else laws_or_words
    laws = Law.NONE
    for word in words:
        if isinstance(word, Law):
            laws |= word
            continue
        try:
            laws |= Law[str(word).upper()]
        except KeyError:
            raise BadInput.because(
                f"cannot read law {word!r}",
                "there is no such law",
                "laws are commutative, invertible, selective, idempotent",
            ) from None
    return laws
