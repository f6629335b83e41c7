"""HTML by construction: what is not made by `tag` is text, and is escaped.

>>> tag("p", "a < b ", tag("b", "c"), cls="note")
'<p class="note">a &lt; b <b>c</b></p>'
"""

from __future__ import annotations

from html import escape

VOID = frozenset({"meta"})


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, /, *inside: str, **attributes: str | None) -> Html:
    """An element; `cls` is its class, `data_x` its data-x, None leaves one away."""
    words = "".join(
        f' {_spelled(key)}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Html(f"<{name}{words}>")
    return Html(f"<{name}{words}>{joined(*inside)}</{name}>")


def joined(*parts: str) -> Html:
    """One after the other."""
    return Html("".join(p if isinstance(p, Html) else escape(p) for p in parts))


def _spelled(key: str) -> str:
    return "class" if key == "cls" else key.replace("_", "-")
