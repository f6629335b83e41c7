"""Calendar windows: their rule against plain `datetime`, and what is refused."""

from __future__ import annotations

import datetime as dt
import pickle
import zoneinfo

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import windrow as wr
from plain_calendar import PlainCalendar, micros, start_of_day
from windrow.windows import CATALOGUE, Calendar, clock_of
from windrow.windows.zone_days import FURTHEST, days_of, starts_of_days

ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Sao_Paulo",  # clocks went forward at midnight
    "Asia/Beirut",  # they still do
    "America/Havana",  # they go back to midnight
    "America/St_Johns",  # they went back at 00:01
    "America/Toronto",  # they went from 23:30 to 00:30 once
    "Pacific/Apia",  # left out 30 December 2011, had 4 July 1892 twice
    "Australia/Lord_Howe",  # they go forward by half an hour
    "Africa/Casablanca",
    "Asia/Kathmandu",
]
TURNS = [  # days that are odd somewhere
    dt.date(1916, 10, 1),
    dt.date(1919, 3, 31),
    dt.date(1970, 1, 1),
    dt.date(2010, 11, 7),
    dt.date(2011, 12, 30),
    dt.date(2018, 11, 4),
    dt.date(2022, 3, 27),
    dt.date(2024, 2, 29),
    dt.date(2024, 3, 31),
    dt.date(2024, 10, 27),
    dt.date(2025, 11, 2),
]
DAY = dt.timedelta(days=1)
EPOCH = dt.date(1970, 1, 1)
HOUR = 3600 * 10**6

dates = st.one_of(
    st.dates(dt.date(1900, 1, 1), dt.date(2100, 12, 31)),
    st.builds(
        lambda turn, days: turn + days * DAY,
        st.sampled_from(TURNS),
        st.integers(-40, 40),
    ),
)
zones = st.sampled_from(ZONES)


@st.composite
def calendars(draw):
    """Any windows that `wr.calendar` allows, up to a few years long."""
    unit, step_unit = (draw(st.sampled_from([*MOST])) for _ in range(2))
    count = draw(st.integers(1, MOST[unit]))
    step = draw(st.integers(1, MOST[step_unit]))
    assume(step * LONGEST[step_unit] <= count * SHORTEST[unit] or unit == step_unit)
    assume(unit != step_unit or step <= count)
    by_months = step_unit in ("month", "quarter", "year")
    return PlainCalendar(
        count,
        unit,
        step,
        step_unit,
        draw(zones),
        months=draw(st.integers(-14, 14)) if by_months else 0,
        days=draw(st.integers(0, 27) if by_months else st.integers(-9, 9)),
        week_start=draw(st.sampled_from(["monday", "sunday", "thursday"])),
    )


MOST = {"day": 40, "week": 5, "month": 14, "quarter": 5, "year": 2}
LONGEST = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}
SHORTEST = {"day": 1, "week": 7, "month": 28, "quarter": 90, "year": 365}


@st.composite
def instants(draw, zone):
    """An instant in or beside a day, often within a microsecond of its start."""
    start = start_of_day(zone, draw(dates))
    near = st.integers(-1, 1)
    return start + draw(st.one_of(near, near, st.integers(-30 * HOUR, 30 * HOUR)))


@st.composite
def cases(draw):
    plain = draw(calendars())
    return plain, draw(instants(plain.zone))


def rule_of(window, unit="us"):
    return window.rule(0, clock_of("ts", pa.timestamp(unit), window.lengths))


def rule_like(plain, unit="us"):
    return rule_of(wr.calendar(**plain.arguments), unit)


# --- days of a zone -----------------------------------------------------------------


@pytest.mark.parametrize(
    "zone",
    [
        *ZONES,
        pytest.param(None, marks=pytest.mark.deep, id="all"),
    ],
)
@given(data=st.data())
def test_a_day_starts_when_the_clocks_first_show_it(zone, data):
    name = zone or data.draw(st.sampled_from(sorted(zoneinfo.available_timezones())))
    date = data.draw(dates)

    actual = starts_of_days(name, np.array([(date - EPOCH).days]))

    expected = start_of_day(name, date)
    assert actual.tolist() == [expected // 10**6]


ODD_DAYS = {
    "23 hours": ("Europe/Berlin", "2024-03-31", "2024-03-30T23:00", 23),
    "25 hours": ("Europe/Berlin", "2024-10-27", "2024-10-26T22:00", 25),
    "midnight skipped": ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00", 23),
    "midnight skipped still": ("Asia/Beirut", "2024-03-31", "2024-03-30T22:00", 23),
    "midnight twice": ("America/Havana", "2024-11-03", "2024-11-03T04:00", 25),
    "back at 00:01": ("America/St_Johns", "2010-11-07", "2010-11-07T02:30", 25),
    "from 23:30 to 00:30": ("America/Toronto", "1919-03-31", "1919-03-31T04:30", 23.5),
    "a day left out": ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00", 0),
    "a day twice": ("Pacific/Apia", "1892-07-04", "1892-07-03T11:26:56", 48),
    "half an hour": ("Australia/Lord_Howe", "2024-10-06", "2024-10-05T13:30", 23.5),
}


@pytest.mark.parametrize(
    ("zone", "day", "start", "hours"), ODD_DAYS.values(), ids=ODD_DAYS
)
def test_days_that_are_not_24_hours_long_are_one_window(zone, day, start, hours):
    begin = micros(dt.datetime.fromisoformat(f"{start}+00:00"))
    rule = rule_of(wr.calendar("1 day", tz=zone))
    number = (dt.date.fromisoformat(day) - EPOCH).days

    actual = rule.begin(number), rule.end(number)

    expected = begin, begin + round(hours * HOUR)
    assert actual == expected


@pytest.mark.parametrize("zone", [*ZONES, "America/Metlakatla", "Asia/Manila"])
def test_days_follow_each_other_and_each_instant_lies_in_one(zone):
    days = np.arange(-60000, 50000)

    starts = starts_of_days(zone, days)

    assert (np.diff(starts) >= 0).all()
    firsts, lasts = starts[:-1], starts[1:] - 1
    is_there = firsts <= lasts
    assert (days_of(zone, firsts[is_there]) == days[:-1][is_there]).all()
    assert (days_of(zone, lasts[is_there]) == days[:-1][is_there]).all()


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("year", [1, 800, 1599, 1600, 2399, 2400, 3600, 9998])
def test_far_years_cost_nothing_and_follow_the_same_clocks(zone, year):
    dates = [dt.date(year, 1, 1) + days * DAY for days in range(366)]

    actual = starts_of_days(zone, np.array([(date - EPOCH).days for date in dates]))

    info = zoneinfo.ZoneInfo(zone)
    offsets = [dt.datetime(d.year, d.month, d.day, tzinfo=info) for d in dates]
    seconds = [one.utcoffset().total_seconds() for one in offsets]
    utc = [(date - EPOCH).days * 86400 for date in dates]
    expected = [
        midnight - offset for midnight, offset in zip(utc, seconds, strict=True)
    ]
    assert actual.tolist() == expected


@pytest.mark.deep
def test_no_clocks_were_further_from_themselves_than_is_allowed_for():
    noons = [dt.datetime(1840, 1, 1, 12) + n * 10 * DAY for n in range(7300)]  # noqa: DTZ001

    for zone in zoneinfo.available_timezones():
        info = zoneinfo.ZoneInfo(zone)
        offsets = [noon.replace(tzinfo=info).utcoffset() for noon in noons]
        assert (max(offsets) - min(offsets)).total_seconds() <= FURTHEST, zone


# --- the rule, by definition --------------------------------------------------------


@given(cases())
@example((PlainCalendar(1, "month", 1, "day"), 1709164800000000))
def test_the_windows_over_an_instant_are_those_of_plain_datetime(case):
    plain, instant = case
    rule = rule_like(plain)

    numbers = np.arange(rule.first_over(instant), rule.last_over(instant) + 1)
    begins, ends = rule.begin(numbers), rule.end(numbers)

    expected = plain.windows_over(instant)
    assert list(zip(begins.tolist(), ends.tolist(), strict=True)) == expected
    assert len(expected) <= rule.overlap
    assert all(end - begin <= rule.longest for begin, end in expected)


@pytest.mark.parametrize(
    "plain",
    [
        PlainCalendar(1, "month", 1, "day", "Europe/Berlin"),
        PlainCalendar(2, "month", 1, "week", "America/New_York"),
        PlainCalendar(1, "year", 5, "day"),
        PlainCalendar(40, "day", 1, "month", "Asia/Beirut", days=27),
        PlainCalendar(3, "month", 2, "month", "Africa/Casablanca", months=1),
    ],
    ids=str,
)
def test_no_day_of_a_leap_year_and_its_neighbours_is_special(plain):
    dates = [dt.date(2023, 1, 1) + days * DAY for days in range(1096)]
    starts = np.array([start_of_day(plain.zone, date) for date in dates])
    rule = rule_like(plain)

    bounds = [
        (rule.begin(numbers).tolist(), rule.end(numbers).tolist())
        for numbers in map(
            np.arange,
            rule.first_over(starts).tolist(),
            (rule.last_over(starts) + 1).tolist(),
        )
    ]

    expected = [plain.windows_over(start) for start in starts.tolist()]
    assert [list(zip(*pair, strict=True)) for pair in bounds] == expected


@given(cases())
def test_windows_are_numbered_as_a_rule_must(case):
    plain, instant = case
    rule = rule_like(plain)
    first, last = rule.first_over(instant), rule.last_over(instant)
    numbers = np.arange(first - 50, last + 50)

    begins, ends = rule.begin(numbers), rule.end(numbers)

    assert (np.diff(begins) >= 0).all()
    assert (np.diff(ends) >= 0).all()
    assert (begins <= ends).all()
    assert rule.end(first - 1) <= instant < rule.end(first)
    assert rule.begin(last) <= instant < rule.begin(last + 1)


@given(cases())
def test_no_window_begins_or_ends_inside_a_slice(case):
    plain, instant = case
    rule = rule_like(plain)

    start, stop = rule.cut(instant), rule.next_cut(instant)

    assert start <= instant < stop
    assert not plain.edges(start + 1, stop - 1)
    for other in (start, stop - 1):
        assert (rule.cut(other), rule.next_cut(other)) == (start, stop)


@given(cases())
def test_slices_of_one_rhythm_are_as_long_as_they_can_be(case):
    plain, instant = case
    assume(plain.step_unit not in ("day", "week") or plain.unit in ("day", "week"))
    rule = rule_like(plain)

    start, stop = rule.cut(instant), rule.next_cut(instant)

    assert plain.edges(start, stop) == {start, stop}


@given(data=st.data())
def test_arrays_are_answered_as_their_numbers_are(data):
    plain = data.draw(calendars())
    times = data.draw(st.lists(instants(plain.zone), max_size=6))
    rule = rule_like(plain)

    for question in (rule.first_over, rule.last_over, rule.cut, rule.next_cut):
        answers = question(np.array(times, np.int64))
        assert answers.dtype == np.int64
        assert answers.tolist() == [question(time) for time in times]
        assert all(type(question(time)) is int for time in times)
    numbers = rule.last_over(np.array(times, np.int64))
    for question in (rule.begin, rule.end):
        answers = question(numbers)
        assert answers.tolist() == [question(k) for k in numbers.tolist()]


@given(cases(), st.sampled_from(["s", "ms", "ns"]))
def test_ticks_of_any_length_give_the_same_instants(case, unit):
    plain, instant = case
    factor = {"s": 10**6, "ms": 10**3, "ns": 10**-3}[unit]
    rule, other = rule_like(plain), rule_like(plain, unit)
    time = int(instant // factor) if unit != "ns" else instant * 1000
    same = time * factor if unit != "ns" else instant

    answers = [rule.first_over(same), rule.last_over(same), rule.cut(same)]

    number, _, cut = answers
    assert other.first_over(time) == number
    assert other.last_over(time) == answers[1]
    assert other.cut(time) == round(cut / factor)
    assert other.begin(number) == round(rule.begin(number) / factor)


@pytest.mark.parametrize("year", [1, 2, 1582, 9997, 9998])
@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Pacific/Apia"])
def test_windows_of_the_first_and_the_last_years_are_there(zone, year):
    instant = (dt.date(year, 6, 15) - EPOCH).days * 24 * HOUR
    plain = PlainCalendar(1, "month", 1, "month", zone)
    rule = rule_like(plain)

    number = rule.last_over(instant)

    assert number == (year - 1970) * 12 + 5
    assert rule.first_over(instant) == number
    assert (rule.begin(number), rule.end(number)) == plain.windows_over(instant)[0]


def test_instants_at_the_ends_of_64_bits_are_clipped_and_do_not_wrap():
    rule = rule_of(wr.calendar("1 year", tz="Europe/Berlin"), "ns")

    for instant in (-(2**63), 2**63 - 1):
        assert rule.begin(rule.last_over(instant)) <= instant + 10**9
        assert rule.end(rule.first_over(instant)) >= instant - 10**9
        assert rule.first_over(instant) == rule.last_over(instant)


def test_the_rule_of_a_column_of_dates_counts_days():
    window = wr.calendar("1 month", on="day")
    clock = clock_of("day", pa.date32(), window.lengths)
    rule = window.rule(0, clock)
    days = np.array(
        [(dt.date(2024, 2, 1) - EPOCH).days, (dt.date(2024, 3, 1) - EPOCH).days - 1]
    )

    numbers = rule.last_over(days * clock.factor)

    assert numbers.tolist() == [649, 649]


def test_a_rule_arrives_where_it_is_sent():
    rule = rule_of(wr.calendar("1 month", every="1 day", tz="Europe/Berlin"))

    actual = pickle.loads(pickle.dumps(rule))

    assert actual == rule
    assert actual.cut(1711843200000000) == rule.cut(1711843200000000)


# --- bounds of a rule ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("window", "days", "overlap"),
    [
        (wr.calendar("1 day"), (1, 1), 1),
        (wr.calendar("2 weeks", every="1 week"), (14, 7), 2),
        (wr.calendar("1 month"), (31, 28), 1),
        (wr.calendar("1 month", every="1 day"), (31, 1), 31),
        (wr.calendar("1 quarter", every="1 month"), (92, 28), 3),
        (wr.calendar("1 year"), (366, 365), 1),
        (wr.calendar("45 days", every="1 month"), (45, 28), 2),
    ],
    ids=str,
)
def test_lengths_are_told_for_the_longest_and_the_shortest_months(
    window, days, overlap
):
    rule = rule_of(window)
    zoned = rule_of(window.replaced(tz="Europe/Berlin"))

    assert (rule.longest, rule.step) == tuple(24 * HOUR * number for number in days)
    assert zoned.longest == rule.longest + 26 * HOUR
    assert zoned.step == rule.step - HOUR
    assert rule.overlap == zoned.overlap == overlap
    assert rule.tumbles == (overlap == 1)
    assert not rule.is_even


ALIKE = {
    "12 months and a year": (wr.calendar("12 months"), wr.calendar("1 year")),
    "short and long words": (
        wr.calendar("1mo", every="2w"),
        wr.calendar("1 month", every="2 weeks"),
    ),
    "no zone and UTC": (wr.calendar("1q"), wr.calendar("3 months", tz="UTC")),
    "an offset of a whole slide": (
        wr.calendar("1y", offset="15 months"),
        wr.calendar("1y", offset="1 quarter"),
    ),
    "weeks, and sevens of days from a Monday": (
        wr.calendar("1 week"),
        wr.calendar("7 days", offset="4 days"),
    ),
    "a first weekday that nothing begins on": (
        wr.calendar("1 month", week_start="sunday"),
        wr.calendar("1 month"),
    ),
}
UNLIKE = {
    "range": wr.calendar("2 months", every="1 month"),
    "slide": wr.calendar("1 month", every="1 day"),
    "offset": wr.calendar("1 month", offset="1 day"),
    "zone": wr.calendar("1 month", tz="Europe/Berlin"),
    "days": wr.calendar("1 day"),
    "weeks": wr.calendar("1 week"),
    "weeks from Sunday": wr.calendar("1 week", week_start="Sunday"),
    "quarters": wr.calendar("1 quarter"),
    "fiscal quarters": wr.calendar("1 quarter", offset="1 month"),
}


@pytest.mark.parametrize(("one", "other"), ALIKE.values(), ids=ALIKE)
def test_windows_that_mean_the_same_have_one_fingerprint(one, other):
    assert rule_of(one).fingerprint() == rule_of(other).fingerprint()
    assert one.identity == other.identity


def test_windows_that_mean_something_else_have_another_fingerprint():
    windows = [wr.calendar("1 month"), *UNLIKE.values()]

    assert len({rule_of(window).fingerprint() for window in windows}) == len(windows)
    assert len({window.identity for window in windows}) == len(windows)
    assert len({str(window) for window in windows}) == len(windows)


def test_ticks_of_another_length_give_another_fingerprint():
    window = wr.calendar("1 month")

    assert rule_of(window, "us").fingerprint() != rule_of(window, "ms").fingerprint()


# --- what a user writes -------------------------------------------------------------


def test_calendar_windows_are_in_the_catalogue():
    assert Calendar in CATALOGUE


def test_a_calendar_window_tumbles_unless_told_how_often():
    window = wr.calendar("1 month")

    assert window.slide == window.range
    assert rule_of(window).tumbles


@pytest.mark.parametrize(
    ("window", "text"),
    [
        (wr.calendar("1 month", every="1 day"), "range 1 month slide 1 day"),
        (
            wr.calendar("1 day", tz="Europe/Berlin"),
            "range 1 day slide 1 day in Europe/Berlin",
        ),
        (
            wr.calendar("1 year", offset="3 months 5 days", tz="Europe/London"),
            "range 1 year slide 1 year offset 3 months 5 days in Europe/London",
        ),
        (
            wr.calendar("1 week", week_start="Sunday"),
            "range 1 week slide 1 week from sunday",
        ),
    ],
)
def test_a_calendar_window_says_what_it_is(window, text):
    assert str(window) == text


def test_a_fiscal_year_begins_where_its_offset_says():
    rule = rule_of(wr.calendar("1 year", offset="3 months 5 days", tz="Europe/London"))
    instant = micros(dt.datetime(2024, 4, 5, 22, 59, 59, tzinfo=dt.UTC))

    actual = rule.begin(rule.last_over(instant)), rule.end(rule.last_over(instant))

    expected = [dt.datetime(year, 4, 5, 23, tzinfo=dt.UTC) for year in (2023, 2024)]
    assert actual == tuple(micros(bound) for bound in expected)


REFUSED = {
    "hours": (lambda: wr.calendar("24 hours"), "shorter than a day", "wr.sliding"),
    "a slide of minutes": (
        lambda: wr.calendar("1 day", every="5m"),
        "'m' is shorter than a day",
        "wr.sliding",
    ),
    "a plain number": (lambda: wr.calendar(30), "of type int", "'1 month'"),
    "a timedelta": (
        lambda: wr.calendar(dt.timedelta(days=1)),
        "of type timedelta",
        "wr.sliding",
    ),
    "half a month": (
        lambda: wr.calendar("1.5 months"),
        "is not a number and a unit",
        "'1 month'",
    ),
    "an unknown unit": (lambda: wr.calendar("3 moons"), "unknown unit", "'1 month'"),
    "nothing": (lambda: wr.calendar(""), "it is empty", "'1 month'"),
    "months and days": (
        lambda: wr.calendar("1 month 3 days"),
        "it mixes months and days",
        "days and weeks",
    ),
    "no month": (lambda: wr.calendar("0 months"), "more than zero", "positive"),
    "a negative slide": (
        lambda: wr.calendar("1 month", every="-1 day"),
        "more than zero",
        "positive",
    ),
    "more years than there are": (
        lambda: wr.calendar("20000 years"),
        "years 1 to 9999",
        "shorter",
    ),
    "a slide of more months": (
        lambda: wr.calendar("1 month", every="1 quarter"),
        "longer than the range",
        "at most 1 month",
    ),
    "a slide that is longer than February": (
        lambda: wr.calendar("1 month", every="29 days"),
        "longer than the range",
        "at most 1 month",
    ),
    "a range that is shorter than January": (
        lambda: wr.calendar("30 days", every="1 month"),
        "longer than the range",
        "at most 30 days",
    ),
    "an offset of months for weeks": (
        lambda: wr.calendar("1 week", offset="1 month"),
        "not whole numbers of days",
        "days or weeks",
    ),
    "an offset to the 29th": (
        lambda: wr.calendar("1 month", offset="28 days"),
        "a day that every month has",
        "0 to 27 days",
    ),
    "an offset to the month before": (
        lambda: wr.calendar("1 month", offset="-1 day"),
        "a day that every month has",
        "0 to 27 days",
    ),
    "an offset of hours": (
        lambda: wr.calendar("1 day", offset="6 hours"),
        "shorter than a day",
        "wr.sliding",
    ),
    "an unknown zone": (
        lambda: wr.calendar("1 day", tz="Mars/Olympus"),
        "no such zone is known here",
        "IANA",
    ),
    "an unknown weekday": (
        lambda: wr.calendar("1 week", week_start="moonday"),
        "no day of the week",
        "monday",
    ),
    "numbers for times": (
        lambda: wr.calendar("1 day").rule(0, clock_of("ts", pa.int64(), ())),
        "no unit of time",
        "days of a calendar need a timestamp or date column",
    ),
    "centuries in nanoseconds": (
        lambda: rule_of(wr.calendar("200 years"), "ns"),
        "too long for 64-bit time",
        "shorter",
    ),
}


@pytest.mark.parametrize(("make", "cause", "hint"), REFUSED.values(), ids=REFUSED)
def test_what_no_calendar_has_is_refused_with_cause_and_hint(make, cause, hint):
    with pytest.raises(wr.WindowError) as refused:
        make()

    fact, _, advice = str(refused.value).partition("\nHint: ")
    assert fact.startswith("cannot ")
    assert cause in fact
    assert hint in advice


def test_a_slide_as_long_as_the_shortest_month_is_allowed():
    assert str(wr.calendar("1 month", every="4 weeks"))
    assert str(wr.calendar("31 days", every="1 month"))


def test_months_lead_from_fixed_windows_to_the_calendar():
    with pytest.raises(wr.WindowError, match=r"wr\.calendar"):
        wr.sliding("1 month", on="ts")
