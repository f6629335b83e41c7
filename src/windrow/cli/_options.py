"""Defines the options that `windrow run` and `windrow explain` have in common.

A command takes a dataclass of options as one parameter:

    @with_option_groups
    def run(options: QueryOptions, stream: StreamOptions, to: To = "-") -> None: ...

Typer sees every field of the two as an option of that name, and `to`; the command gets
the dataclasses.
"""

# ruff: noqa: RUF009 - options are fields, whose defaults are made once

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from ._files import Format
from ._session import parse_settings, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Verbose = Annotated[bool, typer.Option("--verbose", help="Show all that Spark says.")]
_parameter = functools.partial(inspect.Parameter, kind=inspect.Parameter.KEYWORD_ONLY)


def option(
    help_: str,
    metavar: str | None = None,
    *names: str,
    default: Any = None,
    **more: Any,
) -> Any:
    """A field that is an option; its help says what happens without it."""
    settings = {"help": help_, "metavar": metavar, "show_default": False, **more}
    return dataclasses.field(default=default, metadata={"option": (names, settings)})


def flag(field: dataclasses.Field[Any]) -> str:
    """What is typed for a field: --available-now, or --from for from_."""
    return "--" + field.name.strip("_").replace("_", "-")


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its dataclasses as parameters."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if dataclasses.is_dataclass(hints[name]):
            groups[name] = hints[name]
            parameters += _parameters(hints[name])
        else:
            default = parameter.default
            parameters.append(_parameter(name, default=default, annotation=hints[name]))

    @functools.wraps(command)
    def ungrouped(**values: Any) -> None:
        for name, group in groups.items():
            fields = [field.name for field in dataclasses.fields(group)]
            values[name] = group(**{field: values.pop(field) for field in fields})
        command(**values)

    ungrouped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return ungrouped


def _parameters(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        annotation, default = hints[field.name], field.default
        if default is dataclasses.MISSING:  # an argument, annotated as such
            default = inspect.Parameter.empty
        else:
            names, settings = field.metadata["option"]
            typed = typer.Option(flag(field), *names, **settings)
            annotation = Annotated[annotation, typed]
        yield _parameter(field.name, default=default, annotation=annotation)


_window_option = functools.partial(option, rich_help_panel="Windows")
_row_option = functools.partial(option, rich_help_panel="Rows")
_spark_option = functools.partial(option, rich_help_panel="Spark")


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
    agg: list[str] | None = option(
        'A new column, such as "longest=max(len)" or "n=count()"; repeat for more. '
        "Columns with blanks or dots stand between backticks.",
        "NAME=AGG(COLUMN)",
    )
    from_: list[str] | None = option(
        "A stream or table of a .cql text, such as Calls=calls.parquet; repeat for "
        "more.",
        "NAME=FILE",
    )
    format_: Format | None = option(
        "What SOURCE, or OUT, is where its name does not say."
    )
    window: list[str] | None = _window_option(
        'How long a window is: "24 hours", "1 month", or a plain number for a numeric '
        "time column. Repeat for more windows in one pass.",
        "DURATION",
    )
    rows: list[int] | None = _window_option(
        "How many rows a window has, in place of --window.", "N"
    )
    every: list[str] | None = _window_option(
        "How far apart windows start; once for all windows, or once for each. Left "
        "out: the window's own length, or 1 row.",
        "DURATION|N",
    )
    on: str | None = _window_option("The time column.", "COLUMN")
    span: str | None = _window_option(
        "The columns of start and end of events with a duration, in place of --on.",
        "START,END",
    )
    tz: str | None = _window_option(
        "Days, weeks, months, quarters and years of this time zone, such as "
        "Europe/Berlin. Left out: those of UTC.",
        "ZONE",
    )
    ties: list[str] | None = _window_option(
        "What orders rows of the same time, for aggregates that care.", "COLUMN"
    )
    by: list[str] | None = _row_option(
        "A key column: each key has windows of its own. Repeat for more.", "COLUMN"
    )
    where: str | None = _row_option(
        "Keep only these rows, as in \"len > 0 and caller <> 'x'\".", "SQL"
    )
    hot: bool = _spark_option(
        "Some keys have very many rows: split each over tasks by time; on a stream, "
        "deal rows out to all tasks.",
        default=False,
    )
    keys: int | None = _spark_option(
        "About how many different keys there are.", "N", min=1
    )
    master: str = _spark_option(
        "Where Spark runs: local, a cluster, or sc://host for Spark Connect.",
        default="local[*]",
        show_default=True,
    )
    conf: list[str] | None = _spark_option(
        "A setting of Spark's, such as spark.driver.memory=8g.", "NAME=VALUE"
    )
    verbose: bool = _spark_option("Show all that Spark says.", default=False)

    def session(
        self, fact: str, settings: Mapping[str, str] | None = None
    ) -> AbstractContextManager[SparkSession]:
        """Spark with these settings and those of --conf; its errors begin with fact."""
        settings = {**(settings or {}), **parse_settings(self.conf)}
        return session(self.master, fact, verbose=self.verbose, settings=settings)
