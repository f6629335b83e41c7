"""Numbers as people read them: three digits that count, thousands apart.

>>> number(1234.567), number(0.012345), number(7), place(1048576), place("max")
('1,235', '0.0123', '7', '1,048,576', 'max')
>>> duration(4.2), duration(200)
('4.2 s', '3 min 20 s')
"""

from __future__ import annotations

import math

from .experiment import Place


def number(value: float) -> str:
    """A measured value."""
    if not math.isfinite(value):
        return "–"
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-3 else f"{value:.1e}"


def place(x: Place) -> str:
    """A place on the x-axis."""
    if isinstance(x, str):
        return x
    return f"{x:,.0f}" if x == int(x) else f"{x:,.6g}"


def duration(seconds: float) -> str:
    """Seconds, or minutes and seconds."""
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def many(count: int, what: str) -> str:
    """So many things.

    >>> many(1, "trial"), many(1200, "trial")
    ('1 trial', '1,200 trials')
    """
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


__all__ = ["duration", "many", "number", "place"]
