"""Contenders on Spark: a checksum in the warm-up, results thrown away when timed.

The first contender of a case is the one that the others have to agree with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial

from pyspark.sql import DataFrame

from windrow.bench.measure.race import Contender, timed
from windrow.bench.measure.session import consume

from ._report import Bar, Table
from ._spark_answers import Sums, check_sums

SPARK, OURS = "Spark", "windrow"
Say = Callable[[str], None]


@dataclass
class Part:
    """Tables, bars and notes of one part of the experiment."""

    tables: list[Table] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class Case:
    """One question; `sums` makes the checksum of an answer.

    `expected` is known beforehand, or it is what the first contender answers.
    """

    name: str
    sums: Callable[[DataFrame], Sums]
    say: Say
    expected: Mapping[str, float] | None = None

    def contender(
        self,
        who: str,
        build: Callable[[], DataFrame],
        switched: Callable[[], AbstractContextManager[None]] = nullcontext,
        *,
        checked: bool = True,
    ) -> Contender:
        """Who answers by the frame that `build` gives, under settings `switched` on.

        One that is not `checked` computes nothing: it is there for its time alone.
        """
        name = f"{self.name}, {who}"

        def rehearse() -> Sums:
            with switched():
                return self.sums(build())

        def call() -> None:
            with switched():
                took, _ = timed(lambda: consume(build()))
            self.say(f"{name}: {took:.2f} s")

        if not checked:
            return Contender(name, call, lambda _: None)
        return Contender(name, call, partial(self.agree, name), rehearse=rehearse)

    def agree(self, who: str, actual: Sums) -> None:
        """Raise unless the answer is the expected one."""
        if self.expected is None:
            self.expected = actual
        check_sums(who, actual, self.expected)
