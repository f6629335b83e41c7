"""Runs `windrow as-of`: a file of labels in, the same with features out."""

# ruff: noqa: RUF009 - options are fields, whose defaults are made once

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

import windrow as wr

from ._file_query import FileOptions, IfThere, To, run_files
from ._files import Mode
from ._options import option, with_option_groups


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


@with_option_groups
def as_of(
    options: LabelOptions,
    files: FileOptions,
    to: To = "-",
    mode: IfThere = Mode.ERROR,
) -> None:
    """Give labels features over the events before their instants, with Spark.

    windrow as-of labels.parquet payments.parquet --at label_ts
    --features features.toml --to train.parquet
    """
    features = _features(options)

    def look_back(labels: Any, events: Any) -> Any:
        return wr.as_of(labels, events, features, at=options.at, hot=options.hot)

    run_files(
        look_back,
        [options.labels, options.events],
        files,
        to,
        mode,
        fact=f"cannot give {options.labels} features of {options.events}",
        doing="looking back",
        order=[*features.by, options.at],
    )


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
