"""What moves time on a stream, beside the watermark that a user sets on it.

newest time seen, less `watermark`       time of the query
a row later than batch clock + `ahead`   is set aside: it must not move time
no move for `idle`                       time goes on by the batch clock from there

batch clock    10:00:00       10:00:30                  10:01:00
watermark      09:50 -------- 09:50:25 ---------------- 09:50:25
own time       09:50          09:50:25    (idle 20 s)   09:50:35
"""

from __future__ import annotations

from windrow._later import dataclass
from windrow.errors import BadInput, WindowError
from windrow.windows.duration import Duration, parse_duration

from .aggregate import Plan
from .table import TablePlan


@dataclass(frozen=True)
class StreamClock:
    """The watermark that is set for a user, and both bounds; None: left out."""

    watermark: Duration | None = None
    ahead: Duration | None = None
    idle: Duration | None = None

    @property
    def idle_ms(self) -> int | None:
        """For how long the watermark may rest, in milliseconds."""
        return None if self.idle is None else self.idle.amount // 10**6

    def words(self) -> dict[str, str]:
        """What state depends on, as a checkpoint remembers it."""
        bounds = {"ahead=": self.ahead, "idle=": self.idle}
        return {
            name: f"{length.amount // 1000} microseconds"
            for name, length in bounds.items()
            if length is not None
        }

    def texts(self) -> dict[str, str]:
        """What `explain` says of it."""
        texts = {}
        if self.watermark is not None:
            aside = ""
            if self.ahead is not None:
                aside = f"; rows {self.ahead.text} ahead of the batch clock are late"
            texts["watermark"] = f"{self.watermark.text} behind the newest row{aside}"
        if self.idle is not None:
            texts["idle"] = (
                f"when the watermark has rested for {self.idle.text}, time goes on by "
                "the batch clock"
            )
        return texts


def stream_clock(
    plan: TablePlan,
    watermark: object = None,
    ahead: object = None,
    idle: object = None,
) -> StreamClock:
    """Read the three durations, and refuse what cannot be kept."""
    if ahead is not None and watermark is None:
        raise BadInput.because(
            f"cannot set rows aside that are more than {ahead} ahead",
            "Spark moves a watermark before a row can be looked at",
            "leave out .withWatermark(), and give watermark='10 minutes' beside ahead=",
        )
    clock = StreamClock(
        _length("watermark", watermark, least=0),
        _length("ahead", ahead, least=1),
        _length("idle", idle, least=10**6),
    )
    if clock.ahead is not None and isinstance(plan, Plan) and not plan.counts_rows:
        assert plan.clock is not None
        step = max(rule.step for rule in plan.rules) * plan.clock.tick
        if clock.ahead.amount < step:
            raise WindowError.because(
                f"cannot set rows aside that are more than {clock.ahead.text} ahead",
                "windows begin further apart: rows of a window would be set aside "
                "while it fills",
                "make ahead= at least as long as the slide",
            )
    return clock


def _length(name: str, value: object, *, least: int) -> Duration | None:
    if value is None:
        return None
    length = parse_duration(value, what=f"{name}=")
    if not length.is_time or length.amount < least:
        raise BadInput.because(
            f"cannot take {name}={value!r}",
            "it is no length of time that a stream's clock can keep",
            f"write a positive one such as {name}='10 minutes'",
        )
    return length
