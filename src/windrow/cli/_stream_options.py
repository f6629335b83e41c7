"""Defines the options of `windrow run --stream`, and which go together.

    --stream        needs --on, --watermark and --to
    the others      need --stream

Durations are written as for windows, and reach Spark in microseconds.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer

from windrow.errors import BadInput, WindowError
from windrow.plan.flow import BUCKETS
from windrow.windows.duration import parse_duration

from ._files import Mode
from ._options import QueryOptions, option

_STREAM = "Streams"
_CALM = "1 second"  # Spark's own default looks for new files a hundred times a second


class Late(enum.StrEnum):
    """What happens to a row behind the watermark."""

    DROP = "drop"
    KEEP = "keep"


@dataclass(frozen=True, kw_only=True)
class StreamOptions:
    """How a stream runs, as typed."""

    stream: Annotated[
        bool,
        typer.Option(
            "--stream",
            help="Follow SOURCE, a folder: new files are read as they come, windows "
            "written as the watermark passes them, to a folder of Parquet. Ctrl-C "
            "stops it; the same command goes on.",
            rich_help_panel=_STREAM,
        ),
    ] = False
    watermark: Annotated[
        str | None,
        option(
            "--watermark",
            metavar="DURATION",
            help_="How far the watermark stays behind the latest time in --on: rows "
            'may come that late. Needed with --stream; such as "10 minutes".',
            panel=_STREAM,
        ),
    ] = None
    late: Annotated[
        Late | None,
        option(
            "--late",
            help_="Rows that come later still: drop counts them; keep also writes "
            "each to the column late. Left out: drop.",
            panel=_STREAM,
        ),
    ] = None
    checkpoint: Annotated[
        str | None,
        option(
            "--checkpoint",
            metavar="FOLDER",
            help_="Where the stream keeps how far it is. Left out: OUT.checkpoint, "
            "beside OUT.",
            panel=_STREAM,
        ),
    ] = None
    available_now: Annotated[
        bool,
        typer.Option(
            "--available-now",
            "--once",
            help="Read what is there and end.",
            rich_help_panel=_STREAM,
        ),
    ] = False
    trigger: Annotated[
        str | None,
        option(
            "--trigger",
            metavar="DURATION",
            help_=f"How far apart micro-batches begin. Left out: {_CALM}.",
            panel=_STREAM,
        ),
    ] = None
    files: Annotated[
        int | None,
        option(
            "--files",
            metavar="N",
            help_="At most so many new files a micro-batch. Left out: all there are.",
            panel=_STREAM,
            least=1,
        ),
    ] = None
    buckets: Annotated[
        int | None,
        option(
            "--buckets",
            metavar="N",
            help_="Into how many parts the keys are divided: as long as the checkpoint "
            f"lasts. Left out: {BUCKETS}.",
            panel=_STREAM,
            least=1,
        ),
    ] = None

    @property
    def delay(self) -> str:
        """How far the watermark stays behind, for Spark."""
        return _duration(self.watermark or "", "a watermark")

    @property
    def trigger_arguments(self) -> dict[str, Any]:
        """When micro-batches begin, as Spark's writers take it."""
        if self.available_now:
            return {"availableNow": True}
        return {"processingTime": _duration(self.trigger or _CALM, "a trigger")}

    def check(self, options: QueryOptions, to: str, mode: Mode) -> None:
        """Refuse what cannot be a stream."""
        if options.on is None:
            raise _not_a_stream("no time column is given", "name it with --on")
        if self.watermark is None:
            raise _not_a_stream(
                "no watermark is given",
                'say how late rows may come: --watermark "10 minutes"',
            )
        if to == "-":
            raise _not_a_stream(
                "there is no folder to write to", "name one: --to out.parquet"
            )
        if self.available_now and self.trigger is not None:
            raise _not_a_stream(
                "both --available-now and --trigger are given", "leave one of them out"
            )
        hints = {"--hot": options.hot, "--keys": options.keys is not None}
        for name, is_set in hints.items():
            if is_set:
                raise _not_a_stream(
                    f"{name} is a hint for files that are read once",
                    "leave it out; a stream divides its keys into --buckets",
                )
        if mode is not Mode.ERROR:
            raise _not_a_stream(
                f"--mode {mode} is for files that are read once",
                "leave it out: a stream goes on where its checkpoint says",
            )
        _ = self.delay, self.trigger_arguments

    def refuse_with_text(self) -> None:
        """A text of queries runs over files that are read once."""
        for field in fields(self):
            if getattr(self, field.name) != field.default:
                name = "--" + field.name.replace("_", "-")
                raise BadInput.because(
                    f"cannot use {name} with a text of queries",
                    "it is for streams, and the text is run over files",
                    "give wr.cql a streaming DataFrame",
                )

    def refuse_without_stream(self) -> None:
        """Refuse options that would be silently without effect."""
        for field in fields(self):
            if getattr(self, field.name) != field.default:
                name = "--" + field.name.replace("_", "-")
                raise BadInput.because(
                    f"cannot use {name}", "it is for streams", "add --stream"
                )


def _not_a_stream(cause: str, hint: str) -> BadInput:
    return BadInput.because("cannot run a stream", cause, hint)


def _duration(text: str, what: str) -> str:
    nanoseconds = parse_duration(text, what=what).amount
    if nanoseconds < 0:
        raise WindowError.because(
            f"cannot read {what} from {text!r}", "it is negative", "leave out the sign"
        )
    return f"{nanoseconds // 1000} microseconds"
