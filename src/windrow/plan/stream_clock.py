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
from windrow.windows.duration import Duration, exact_duration, parse_duration
from windrow.windows.policy_numbers import TIME

from .aggregate import Plan
from .by_policy import PolicyPlan
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
                beyond = f"more than {self.ahead.text} ahead of the batch clock"
                aside = f"; rows {beyond} are late"
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
    slide = _slide(plan)
    if clock.ahead is not None and clock.ahead.amount < slide:
        every = exact_duration(slide).text
        raise WindowError.because(
            f"cannot set rows aside that are more than {clock.ahead.text} ahead",
            f"a window ends every {every}, and rows of one would be set aside while "
            "it fills",
            f"make ahead= at least as long as the slide, {every}",
        )
    return clock


def _slide(plan: TablePlan) -> int:
    """The longest time from one window to the next, in nanoseconds.

    None, where rows are counted or measured, and where each row has a window.
    """
    steps = [0]
    if isinstance(plan, Plan) and not plan.counts_rows:
        steps = [rule.step for rule in plan.rules]
    if isinstance(plan, PolicyPlan) and plan.policies.trigger == TIME:
        steps = [plan.policies.every]
    return max(steps) * (plan.clock.tick if plan.clock is not None else 0)


def _length(name: str, value: object, *, least: int) -> Duration | None:
    if value is None:
        return None
    length = parse_duration(value, what=f"{name}=")
    if not length.is_time or length.amount < least:
        shortest = exact_duration(least).text if least else "0 seconds"
        raise BadInput.because(
            f"cannot take {name}={value!r}",
            f"it is no length of time of {shortest} or more",
            f"write one, such as {name}='10 minutes'",
        )
    return length
