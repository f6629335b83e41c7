"""The options that `windrow run` and `windrow explain` have in common."""

from __future__ import annotations

from typing import Annotated

import typer

from ._files import Format

_WINDOW, _ROWS, _SPARK = "Windows", "Rows", "Spark"

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A Parquet, CSV or JSON file, or a folder of them. CSV needs a header "
        "line; JSON is an object a line.",
        show_default=False,
    ),
]
Agg = Annotated[
    list[str],
    typer.Option(
        "--agg",
        metavar="NAME=AGG(COLUMN)",
        help='A new column, such as "longest=max(len)" or "n=count()"; repeat for '
        "more. Columns with blanks or dots stand between backticks.",
        show_default=False,
    ),
]
Windows = Annotated[
    list[str] | None,
    typer.Option(
        "--window",
        metavar="DURATION",
        help='How long a window is: "24 hours", or a plain number for a numeric '
        "time column. Repeat for more windows in one pass.",
        rich_help_panel=_WINDOW,
        show_default=False,
    ),
]
Counts = Annotated[
    list[int] | None,
    typer.Option(
        "--rows",
        metavar="N",
        help="How many rows a window has, in place of --window.",
        rich_help_panel=_WINDOW,
        show_default=False,
    ),
]
Every = Annotated[
    list[str] | None,
    typer.Option(
        "--every",
        metavar="DURATION|N",
        help="How far apart windows start; once for all windows, or once for each. "
        "Left out: the window's own length, or 1 row.",
        rich_help_panel=_WINDOW,
        show_default=False,
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="COLUMN",
        help="The time column.",
        rich_help_panel=_WINDOW,
        show_default=False,
    ),
]
Ties = Annotated[
    list[str] | None,
    typer.Option(
        "--ties",
        metavar="COLUMN",
        help="What orders rows of the same time, for aggregates that care.",
        rich_help_panel=_WINDOW,
        show_default=False,
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="A key column: each key has windows of its own. Repeat for more.",
        rich_help_panel=_ROWS,
        show_default=False,
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="SQL",
        help="Keep only these rows, as in \"len > 0 and caller <> 'x'\".",
        rich_help_panel=_ROWS,
        show_default=False,
    ),
]
GivenFormat = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="What SOURCE, or OUT, is where its name does not say.",
        show_default=False,
    ),
]
Hot = Annotated[
    bool,
    typer.Option(
        "--hot",
        help="Some keys have very many rows: split each over tasks by time.",
        rich_help_panel=_SPARK,
    ),
]
Keys = Annotated[
    int | None,
    typer.Option(
        "--keys",
        metavar="N",
        min=1,
        help="About how many different keys there are.",
        rich_help_panel=_SPARK,
        show_default=False,
    ),
]
Master = Annotated[
    str,
    typer.Option(
        "--master",
        help="Where Spark runs: local, a cluster, or sc://host for Spark Connect.",
        rich_help_panel=_SPARK,
    ),
]
Conf = Annotated[
    list[str] | None,
    typer.Option(
        "--conf",
        metavar="NAME=VALUE",
        help="A setting of Spark's, such as spark.driver.memory=8g.",
        rich_help_panel=_SPARK,
        show_default=False,
    ),
]
Verbose = Annotated[
    bool,
    typer.Option("--verbose", help="Show all that Spark says.", rich_help_panel=_SPARK),
]
