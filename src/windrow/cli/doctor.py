"""Runs `windrow doctor`, which names what is wrong and the command that mends it."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.text import Text

import windrow as wr
from windrow.errors import WindrowError

from ._checks import OK, WARNING, WRONG, CheckResult, run_checks
from ._options import Verbose
from ._session import session
from .console import out

_COLOURS = {OK: "green", WARNING: "yellow", WRONG: "bold red"}


def doctor(
    spark: Annotated[
        bool, typer.Option("--spark", help="Also start Spark and run one small query.")
    ] = False,
    verbose: Verbose = False,
) -> None:
    """Check Python, Java, Spark, Numba and the cache; exit with 1 if one is wrong."""
    wrong = sum(map(_show, run_checks()))
    if spark:
        wrong += _show(_query(verbose=verbose))
    if wrong:
        out.print(f"\n{wrong} {'thing is' if wrong == 1 else 'things are'} wrong")
        raise typer.Exit(1)
    out.print("\nnothing is wrong")


def _show(result: CheckResult) -> bool:
    """Print a result; whether it is wrong."""
    colour = _COLOURS[result.state]
    state, subject = f"{result.state:<8}", f" {result.subject:<10} "
    line = Text.assemble((state, colour), (subject, "bold"), result.words)
    if result.mend:
        line.append(f"\n{' ' * 20}{result.mend}", style=colour)
    out.print(line, soft_wrap=True)
    return result.state is WRONG


def _query(*, verbose: bool) -> CheckResult:
    """One real query on a Spark of its own."""
    begun = time.perf_counter()
    try:
        with session("local[2]", "cannot run a query", verbose=verbose) as spark:
            frame = spark.createDataFrame(
                [("a", 1, 3), ("a", 4, 9), ("b", 6, 2)], "key string, at long, x long"
            )
            window = wr.sliding(10, every=5, on="at")
            rows = wr.aggregate(frame, window, by="key", most=wr.max("x")).collect()
    except WindrowError as error:
        return CheckResult.refused("a query", error)
    actual = sorted((row["key"], row["window"]["start"], row["most"]) for row in rows)
    expected = [("a", -5, 9), ("a", 0, 9), ("b", 0, 2), ("b", 5, 2)]
    if actual != expected:
        words = f"gave {actual} in place of {expected}"
        return CheckResult(WRONG, "a query", words, "please report this")
    seconds = time.perf_counter() - begun
    return CheckResult(OK, "a query", f"right, {seconds:.1f} s with Spark's start")
