"""WHAT a window is: one file for each kind, one line here for each.

    spec.py         what a user writes: `Window`
    rule.py         what the machine asks: `Rule`, the one contract
    periodic.py     wr.sliding      counted.py    wr.rows
    policy.py       wr.window       calendar.py   wr.calendar
    calendar_rule.py    days and months       zone_days.py  days of a time zone
    duration.py         lengths of time       clock.py      ticks of a time column
    policy_numbers.py   policies as numbers, and the rows of each result
    numbers.py          which windows each slice lies in
    sql_numbers.py      numbers of windows in Spark's SQL
    stretches.py        which windows hold the same slices
    repeats.py          windows with one result as one row
    gaps.py             whether a slide is left out
    frames.py           which slices each window covers
    walk.py             how many windows hold an input, without their numbers

Nothing here knows aggregates, plans or data beyond arrays of instants.  Outside this
package nobody asks of which class a window is: they ask its rule.
"""

from .calendar import Calendar, calendar
from .calendar_rule import CalendarRule
from .clock import Clock, clock_of
from .counted import Counted, Rows, rows
from .duration import Duration, names_months, parse_duration
from .frames import Frames, find_frames, frames, list_windows
from .gaps import count_slides, is_gapless
from .numbers import WindowNumbers, list_between, number_windows
from .periodic import Periodic, Sliding, sliding
from .policy import Delta, PolicyWindow, Punctuation, delta, punctuation, window
from .rule import Even, Rule
from .spec import Window
from .sql_numbers import SqlNumbers
from .stretches import list_stretches
from .walk import count_windows

CATALOGUE: tuple[type[Window], ...] = (Sliding, Rows, Calendar, PolicyWindow)
"""The kinds of windows: what `wr.Operator.load` and the docs' tables read."""

__all__ = [
    "CATALOGUE",
    "Calendar",
    "CalendarRule",
    "Clock",
    "Counted",
    "Delta",
    "Duration",
    "Even",
    "Frames",
    "Periodic",
    "PolicyWindow",
    "Punctuation",
    "Rows",
    "Rule",
    "Sliding",
    "SqlNumbers",
    "Window",
    "WindowNumbers",
    "calendar",
    "clock_of",
    "count_slides",
    "count_windows",
    "delta",
    "find_frames",
    "frames",
    "is_gapless",
    "list_between",
    "list_stretches",
    "list_windows",
    "names_months",
    "number_windows",
    "parse_duration",
    "punctuation",
    "rows",
    "sliding",
    "window",
]
