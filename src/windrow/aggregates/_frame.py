"""Reads the frame of a call: how far back and ahead a row looks, and which ends are in.

    last="1 hour"                    (t - 1 hour, t]           closed right, the default
    next="1 hour"                    (t, t + 1 hour]
    last="1 hour", next="1 hour"     (t - 1 hour, t + 1 hour]  centred
    last=3, next=2                   this row, the 2 before it and the 2 after it

Numbers of rows are places: the frame of row i is (i - last, i + next].  Closed left it
is [i - last, i + next): the rows before this one.
"""

from __future__ import annotations

from windrow.errors import WindowError
from windrow.windows import Duration, parse_duration

CLOSED = ("both", "left", "right", "neither")
FRAME = ("last", "next", "closed", "min_periods")

Extent = Duration | int | None
"""A duration, a number of rows, or nothing said."""


def read_extent(length: object, side: str) -> Extent:
    """How far back or ahead a user says: a duration, or a number of rows."""
    if length is None:
        return None
    if isinstance(length, str) and length.strip().lstrip("-").isdigit():
        extent = Duration(length.strip(), number=int(length))
    else:
        extent = parse_duration(length, what="a frame")
    if extent.amount <= 0:
        way = "back" if side == "last" else "ahead"
        raise WindowError.because(
            f"cannot look {way} over the {side} {extent.text}",
            "a frame must be more than zero",
            "use a positive duration or number of rows",
        )
    return extent if extent.is_time or isinstance(length, str) else extent.amount


def check_frame(
    name: str, last: Extent, ahead: Extent, closed: str | None, periods: object
) -> None:
    """Refuse ends that do not fit each other."""
    counts = [isinstance(extent, int) for extent in (last, ahead) if extent is not None]
    if any(counts) and not all(counts):
        raise WindowError.because(
            f"cannot look back and ahead with {name}",
            "one of last= and next= is a duration, and the other a number of rows",
            "give both as durations, or both as numbers of rows",
        )
    if closed is not None:
        check_closed(closed)
    if any(counts) and closed in ("both", "neither"):
        said = f"next={ahead}" if last is None else f"last={last}"
        raise WindowError.because(
            f"cannot close {name} on {closed!r}",
            f"{said} counts rows, and only the newest of them may be in or out",
            "use right (this row and those before) or left (the rows before this one)",
        )
    if periods is None:
        return
    if not isinstance(periods, int) or isinstance(periods, bool) or periods < 1:
        raise WindowError.because(
            f"cannot compute {name} with min_periods={periods!r}",
            "it is the number of values below which the result is null",
            "give a positive whole number",
        )


def check_closed(closed: object) -> None:
    """Refuse ends that nobody knows."""
    if closed not in CLOSED:
        raise WindowError.because(
            f"cannot close a frame on {closed!r}",
            "there is no such side",
            f"use one of {', '.join(CLOSED)}",
        )
