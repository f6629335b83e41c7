"""Runs `windrow doctor`, which names what is wrong and the command that mends it."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.text import Text

import windrow as wr
from windrow.errors import WindrowError

from ._checks import OK, WARNING, WRONG, CheckResult, run_checks
from ._console import out
from ._session import session
from ._spark_errors import plain_errors

_COLOURS = {OK: "green", WARNING: "yellow", WRONG: "bold red"}


def doctor(
    spark: Annotated[
        bool,
        typer.Option("--spark", help="Also start Spark and run one small query."),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show all that Spark says.")
    ] = False,
) -> None:
    """Check Python, Java, Spark, Numba and the cache; exit with 1 if one is wrong."""
    wrong = 0
    for result in run_checks():
        _show(result)
        wrong += result.state is WRONG
    if spark:
        result = _query(verbose=verbose)
        _show(result)
        wrong += result.state is WRONG
    if wrong:
        out.print(f"\n{wrong} {'thing is' if wrong == 1 else 'things are'} wrong")
        raise typer.Exit(1)
    out.print("\nnothing is wrong")


def _show(result: CheckResult) -> None:
    line = Text()
    line.append(f"{result.state:<8}", style=_COLOURS[result.state])
    line.append(f" {result.subject:<10} ", style="bold")
    line.append(result.words)
    out.print(line, soft_wrap=True)
    if result.mend:
        mend = Text(" " * 20 + result.mend, style=_COLOURS[result.state])
        out.print(mend, soft_wrap=True)


def _query(*, verbose: bool) -> CheckResult:
    """One real query on a Spark of its own."""
    begun = time.perf_counter()
    try:
        with (
            session("local[2]", verbose=verbose) as spark,
            plain_errors("cannot run a query", verbose=verbose),
        ):
            frame = spark.createDataFrame(
                [("a", 1, 3), ("a", 4, 9), ("b", 6, 2)], "key string, at long, x long"
            )
            window = wr.sliding(10, every=5, on="at")
            rows = wr.aggregate(frame, window, by="key", most=wr.max("x")).collect()
    except WindrowError as error:
        words, _, hint = str(error).partition("\n")
        return CheckResult(WRONG, "a query", words, hint.removeprefix("Hint: "))
    actual = sorted((row["key"], row["window"]["start"], row["most"]) for row in rows)
    expected = [("a", -5, 9), ("a", 0, 9), ("b", 0, 2), ("b", 5, 2)]
    if actual != expected:
        words = f"gave {actual} in place of {expected}"
        return CheckResult(WRONG, "a query", words, "please report this")
    seconds = time.perf_counter() - begun
    return CheckResult(OK, "a query", f"right, {seconds:.1f} s with Spark's start")
