"""Defines the options of `windrow run --stream`, and which go together.

    --stream        needs --on, --watermark and --to
    the others      need --stream

Durations are written as for windows, and reach Spark in microseconds.
"""

# ruff: noqa: RUF009 - options are fields, whose defaults are made once

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, fields
from typing import Any

from windrow.errors import BadInput, WindowError
from windrow.plan.flow import BUCKETS
from windrow.windows.duration import parse_duration

from ._files import Mode
from ._options import QueryOptions, flag, option

_stream_option = functools.partial(option, rich_help_panel="Streams")
_CALM = "1 second"  # Spark's own default looks for new files a hundred times a second

Late = enum.StrEnum("Late", ["COUNT", "KEEP", "DROP"])
"""What happens to a row behind the watermark."""


@dataclass(frozen=True, kw_only=True)
class StreamOptions:
    """How a stream runs, as typed."""

    stream: bool = _stream_option(
        "Follow SOURCE, a folder: new files are read as they come, windows written as "
        "the watermark passes them, to a folder of Parquet. Ctrl-C stops it; the same "
        "command goes on.",
        default=False,
    )
    watermark: str | None = _stream_option(
        "How far the watermark stays behind the latest time in --on: rows may come "
        'that late. Needed with --stream; such as "10 minutes".',
        "DURATION",
    )
    ahead: str | None = _stream_option(
        "Rows further ahead of the clock than that are late, and do not move the "
        'watermark; such as "1 hour".',
        "DURATION",
    )
    idle: str | None = _stream_option(
        "When the watermark has rested for so long, time goes on by the clock, and "
        "open windows come out.",
        "DURATION",
    )
    late: Late | None = _stream_option(
        "Rows that come later still: with count they are in windows not yet out; "
        "keep also writes those that missed one to the column late; drop leaves them "
        "out. Left out: count."
    )
    checkpoint: str | None = _stream_option(
        "Where the stream keeps how far it is. Left out: OUT.checkpoint, beside OUT.",
        "FOLDER",
    )
    available_now: bool = _stream_option(
        "Read what is there and end.", None, "--once", default=False
    )
    trigger: str | None = _stream_option(
        f"How far apart micro-batches begin. Left out: {_CALM}.", "DURATION"
    )
    files: int | None = _stream_option(
        "At most so many new files a micro-batch. Left out: all there are.", "N", min=1
    )
    buckets: int | None = _stream_option(
        "Into how many parts the keys are divided: as long as the checkpoint lasts. "
        f"Left out: {BUCKETS}.",
        "N",
        min=1,
    )

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
        for is_wrong, cause, hint in (
            (
                options.on is None and options.span is None,
                "no time column is given",
                "name it with --on",
            ),
            (
                self.watermark is None,
                "no watermark is given",
                'say how late rows may come: --watermark "10 minutes"',
            ),
            (to == "-", "there is no folder to write to", "name one: --to out.parquet"),
            (
                self.available_now and self.trigger is not None,
                "both --available-now and --trigger are given",
                "leave one of them out",
            ),
            (
                self.available_now and self.idle is not None,
                "time that goes on in silence has no end, and --available-now has one",
                "leave out --idle or --available-now",
            ),
            (
                options.keys is not None,
                "--keys is a hint for files that are read once",
                "leave it out; a stream divides its keys into --buckets",
            ),
            (
                mode is not Mode.ERROR,
                f"--mode {mode} is for files that are read once",
                "leave it out: a stream goes on where its checkpoint says",
            ),
        ):
            if is_wrong:
                raise BadInput.because("cannot run a stream", cause, hint)
        _ = self.delay, self.trigger_arguments
        for name, length in (("--ahead", self.ahead), ("--idle", self.idle)):
            if length is not None:
                _duration(length, name)

    def refuse(self, place: str, cause: str, hint: str) -> None:
        """Refuse options that would be silently without effect in that place."""
        for field in fields(self):
            if getattr(self, field.name) != field.default:
                raise BadInput.because(f"cannot use {flag(field)}{place}", cause, hint)


def _duration(text: str, what: str) -> str:
    nanoseconds = parse_duration(text, what=what).amount
    if nanoseconds < 0:
        raise WindowError.because(
            f"cannot read {what} from {text!r}", "it is negative", "leave out the sign"
        )
    return f"{nanoseconds // 1000} microseconds"
