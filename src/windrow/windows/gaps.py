"""Tells whether some slide of a rule holds no instant of a run.

slides     |  .  | ..  |  .  | .   |     no gap: windows are equally many slices
           |  .  |     |  .  | .   |     a gap: windows are uneven in slices
"""

from __future__ import annotations

import numpy as np

from windrow.loops import compiled, read

from .rule import Array, Rule


def _no_slide_left_out(
    instants: Array, firsts: Array, _: Array, slide: int, shift: int
) -> bool:
    numbers = (instants - shift) // slide
    skips = numbers[1:] - numbers[:-1] > 1
    skips[firsts[1:] - 1] = False
    return not bool(skips.any())


@compiled(columns=_no_slide_left_out)
def _no_gap(instants, firsts, lasts, slide, shift):  # type: ignore[no-untyped-def]
    """Look closer only at runs in which two neighbours are further than a slide."""
    for k in range(len(firsts)):
        far = np.int64(0)  # counted without a branch: 0.3 ms for 2M instants, not 4
        for i in range(firsts[k] + 1, lasts[k]):
            distance = np.uint64(read(instants, i) - read(instants, i - 1))
            far += distance > np.uint64(slide)
        first = instants[firsts[k]]
        end = first - (first - shift) % slide + slide
        for i in range(firsts[k], lasts[k] if far > 0 else firsts[k]):
            if instants[i] >= end:
                if instants[i] - slide >= end:
                    return False
                end += slide
    return True


def count_slides(
    rule: Rule, instants: Array | None, firsts: Array, lasts: Array
) -> Array:
    """The number of slides from that of a run's first instant to that of its last.

    Without instants, places of rows count.
    """
    slides: Array
    if instants is None:
        slides = rule.last_over(lasts - firsts - 1) + 1
    else:
        begun = rule.last_over(instants[firsts])
        slides = rule.last_over(instants[lasts - 1]) - begun + 1
    return slides


def is_gapless(
    rule: Rule,
    instants: Array | None,
    firsts: Array,
    lasts: Array,
    step: int | None = None,
) -> bool:
    """Whether each slide between the first and the last instant of a run holds one.

    Windows are then equally many slices, but for those at the ends of a run.  No
    instant is further than `step` from the one before it, if that is known.
    """
    if not rule.is_even or rule.is_complete or rule.even.range % rule.even.slide:
        return False
    if instants is None:
        return True
    if not len(firsts):  # nothing is known of rows to come
        return False
    if step is not None and step <= rule.even.slide:
        return True
    if (count_slides(rule, instants, firsts, lasts) > lasts - firsts).any():
        return False
    slide, shift = rule.even.slide, rule.even.shift
    return bool(_no_gap(instants, firsts, lasts, slide, shift))
