"""Shows the state of a stream in one line.

terminal     rewritten in place, removed when the stream ends
otherwise    printed when it changes, at most every few seconds
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from rich.text import Text

from ._console import err

_EVERY = 5.0  # seconds


@contextlib.contextmanager
def status_line(words: str) -> Iterator[Callable[[str], None]]:
    """A function that shows a line in place of the one before."""
    if not err.is_terminal:
        yield _plain()
        return
    with err.status(_one_line(words)) as status:
        yield lambda text: status.update(_one_line(text))


def _one_line(text: str) -> Text:
    """Cut to the screen: the spinner before it takes two places and would wrap it."""
    line = Text(text)
    line.truncate(max(1, err.width - 2), overflow="ellipsis")
    return line


def _plain() -> Callable[[str], None]:
    shown, last = "", float("-inf")

    def show(text: str) -> None:
        nonlocal shown, last
        if text != shown and time.monotonic() - last >= _EVERY:
            err.print(text, soft_wrap=True, markup=False)
            shown, last = text, time.monotonic()

    return show
