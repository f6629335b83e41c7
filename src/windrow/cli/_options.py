"""Defines the options that `windrow run` and `windrow explain` have in common."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.errors import BadInput

from ._files import Format
from ._query import QuerySpec, make_query
from ._session import parse_settings, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_WINDOW, _ROWS, _SPARK = "Windows", "Rows", "Spark"


def option(
    *names: str,
    help_: str,
    metavar: str | None = None,
    panel: str | None = None,
    least: int | None = None,
) -> Any:
    """An option whose default is no value: its help says what happens without."""
    return typer.Option(
        *names,
        metavar=metavar,
        help=help_,
        rich_help_panel=panel,
        min=least,
        show_default=False,
    )


@dataclass(frozen=True, kw_only=True)
class QueryOptions:
    """A query, its source, and the Spark that it runs on, as typed."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A Parquet, CSV or JSON file, or a folder of them. CSV needs a header "
            "line; JSON is an object a line. Or a text of queries, .cql, over files "
            "that --from names.",
            show_default=False,
        ),
    ]
    agg: Annotated[
        list[str] | None,
        option(
            "--agg",
            metavar="NAME=AGG(COLUMN)",
            help_='A new column, such as "longest=max(len)" or "n=count()"; repeat for '
            "more. Columns with blanks or dots stand between backticks.",
        ),
    ] = None
    from_: Annotated[
        list[str] | None,
        option(
            "--from",
            metavar="NAME=FILE",
            help_="A stream or table of a .cql text, such as Calls=calls.parquet; "
            "repeat for more.",
        ),
    ] = None
    format_: Annotated[
        Format | None,
        option(
            "--format", help_="What SOURCE, or OUT, is where its name does not say."
        ),
    ] = None
    window: Annotated[
        list[str] | None,
        option(
            "--window",
            metavar="DURATION",
            help_='How long a window is: "24 hours", "1 month", or a plain number for '
            "a numeric time column. Repeat for more windows in one pass.",
            panel=_WINDOW,
        ),
    ] = None
    rows: Annotated[
        list[int] | None,
        option(
            "--rows",
            metavar="N",
            help_="How many rows a window has, in place of --window.",
            panel=_WINDOW,
        ),
    ] = None
    every: Annotated[
        list[str] | None,
        option(
            "--every",
            metavar="DURATION|N",
            help_="How far apart windows start; once for all windows, or once for "
            "each. Left out: the window's own length, or 1 row.",
            panel=_WINDOW,
        ),
    ] = None
    on: Annotated[
        str | None,
        option("--on", metavar="COLUMN", help_="The time column.", panel=_WINDOW),
    ] = None
    tz: Annotated[
        str | None,
        option(
            "--tz",
            metavar="ZONE",
            help_="Days, weeks, months, quarters and years of this time zone, such as "
            "Europe/Berlin. Left out: those of UTC.",
            panel=_WINDOW,
        ),
    ] = None
    ties: Annotated[
        list[str] | None,
        option(
            "--ties",
            metavar="COLUMN",
            help_="What orders rows of the same time, for aggregates that care.",
            panel=_WINDOW,
        ),
    ] = None
    by: Annotated[
        list[str] | None,
        option(
            "--by",
            metavar="COLUMN",
            help_="A key column: each key has windows of its own. Repeat for more.",
            panel=_ROWS,
        ),
    ] = None
    where: Annotated[
        str | None,
        option(
            "--where",
            metavar="SQL",
            help_="Keep only these rows, as in \"len > 0 and caller <> 'x'\".",
            panel=_ROWS,
        ),
    ] = None
    hot: Annotated[
        bool,
        typer.Option(
            "--hot",
            help="Some keys have very many rows: split each over tasks by time.",
            rich_help_panel=_SPARK,
        ),
    ] = False
    keys: Annotated[
        int | None,
        option(
            "--keys",
            metavar="N",
            help_="About how many different keys there are.",
            panel=_SPARK,
            least=1,
        ),
    ] = None
    master: Annotated[
        str,
        typer.Option(
            "--master",
            help="Where Spark runs: local, a cluster, or sc://host for Spark Connect.",
            rich_help_panel=_SPARK,
        ),
    ] = "local[*]"
    conf: Annotated[
        list[str] | None,
        option(
            "--conf",
            metavar="NAME=VALUE",
            help_="A setting of Spark's, such as spark.driver.memory=8g.",
            panel=_SPARK,
        ),
    ] = None
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", help="Show all that Spark says.", rich_help_panel=_SPARK
        ),
    ] = False

    def query(self) -> QuerySpec:
        """The query, checked as far as it can be without data."""
        if self.from_:
            raise BadInput.because(
                "cannot use --from",
                f"{self.source} is no text of queries",
                "give a file that ends in .cql, or leave out --from",
            )
        return make_query(
            window=self.window,
            rows_=self.rows,
            every=self.every,
            on=self.on,
            tz=self.tz,
            ties=self.ties,
            by=self.by,
            agg=self.agg or (),
            hot=self.hot,
            keys=self.keys,
            where=self.where,
        )

    def session(
        self, settings: Mapping[str, str] | None = None
    ) -> AbstractContextManager[SparkSession]:
        """Spark with these settings and those of --conf."""
        settings = {**(settings or {}), **parse_settings(self.conf)}
        return session(self.master, verbose=self.verbose, settings=settings)
