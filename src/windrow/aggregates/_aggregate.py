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
from collections.abc import Callable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, Final

from windrow._later import dataclass
from windrow.errors import BadInput

from ._frame import FRAME, Extent, check_frame, read_extent
from ._law import Law, read_laws
from ._manual import CallSignature, Page

Function = Callable[..., Any]

FUNCTIONS = ("lift", "combine", "lower", "inverse", "defined")


@dataclass(frozen=True)
class Field:
    """One column of a partial.

    `kind` is "int" or "float", or "value": whichever the input column is.  A field
    name over one input means one number in all built-in aggregates, so that a product
    holds it once.  `native` is that number in SQL, for an engine that folds rows into
    slices by its own aggregates:

        {value} {other}     the inputs as the kernel's lift gets them, null if left out
        {raw}               the first input column as it is
        {one}               something that is null where the row is left out
        {valid}             whether the row counts
        {time} {order}      the instant in ticks; it and the columns that break ties
        {payload}           the column whose value a position stands for
    """

    name: str
    kind: str = "value"
    native: str | None = None


@dataclass(frozen=True)
class Tally:
    """A smaller partial, for loops that know how many rows each holds.

        lift(value, origin)            a tally of one row
        combine(older, newer)          tallies with the same origin
        settle(tally, origin, n)       the partial of these n rows
        measure(partial, origin)       and back

    `origin` is the value of a row that is in every window which the tally is for, so
    that nothing that has left a window can be seen in it; `lower` must not read what
    depends on it.  `kinds` are those of the tally's fields, as in `Field`.
    """

    kinds: tuple[str, ...]
    lift: Function
    combine: Function
    settle: Function
    measure: Function


class _Absent(enum.Enum):  # a member is the same object in every process
    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""The identity of an aggregate that has none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Aggregate:
    """An aggregate: plain functions over values and partials, and their laws.

    Your own needs a `name` and three functions.  `lift` makes a partial of a value,
    `combine` one of an older and a newer partial, and `lower` the result; a partial is
    a number or a tuple of numbers.  They run in the loop.

    `identity` is the partial of no values, and may be left out.  So may `inverse`,
    which takes the oldest part off a partial: `inverse(combine(a, b), a)` is b.
    `laws` says what else holds, in a word or a list of words: "commutative"
    (`combine(a, b)` is `combine(b, a)`), "selective" (it is a or b), "idempotent"
    (`combine(a, a)` is a) or "none"; with an inverse it is "invertible" too.

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

    Calling an aggregate with column names gives a `Call`, which is what the query
    functions take.

    The remaining attributes belong to built-in aggregates: the partial's schema, what
    `lift` takes ("value", "other", "position"), how many columns are named, which types
    of them have a meaning, what `lower` gives, whether that is defined or null, and
    the tally of rows that are counted already.  `sql` is the result over all rows of a
    group, in the words of `Field.native`, or of its fields by name.  `halves` are
    aggregates whose partials, side by side, are its own: each is combined by itself.
    What follows the columns in a call are options, in the order in which `options`
    lists them; `check` takes their values by name, refuses what has no meaning, and
    gives them as they are kept.  An approximate one names the `sketch` that is its
    partial, and the `error` that it stays within.  `partial_form` rises where a version
    keeps other fields than the one before it: state that was saved in another form is
    refused.
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
    tally: Tally | None = None
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    check: Function | None = None
    aliases: tuple[str, ...] = ()
    partial_form: int = 1
    summary: str = ""
    sql: str | None = None
    halves: tuple[Aggregate, ...] = ()
    sketch: str = ""
    error: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "laws", read_laws(self.laws))
        for label in FUNCTIONS:
            function = getattr(self, label)
            is_left_out = function is None and label in ("inverse", "defined")
            if not callable(function) and not is_left_out:
                raise BadInput.because(
                    f"cannot make aggregate {self.name!r}",
                    f"{label} is of type {type(function).__name__}, not a function",
                    "give plain functions: lift(value), combine(older, newer), "
                    "lower(partial)",
                )
        if self.inverse is not None:
            object.__setattr__(self, "laws", self.laws | Law.INVERTIBLE)
        elif Law.INVERTIBLE in self.laws:
            raise BadInput.because(
                f"cannot make aggregate {self.name!r}",
                "it is declared invertible but has no inverse",
                "give inverse(whole, oldest), or leave out the law",
            )

    def __repr__(self) -> str:
        return f"<windrow aggregate {self.name}>"

    @property
    def native(self) -> bool:
        """Whether every field of its partial can be had in SQL."""
        return bool(self.fields) and all(field.native for field in self.fields)

    @property
    def is_users(self) -> bool:
        """Whether a user wrote it: its partial's schema is then inferred."""
        return not self.fields and self.in_kernels

    @property
    def in_kernels(self) -> bool:
        """Whether its partial is numbers, which kernels combine."""
        return Law.HOLISTIC not in self.laws and not self.sketch

    def __call__(
        self,
        *columns: Any,
        last: object = None,
        next: object = None,
        closed: str | None = None,
        min_periods: int | None = None,
        where: str | None = None,
        **options: Any,
    ) -> Call:
        """This aggregate over columns, as the query functions take it."""
        columns, options = self._split(columns, options)
        self._check_columns(columns)
        unknown = set(options) - set(self.options)
        if unknown:
            raise BadInput.because(
                f"cannot make {self.name}",
                f"it has no option {min(unknown)!r}",
                f"its options are {', '.join([*self.options, *FRAME, 'where'])}",
            )
        back, ahead = read_extent(last, "last"), read_extent(next, "next")
        check_frame(self.name, back, ahead, closed, min_periods)
        if where is not None and not isinstance(where, str):
            raise BadInput.because(
                f"cannot filter {self.name}",
                f"where is of type {type(where).__name__}, not text",
                "write a condition of the query language: where=\"kind = 'refund'\"",
            )
        options = {**self.options, **options}
        if self.check is not None:
            options = self.check(**options)
        own = MappingProxyType(options)
        return Call(self, columns, back, closed, own, where, ahead, min_periods)

    def _split(
        self, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The names of columns, and the options with those that stand behind them."""
        names = list(self.options)
        count = next(
            (i for i, a in enumerate(arguments) if not isinstance(a, str)),
            len(arguments),
        )
        behind = arguments[count:]
        if not names or len(behind) > len(names):
            return arguments, options
        for name in names[: len(behind)]:
            if name in options:
                raise BadInput.because(
                    f"cannot make {self.name}",
                    f"{name} is given twice, by its place and by its name",
                    "give it once",
                )
        return arguments[:count], {**dict(zip(names, behind, strict=False)), **options}

    def _check_columns(self, columns: tuple[object, ...]) -> None:
        least, most = self.columns
        if len(columns) <= most and all(isinstance(name, str) for name in columns):
            return
        strange = [name for name in columns if not isinstance(name, str)]
        if strange and most:
            raise BadInput.because(
                f"cannot make {self.name} of a {_kind(strange[0])}",
                "it takes names of columns",
                f"write wr.{self.name}('column'); an expression is a column that you "
                "add to the table first, as with_columns, assign or withColumn do",
            )
        number = f"{least}" if least == most else f"{least} or {most}"
        words = f"the names of {number} column{'s' if most > 1 else ''}"
        names = ", ".join(repr(f"column_{i + 1}") for i in range(most))
        raise BadInput.because(
            f"cannot make {self.name}{columns!r}",
            f"it takes {words if most else 'no column'}",
            f"write wr.{self.name}({names})",
        )


# Each aggregate has a page and a signature of its own: `wr.sum?`, `help(wr.sum)`.
Aggregate.__doc__ = Page(Aggregate.__doc__ or "")  # type: ignore[assignment]
Aggregate.__signature__ = CallSignature()  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Call:
    """An aggregate over named columns, with the frame that `wr.over` needs.

    `last` is a duration, or a number of rows that ends with this row; over a numeric
    time column a duration is text without a unit: last="60".  `next` is as far ahead.
    `closed` says which ends are in, the far one being left; None leaves it to the
    function that is called.  `where` is a condition: rows for which it is not true do
    not count.  With fewer values than `min_periods` the result is null.
    """

    aggregate: Aggregate
    columns: tuple[str, ...] = ()
    last: Extent = None
    closed: str | None = None
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    where: str | None = None
    next: Extent = None
    min_periods: int | None = None

    @property
    def label(self) -> str:
        """How it reads in messages and plans: `mean(len)`."""
        return f"{self.aggregate.name}({', '.join(self.columns)})"

    def __repr__(self) -> str:
        written = {
            **dict(self.options),
            "last": self.last,
            "next": self.next,
            "closed": self.closed,
            "min_periods": self.min_periods,
            "where": self.where,
        }
        told = [
            f"{name}={getattr(value, 'text', value)!r}"
            for name, value in written.items()
            if value is not None
        ]
        return f"{self.aggregate.name}({', '.join([*map(repr, self.columns), *told])})"


def _kind(value: object) -> str:
    """What a user takes for a column, in a word or two."""
    module, name = type(value).__module__, type(value).__name__
    library = module.partition(".")[0]
    is_plain = library in ("builtins", "types") or name == "function"
    return name if is_plain else f"{library} {name}"


__all__ = ["ABSENT", "FUNCTIONS", "Aggregate", "Call", "Field", "Law", "Tally"]
