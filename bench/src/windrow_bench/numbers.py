"""Numbers as people read them: three digits that count, thousands apart.

>>> number(1234.567), number(0.012345), number(7), place(1048576), place("max")
('1,235', '0.0123', '7', '1,048,576', 'max')
>>> duration(4.2), duration(200)
('4.2 s', '3 min 20 s')
"""

from __future__ import annotations

import math

from .experiment import Place

HIGH = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k"))


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


def short(value: float) -> str:
    """A number for a tick.

    >>> short(0.001), short(2500), short(20_000), short(3e6), short(1e-7)
    ('0.001', '2,500', '20k', '3M', '10⁻⁷')
    """
    if 0 < value < 9e-4 and math.isclose(value, 10 ** round(math.log10(value))):
        return f"10{str(round(math.log10(value))).translate(HIGH)}"
    for unit, letter in _UNITS:
        if abs(value) >= unit:
            return f"{value / min(unit, 1e3 if letter == 'k' else unit):,.4g}{letter}"
    return f"{value:,.0f}" if abs(value) >= 1e3 else f"{value:.4g}"


def label(x: Place) -> str:
    """A place in words."""
    return x if isinstance(x, str) else short(x)


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
