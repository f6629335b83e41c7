"""Shows the progress of experiments: a bar on a terminal, else a line a trial.

slickdeque-1a  throughput | 256  ━━━━━━━━━╺━━━━━━━━━  5/12  about 17 s left

Between two trials the time left counts down.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
)
from rich.text import Text

from windrow.bench.runner import Step, Tell

from ._console import err


@contextlib.contextmanager
def show_progress() -> Iterator[Tell]:
    """A function that shows each step."""
    if not err.is_terminal:
        yield _plain
        return
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        _Left(),
        console=err,
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None, ends=time.monotonic())

        def show(step: Step) -> None:
            bar.update(
                task,
                description=_words(step),
                completed=step.done,
                total=step.of,
                ends=time.monotonic() + step.left,
            )

        yield show


class _Left(ProgressColumn):
    """Until the run ends, as the last step guessed."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        """In words."""
        left = max(float(task.fields["ends"]) - time.monotonic(), 0.0)
        return Text(f"about {spoken(left)} left", style="cyan")


def _plain(step: Step) -> None:
    if step.trial is not None:
        err.print(
            f"{step.done + 1:4}/{step.of}  {_words(step)}   "
            f"about {spoken(step.left)} left",
            soft_wrap=True,
            markup=False,
        )


def _words(step: Step) -> str:
    if step.trial is None:
        return "done"
    return f"{step.experiment.name}: {step.trial.key}"


def spoken(seconds: float) -> str:
    """Seconds, or minutes where they are many.

    >>> spoken(17.2), spoken(200)
    ('17 s', '3 min')
    """
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


__all__ = ["show_progress", "spoken"]
