"""The product of several aggregates: one partial, and how each result comes from it.

    fields        (count, total, max)        of one window, in one tuple
    parts          [---mean---]  [max]       which fields which aggregate combines
    outputs       mean, sum, count, max      which fields each result is lowered from

`merge.py` makes it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from windrow._later import dataclass
from windrow.aggregates import ABSENT, Aggregate, Law

DTYPES = {"int": "int64", "float": "float64"}


@dataclass(frozen=True)
class Request:
    """An aggregate with its input columns bound to slots of the kernel's source.

    `slots` are the columns that `lift` reads, in order; `masks` the slots of
    validity arrays, of which all must be true for the row to count.  `kind` is
    the kind of "value" fields.  A user's aggregate has its inferred `schema`, dtypes
    of the fields, then of the result; `on_arrays` says if it can be given arrays.
    """

    aggregate: Aggregate
    kind: str
    slots: tuple[int, ...] = ()
    masks: tuple[int, ...] = ()
    schema: tuple[str, ...] | None = None
    scalar: bool = False
    on_arrays: bool = False
    flagged: bool = False

    @property
    def optional(self) -> bool:
        """Whether the last field of its partial is 0 if there is no value at all.

        So for a user's aggregate without an identity, and for a selective one that is
        alone over nulls: with a count beside it, it would not be selective.
        """
        return self.flagged or self.aggregate.identity is ABSENT


@dataclass(frozen=True)
class ProductPart:
    """One partial inside the product, at fields [offset, offset + len(dtypes))."""

    request: Request
    offset: int
    dtypes: tuple[str, ...]

    @property
    def stop(self) -> int:
        """One past its last field."""
        return self.offset + len(self.dtypes)

    @property
    def optional(self) -> bool:
        """Whether its last field is 0 if there is no value at all."""
        return self.request.optional

    @property
    def undoable(self) -> bool:
        """Whether it has an exact inverse: all its fields are whole numbers."""
        whole = all(dtype == "int64" for dtype in self.dtypes)
        return whole and Law.INVERTIBLE in self.request.aggregate.laws


@dataclass(frozen=True)
class Output:
    """How one request is lowered: from which fields, into arrays of which types.

    `present_in` is the field that is zero where the result is null; an array of
    validity is written if that, or the aggregate's `defined`, is not None.
    """

    request: Request
    fields: tuple[int, ...]
    dtypes: tuple[str, ...]
    present_in: int | None

    @property
    def nullable(self) -> bool:
        """Whether an array of validity is written."""
        return self.present_in is not None or self.request.aggregate.defined is not None


@dataclass(frozen=True)
class Product:
    """The partial that a kernel computes, and how each result is lowered from it.

    `companions` are products of one sketch each, which stand behind the fields of the
    partial in its columns and never enter a kernel with them (`sketches.py`).
    """

    parts: tuple[ProductPart, ...]
    outputs: tuple[Output, ...]
    companions: tuple[Product, ...] = ()

    @cached_property
    def numbers(self) -> Product:
        """The same without its sketches."""
        return replace(self, companions=()) if self.companions else self

    @cached_property
    def dtypes(self) -> tuple[str, ...]:
        """One dtype per field of the partial."""
        return tuple(dtype for part in self.parts for dtype in part.dtypes)

    @cached_property
    def out_dtypes(self) -> tuple[str, ...]:
        """One dtype per result array, validity arrays ("bool") among them."""
        return tuple(
            dtype
            for output in self.outputs
            for dtype in (*output.dtypes, *(("bool",) if output.nullable else ()))
        )

    @cached_property
    def laws(self) -> Law:
        """The laws of all parts; a product of several parts is not selective."""
        laws = Law.COMMUTATIVE | Law.INVERTIBLE | Law.SELECTIVE | Law.IDEMPOTENT
        for part in self.parts:
            laws &= part.request.aggregate.laws
        return laws if len(self.parts) == 1 else laws & ~Law.SELECTIVE

    @property
    def exact(self) -> bool:
        """Whether all fields are whole numbers, so that an inverse is exact."""
        return all(dtype == "int64" for dtype in self.dtypes)

    @property
    def is_lattice(self) -> bool:
        """Whether any association gives the same bits.

        So for whole numbers, and where numbers are chosen and never computed.
        """
        return not self.has_users and all(
            Law.IDEMPOTENT in part.request.aggregate.laws
            or all(dtype == "int64" for dtype in part.dtypes)
            for part in self.parts
        )

    @property
    def is_arithmetic(self) -> bool:
        """Whether lift and combine give the same bits in numpy and in machine code.

        Logarithms and exponentials are within one unit of the last place in both.
        """
        aggregates = [part.request.aggregate for part in self.parts]
        functions = [f for each in aggregates for f in (each.lift, each.combine)]
        return not any({"log", "exp"} & {*f.__code__.co_names} for f in functions)

    @property
    def undoable(self) -> bool:
        """Whether there is an exact inverse."""
        return Law.INVERTIBLE in self.laws and self.exact

    @property
    def is_narrow(self) -> bool:
        """Whether to combine two partials takes a few instructions and no branch.

        Each part is one number or has a tally, and no row is null.
        """
        if self.has_users or "object" in self.dtypes:
            return False
        return all(
            (len(part.dtypes) == 1 or part.request.aggregate.tally is not None)
            and not part.request.masks
            for part in self.parts
        )

    @property
    def has_users(self) -> bool:
        """Whether it contains a user's functions."""
        return any(part.request.aggregate.is_users for part in self.parts)

    @property
    def on_arrays(self) -> bool:
        """Whether all its functions can be given arrays."""
        requests = [part.request for part in self.parts]
        return all(r.on_arrays or not r.aggregate.is_users for r in requests)

    @property
    def interpreted(self) -> bool:
        """Whether a user's functions could not be compiled."""
        return "object" in self.dtypes + self.out_dtypes
