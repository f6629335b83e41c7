"""Examples of docstrings for the API reference: fenced, so that Markdown shows them.

    >>> wr.slide([3, 1, 4, 1, 5], wr.rows(3), "max")       ```pycon
    array([4, 4, 5])                                  ->   >>> wr.slide(...)
                                                           array([4, 4, 5])
                                                           ```

A docstring is read by people in its file first, so examples stand there bare; Markdown
would take `>>>` for a quotation.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


def fenced(text: str) -> str:
    """The text with each paragraph that begins with >>> as a block of code."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```", text)


class Examples(griffe.Extension):
    """Fences the examples of everything that is documented."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called by griffe once for each object that it has read."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
