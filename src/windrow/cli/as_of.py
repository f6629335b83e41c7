"""Runs `windrow as-of`: a file of labels in, the same with features out."""

# ruff: noqa: RUF009 - options are fields, whose defaults are made once

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

import typer

import windrow as wr

from ._files import Format, Mode, check_is_there, check_sink, read
from ._options import option, with_option_groups
from ._progress import progress
from ._rows import show_rows, write_rows
from ._session import parse_settings, session

SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """Where labels, events and features are, and how they meet."""

    labels: Annotated[
        str, typer.Argument(metavar="LABELS", help="Rows with an instant and keys.")
    ]
    events: Annotated[
        str, typer.Argument(metavar="EVENTS", help="Rows with a time and keys.")
    ]
    features: str = option(
        "What is computed: a file that Features.save has written.", "TOML", default=""
    )
    at: str = option("The instant of a label.", "COLUMN", default="")
    on: str | None = option("The time of an event, which the file names.", "COLUMN")
    by: list[str] | None = option("A key, which the file names; repeat.", "COLUMN")
    hot: bool = option("Some keys have very many events.", default=False)
    format_: Format | None = option("What a file is where its name does not say.")
    master: str = option("Where Spark runs.", default="local[*]", show_default=True)
    conf: list[str] | None = option("A setting of Spark's.", "NAME=VALUE")
    verbose: bool = option("Show all that Spark says.", default=False)


@with_option_groups
def as_of(
    options: LabelOptions,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="OUT", help=f"Where labels go; - prints {SHOWN} of them."
        ),
    ] = "-",
    mode: Annotated[
        Mode, typer.Option("--mode", help="Where OUT is there already.")
    ] = Mode.ERROR,
) -> None:
    """Give labels features over the events before their instants, with Spark.

    windrow as-of labels.parquet payments.parquet --at label_ts
    --features features.toml --to train.parquet
    """
    features = _features(options)
    kind = "" if to == "-" else check_sink(to, options.format_, mode)
    sources = options.labels, options.events
    for source in sources:
        check_is_there(source)
    fact = f"cannot give {options.labels} features of {options.events}"
    settings = parse_settings(options.conf)
    with session(
        options.master, fact, verbose=options.verbose, settings=settings
    ) as spark:
        begun = time.perf_counter()
        with progress(spark, f"reading {sources[0]} and {sources[1]}"):
            labels, events = (read(spark, path, options.format_) for path in sources)
        result = wr.as_of(labels, events, features, at=options.at, hot=options.hot)
        if to == "-":
            show_rows(result, [*features.by, options.at], SHOWN, "looking back")
        else:
            write_rows(result, to, kind, mode, f"looking back into {to}", begun)


def _features(options: LabelOptions) -> wr.Features:
    """The features of the file, if the options agree with it."""
    for name in ("features", "at"):
        if not getattr(options, name):
            raise wr.BadInput.because(
                "cannot look back from labels",
                f"--{name} is not given",
                "write --at label_ts --features features.toml",
            )
    features = wr.read_features(options.features)
    named = {"on": options.on, "by": None if not options.by else tuple(options.by)}
    for name, value in named.items():
        if value is not None and value != getattr(features, name):
            raise wr.BadInput.because(
                f"cannot take --{name} {value}",
                f"{options.features} says {getattr(features, name)}",
                f"leave out --{name}, or change the file",
            )
    return features
