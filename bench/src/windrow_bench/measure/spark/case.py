"""Contenders on Spark: a checksum in the warm-up, results thrown away when timed.

The first contender of a case is the one that the others have to agree with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.race import Contender, timed
from windrow_bench.measure.session import consume

from .sums import Sums, check_sums

SPARK, OURS = "Spark", "windrow"
Say = Callable[[str], None]
Build = Callable[[], DataFrame]
LONGEST = 300  # characters of what Spark says


class NoAnswer(WrongAnswer):
    """Spark gave no answer at all: out of memory, or of disk."""


def unheard(_: str) -> None:
    """Progress that nobody listens to."""


@dataclass
class Case:
    """One question; `sums` makes the checksum of an answer.

    `expected` is known beforehand, or it is what the first contender answers.
    """

    name: str
    sums: Callable[[DataFrame], Sums]
    say: Say = unheard
    expected: Mapping[str, float] | None = None

    def contender(
        self,
        who: str,
        build: Build,
        switched: Callable[[], AbstractContextManager[None]] = nullcontext,
        *,
        checked: bool = True,
    ) -> Contender:
        """Who answers by the frame that `build` gives, under settings `switched` on.

        One that is not `checked` computes nothing: it is there for its time alone.
        """
        name = f"{self.name}, {who}"

        def rehearse() -> Sums:
            with switched(), answering(name):
                return self.sums(build())

        def call() -> None:
            with switched(), answering(name):
                took, _ = timed(lambda: consume(build()))
            self.say(f"{name}: {took:.2f} s")

        if not checked:
            return Contender(name, call, lambda _: None)
        return Contender(name, call, partial(self.agree, name), rehearse=rehearse)

    def contenders(self, builds: Mapping[str, Build]) -> list[Contender]:
        """Several of them under their own names, as rows of an experiment have them."""
        return [
            replace(self.contender(who, build), name=who)
            for who, build in builds.items()
        ]

    def agree(self, who: str, actual: Sums) -> None:
        """Raise unless the answer is the expected one."""
        if self.expected is None:
            self.expected = actual
        check_sums(who, actual, self.expected)


@contextmanager
def answering(who: str) -> Iterator[None]:
    """A job that ends in an error is an answer that is not there."""
    try:
        yield
    except (Py4JError, PySparkException) as error:
        said = " ".join(str(error).split())[:LONGEST]
        raise NoAnswer(f"{who}: {said}") from error
