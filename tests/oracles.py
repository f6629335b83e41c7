"""Plain answers to check everything else against.

Nothing here is fast, and nothing here knows the package under test: each answer
is its definition, spelled out over Python lists.  None is null, NaN is the
largest value, instants are whole numbers, windows are half-open.

    lower("max", [3, None, 5])                         5
    time_windows([7], range=10, slide=5)               [(0, 10), (5, 15)]
    count_windows(4, range=3, slide=1)                 [(0, 3), (1, 4)]
    aggregate(rows, keys, windows, calls)              rows: keys, window, results
    over(rows, calls, on=, keys=)                      a result per row and call
    slide(values, range, slide, name)                  a result per window
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

Row = dict[str, Any]


# --- values -----------------------------------------------------------------


def is_nan(value: Any) -> bool:
    """Whether a value is a NaN; anything but a float is not."""
    return isinstance(value, float) and math.isnan(value)


def rank(value: Any) -> tuple[bool, Any]:
    """A sort key under which NaN is the largest value and equals itself."""
    return (True, 0) if is_nan(value) else (False, value)


def total(values: Sequence[Any]) -> Any:
    """The sum: exact for whole numbers and decimals, rounded once for floats."""
    if not any(isinstance(value, float) for value in values):
        return sum(values, start=Decimal(0) if isinstance(values[0], Decimal) else 0)
    if not all(math.isfinite(value) for value in values):
        return sum(values)
    return rounded(sum(map(Fraction, values), start=Fraction(0)))


def rounded(value: Fraction) -> float:
    """The nearest float; an infinity where there is none."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def root(value: Fraction) -> float:
    """The square root, kept in range by scaling with an even power of two."""
    if value == 0:
        return 0.0
    shift = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scaled = math.sqrt(value / Fraction(4) ** shift)
    return rounded(Fraction(scaled) * Fraction(2) ** shift)


# --- aggregates over the values of one window, nulls already left out ----------


def _mean(values: list[Any]) -> Any:
    if isinstance(values[0], Decimal):  # four more digits, halves away from zero
        scale = 4 - int(values[0].as_tuple().exponent)
        exact = Fraction(total(values)) * 10**scale / len(values)
        digits = math.floor(abs(exact) + Fraction(1, 2))
        return Decimal(digits if exact > 0 else -digits).scaleb(-scale)
    if not all(math.isfinite(value) for value in values):
        return sum(values)  # an infinity or a NaN, which dividing does not change
    return rounded(sum(map(Fraction, values), start=Fraction(0)) / len(values))


def _centred(values: list[Any], power: int) -> Fraction | None:
    """sum((v - mean) ** power), exactly; None where a value is not finite."""
    if not all(math.isfinite(value) for value in values):
        return None
    exact = [Fraction(value) for value in values]
    mean = sum(exact, start=Fraction(0)) / len(exact)
    return sum(((value - mean) ** power for value in exact), start=Fraction(0))


def _variance(values: list[Any], taken_off: int) -> float | None:
    if len(values) <= taken_off:
        return None
    m2 = _centred(values, 2)
    return math.nan if m2 is None else rounded(m2 / (len(values) - taken_off))


def _stddev(values: list[Any], taken_off: int) -> float | None:
    if len(values) <= taken_off:
        return None
    m2 = _centred(values, 2)
    return math.nan if m2 is None else root(m2 / (len(values) - taken_off))


def _skew(values: list[Any]) -> float | None:
    m2, m3 = _centred(values, 2), _centred(values, 3)
    if m2 is None or m3 is None:
        return math.nan
    if m2 == 0:
        return None
    size = root(len(values) * m3**2 / m2**3)
    return -size if m3 < 0 else size


def _kurtosis(values: list[Any]) -> float | None:
    m2, m4 = _centred(values, 2), _centred(values, 4)
    if m2 is None or m4 is None:
        return math.nan
    return None if m2 == 0 else rounded(len(values) * m4 / m2**2 - 3)


def _cross(pairs: list[tuple[Any, Any]]) -> Fraction | None:
    """sum((x - mean of x) (y - mean of y)), exactly."""
    if not all(math.isfinite(x) and math.isfinite(y) for x, y in pairs):
        return None
    n = len(pairs)
    mean_x = sum((Fraction(x) for x, _ in pairs), start=Fraction(0)) / n
    mean_y = sum((Fraction(y) for _, y in pairs), start=Fraction(0)) / n
    products = ((Fraction(x) - mean_x) * (Fraction(y) - mean_y) for x, y in pairs)
    return sum(products, start=Fraction(0))


def _covariance(pairs: list[tuple[Any, Any]], taken_off: int) -> float | None:
    if len(pairs) <= taken_off:
        return None
    c = _cross(pairs)
    return math.nan if c is None else rounded(c / (len(pairs) - taken_off))


def _correlation(pairs: list[tuple[Any, Any]]) -> float | None:
    m2_x = _centred([x for x, _ in pairs], 2)
    m2_y = _centred([y for _, y in pairs], 2)
    if m2_x == 0 or m2_y == 0:
        return None
    c = _cross(pairs)
    if m2_x is None or m2_y is None or c is None:
        return math.nan
    size = root(c**2 / (m2_x * m2_y))
    return -size if c < 0 else size


def _geometric_mean(values: list[Any]) -> float:
    if any(is_nan(value) or value < 0 for value in values):
        return math.nan
    if any(value == 0 for value in values):
        return math.nan if math.inf in values else 0.0
    if math.inf in values:
        return math.inf
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def _product(values: list[Any]) -> float:
    """Exact, and rounded once: nothing overflows on the way."""
    special = [float(value) for value in values if not _is_plain(value)]
    if special:
        sign = math.prod(math.copysign(1.0, value) for value in values)
        return math.prod([*map(abs, special), sign])
    exact = math.prod(Fraction(value) for value in values)
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _is_plain(value: Any) -> bool:
    return value != 0 and math.isfinite(value)


def _bits(values: list[Any], step: Callable[[Any, Any], Any]) -> Any:
    result = values[0]
    for value in values[1:]:
        result = step(result, value)
    return result


def _distinct(values: list[Any]) -> list[Any]:
    """Each value once, by first occurrence; all NaN are one value."""
    found: list[Any] = []
    for value in values:
        if not any(rank(value) == rank(other) for other in found):
            found.append(value)
    return found


def _sketch(values: list[Any]) -> tuple[Any, ...]:
    """count, min, max, power sums, count of positives, log power sums, all to 10."""
    floats = [float(value) for value in values]
    logs = [math.log(value) for value in floats if value > 0]
    return (
        len(floats),
        min(floats, key=rank),
        max(floats, key=rank),
        *(total([value**k for value in floats]) for k in range(1, 11)),
        len(logs),
        *(total([value**k for value in logs]) if logs else 0.0 for k in range(1, 11)),
    )


def _first_reaching(best: Any, pairs: list[tuple[Any, Any]]) -> Any:
    return next(other for value, other in pairs if rank(value) == rank(best))


def _in_order(values: list[Any]) -> list[Any]:
    return sorted(values, key=rank)


def _halfway(low: Any, high: Any, share: float) -> float:
    """The number at a share of the way from low to high, exactly, rounded once."""
    low, high = float(low), float(high)
    if share == 0.0 or low == high:
        return low
    if not (math.isfinite(low) and math.isfinite(high)):
        return low * (1 - share) + high * share
    exact = Fraction(low) + (Fraction(high) - Fraction(low)) * Fraction(share)
    return rounded(exact)


def _quantile(values: list[Any], q: Any = 0.5, interpolation: str = "linear") -> Any:
    if isinstance(q, (list, tuple)):
        return [_quantile(values, one, interpolation) for one in q]
    ordered, n = _in_order(values), len(values)
    if interpolation == "discrete":
        shares = [(k + 1) / n for k in range(n)]
        return next(v for v, s in zip(ordered, shares, strict=True) if s >= q)
    place = q * (n - 1)
    low, high = math.floor(place), math.ceil(place)
    if interpolation in ("lower", "higher"):
        return ordered[low if interpolation == "lower" else high]
    if interpolation == "nearest":
        near = (
            low if place - low < 0.5 or (place - low == 0.5 and not low % 2) else high
        )
        return ordered[near]
    share = 0.5 if interpolation == "midpoint" and high > low else place - low
    return _halfway(ordered[low], ordered[high], share)


def _mad(values: list[Any]) -> float:
    middle = _quantile(values)
    return _quantile([abs(float(value) - middle) for value in values])


def _mode(values: list[Any]) -> Any:
    keys = [rank(value) for value in values]
    return max(_in_order(values), key=lambda v: (keys.count(rank(v)), _Back(rank(v))))


class _Back:
    """Compares the other way round."""

    def __init__(self, key: Any) -> None:
        self.key = key

    def __lt__(self, other: _Back) -> bool:
        return bool(self.key > other.key)

    def __gt__(self, other: _Back) -> bool:
        return bool(self.key < other.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Back) and self.key == other.key

    __hash__ = None  # type: ignore[assignment]


def _weighted_median(pairs: list[tuple[Any, Any]]) -> float | None:
    """Half of the weight on either side; on a border, halfway to the next."""
    weighed = sorted(
        ((v, Fraction(w)) for v, w in pairs if w), key=lambda p: rank(p[0])
    )
    whole, reached = sum((w for _, w in weighed), start=Fraction(0)), Fraction(0)
    for number, (value, weight) in enumerate(weighed):
        reached += weight
        if 2 * reached == whole:
            return _halfway(value, weighed[number + 1][0], 0.5)
        if 2 * reached > whole:
            return float(value)
    return None


def _value_counts(values: list[Any]) -> list[tuple[Any, int]]:
    keys = [rank(value) for value in values]
    return [(value, keys.count(rank(value))) for value in _distinct(values)]


_LISTS: dict[str, Callable[..., list[Any]]] = {
    "collect": lambda values: values,
    "collect_distinct": _distinct,
    "first_k": lambda values, k=5: values[:k],
    "last_k": lambda values, k=5: values[max(len(values) - k, 0) :],
    "top_k": lambda values, k=5: sorted(values, key=rank, reverse=True)[:k],
    "bottom_k": lambda values, k=5: _in_order(values)[:k],
    "value_counts": _value_counts,
}

_ONE_COLUMN: dict[str, Callable[[list[Any]], Any]] = {
    "sum": total,
    "product": _product,
    "mean": _mean,
    "geometric_mean": _geometric_mean,
    "min": lambda values: min(values, key=rank),
    "max": lambda values: max(values, key=rank),
    "range": lambda values: max(values, key=rank) - min(values, key=rank),
    "min_count": lambda values: [rank(v) for v in values].count(min(map(rank, values))),
    "max_count": lambda values: [rank(v) for v in values].count(max(map(rank, values))),
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "variance": lambda values: _variance(values, 1),
    "variance_population": lambda values: _variance(values, 0),
    "stddev": lambda values: _stddev(values, 1),
    "stddev_population": lambda values: _stddev(values, 0),
    "skew": _skew,
    "kurtosis": _kurtosis,
    "any": lambda values: any(value != 0 for value in values),
    "all": lambda values: all(value != 0 for value in values),
    "bit_and": lambda values: _bits(values, lambda a, b: a & b),
    "bit_or": lambda values: _bits(values, lambda a, b: a | b),
    "bit_xor": lambda values: _bits(values, lambda a, b: a ^ b),
    "moment_sketch": _sketch,
    "median": _quantile,
    "quantile": _quantile,
    "percentile_disc": lambda values, q=0.5, interpolation="discrete": _quantile(
        values, q, interpolation
    ),
    "mad": _mad,
    "mode": _mode,
}

_TWO_COLUMNS: dict[str, Callable[[list[tuple[Any, Any]]], Any]] = {
    "covariance": lambda pairs: _covariance(pairs, 1),
    "covariance_population": lambda pairs: _covariance(pairs, 0),
    "correlation": _correlation,
    "weighted_median": _weighted_median,
}


def lower(
    name: str,
    values: Iterable[Any],
    others: Iterable[Any] | None = None,
    **options: Any,
) -> Any:
    """What an aggregate gives over the values of one window, nulls skipped."""
    if name == "count" and others is None:
        return sum(value is not None for value in values)
    if name in ("arg_min", "arg_max"):
        assert others is not None
        pairs = [(v, o) for v, o in zip(values, others, strict=True) if v is not None]
        choose = min if name == "arg_min" else max
        if not pairs:
            return None
        return _first_reaching(choose((v for v, _ in pairs), key=rank), pairs)
    if name in _TWO_COLUMNS:
        assert others is not None
        both = [(v, o) for v, o in zip(values, others, strict=True)]
        both = [(v, o) for v, o in both if v is not None and o is not None]
        return _TWO_COLUMNS[name](both) if both else None
    present = [value for value in values if value is not None]
    if name in _LISTS:
        return _LISTS[name](present, **options)
    if name == "count_distinct":
        return len(_distinct(present))
    if not present:
        return None
    if name == "concat":
        return options.get("separator", "").join(present)
    return _ONE_COLUMN[name](present, **options)


# --- windows ------------------------------------------------------------------


class Time(NamedTuple):
    """Windows [start, start + range) of instants, starts at offset + i * slide."""

    range: int
    slide: int
    offset: int = 0
    on: str = "at"
    query: Any = None


class Count(NamedTuple):
    """Windows over the rows [i * slide, i * slide + range) of a key."""

    range: int
    slide: int
    partial: bool = False
    on: str | None = None
    query: Any = None


def time_windows(
    instants: Iterable[int], range: int, slide: int, offset: int = 0
) -> list[tuple[int, int]]:
    """Every aligned window that holds one of the instants, by start."""
    starts = set()
    for instant in instants:
        start = instant - (instant - offset) % slide
        while start > instant - range:
            starts.add(start)
            start -= slide
    return [(start, start + range) for start in sorted(starts)]


def count_windows(
    n: int, range: int, slide: int, partial: bool = False
) -> list[tuple[int, int]]:
    """Complete windows over n rows; or all that hold a row, clipped at both ends."""
    if not partial:
        found, start = [], 0
        while start + range <= n:
            found.append((start, start + range))
            start += slide
        return found
    if n == 0:
        return []
    start = 0
    while start - slide + range > 0:
        start -= slide
    found = []
    while start < n:
        found.append((max(start, 0), min(start + range, n)))
        start += slide
    return found


# --- queries --------------------------------------------------------------------

Calls = dict[str, tuple[Any, ...]]
"""Per result: (aggregate, columns) or (aggregate, columns, options)."""


def results(rows: list[Row], calls: Calls) -> Row:
    """Every call over the rows of one window."""
    return {label: _call(rows, *call) for label, call in calls.items()}


def _call(
    rows: list[Row], name: str, columns: tuple[str, ...], options: Row | None = None
) -> Any:
    if not columns:
        assert name == "count"
        return len(rows)
    listed = [[row[column] for row in rows] for column in columns]
    return lower(name, *listed, **(options or {}))


def groups(rows: list[Row], keys: Sequence[str]) -> list[tuple[Row, list[Row]]]:
    """The rows of each key in arrival order; keys sorted, nulls first."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    ordered = sorted(found, key=lambda key: [nulls_first(part) for part in key])
    return [(dict(zip(keys, key, strict=True)), found[key]) for key in ordered]


def nulls_first(value: Any) -> tuple[Any, ...]:
    """A sort key with nulls before all values and NaN after them."""
    return (0,) if value is None else (1, *rank(value))


def aggregate(
    rows: list[Row], keys: Sequence[str], windows: Sequence[Time | Count], calls: Calls
) -> list[Row]:
    """A row per key, window of the list and start: keys, bounds, results."""
    answer = []
    for key, members in groups(rows, keys):
        for index, window in enumerate(windows):
            query = index if window.query is None else window.query
            for start, end, held in _held(members, window):
                bounds = {"query": query, "start": start, "end": end}
                answer.append({**key, **bounds, **results(held, calls)})
    return answer


def _held(
    rows: list[Row], window: Time | Count
) -> Iterable[tuple[int, int, list[Row]]]:
    if isinstance(window, Count):
        rows = sorted_by(rows, window.on)
        for start, end in count_windows(len(rows), *window[:3]):
            yield start, end, rows[start:end]
        return
    rows = sorted_by([row for row in rows if row[window.on] is not None], window.on)
    instants = [row[window.on] for row in rows]
    for start, end in time_windows(instants, *window[:3]):
        yield start, end, [row for row in rows if start <= row[window.on] < end]


def sorted_by(rows: list[Row], on: str | None) -> list[Row]:
    """Rows by `on`, nulls first, ties in arrival order."""
    return list(rows) if on is None else sorted(rows, key=lambda r: nulls_first(r[on]))


class Frame(NamedTuple):
    """What a row looks back over: rows, a duration, or all; with its closed ends.

    `ahead` is as many rows, or as long, as it looks ahead; 0 back if only that.
    """

    rows: int | None = None
    duration: int | None = None
    closed: str = "right"
    ahead: int = 0
    min_periods: int | None = None


def over(
    rows: list[Row],
    calls: dict[str, tuple[Frame, tuple[Any, ...]]],
    *,
    on: str | None = None,
    keys: Sequence[str] = (),
) -> list[Row]:
    """The results of each row over its own past, in the order of the input."""
    answer: list[Row] = [{} for _ in rows]
    numbered = [{**row, "#": number} for number, row in enumerate(rows)]
    for _, members in groups(numbered, keys):
        ordered = sorted_by(members, on)
        for position, row in enumerate(ordered):
            for label, (frame, call) in calls.items():
                held = _looked_back(ordered, position, frame, on)
                if call[0] in ("rank", "percent_rank"):
                    found = {label: _own_rank(held, row, *call)}
                else:
                    found = results(held, {label: call})
                if values_of(held, call) < (frame.min_periods or 0):
                    found = {label: None}
                answer[row["#"]].update(found)
    return answer


def values_of(held: list[Row], call: tuple[Any, ...]) -> int:
    """How many rows have a value that the call sees: rows, values or pairs."""
    name, columns = call[0], call[1]
    seen = columns[:1] if name in ("arg_max", "arg_min", "first", "last") else columns
    return len([row for row in held if all(row[name] is not None for name in seen)])


def _own_rank(
    held: list[Row],
    row: Row,
    name: str,
    columns: tuple[str, ...],
    options: Row | None = None,
) -> Any:
    """The place of a row's value among the others of its frame and itself."""
    (column,), options = columns, options or {}
    if row[column] is None:
        return None
    own = rank(row[column])
    others = [rank(r[column]) for r in held if r is not row and r[column] is not None]
    if options.get("descending"):
        before = sum(other > own for other in others)
    else:
        before = sum(other < own for other in others)
    if name == "percent_rank":
        return before / len(others) if others else 0.0
    same, method = others.count(own), options.get("method", "min")
    return before + 1 + {"min": 0, "max": same, "average": same / 2}[method]


def _looked_back(
    ordered: list[Row], position: int, frame: Frame, on: str | None
) -> list[Row]:
    far_in, near_in = (
        frame.closed in ("both", "left"),
        frame.closed in ("both", "right"),
    )
    stop = position + 1 if near_in else position
    if frame.rows is not None:
        return ordered[max(stop - frame.rows, 0) : stop + frame.ahead]
    if on is None:
        return ordered[:stop]
    now = ordered[position][on]
    if now is None:
        return [row for row in ordered if row[on] is None]
    if frame.duration is None:
        nulls = [row for row in ordered if row[on] is None]
        timed = ordered[len(nulls) :]
        return nulls + [r for r in timed if r[on] < now or (near_in and r[on] == now)]
    then, until = now - frame.duration, now + frame.ahead
    return [
        row
        for row in ordered
        if row[on] is not None
        and (
            then < row[on] < until
            or (far_in and row[on] == then)
            or (near_in and row[on] == until)
        )
    ]


def slide(
    values: Sequence[Any],
    range: int,
    slide: int,
    name: str,
    *,
    partial: bool = False,
    others: Sequence[Any] | None = None,
    **options: Any,
) -> list[Any]:
    """One result per count window over a plain list."""
    windows = count_windows(len(values), range, slide, partial)
    return [
        lower(
            name,
            values[start:end],
            None if others is None else others[start:end],
            **options,
        )
        for start, end in windows
    ]


# --- comparing ------------------------------------------------------------------


def alike(actual: Any, expected: Any, tolerance: float = 0.0) -> bool:
    """Equal, NaN to NaN; floats to within `tolerance`, relative and absolute."""
    if expected is None or actual is None:
        return actual is None and expected is None
    if isinstance(expected, (list, tuple)):
        return len(actual) == len(expected) and all(
            alike(a, e, tolerance) for a, e in zip(actual, expected, strict=True)
        )
    if isinstance(expected, dict):
        return actual.keys() == expected.keys() and all(
            alike(actual[key], expected[key], tolerance) for key in expected
        )
    if is_nan(expected) or is_nan(actual):
        return is_nan(expected) and is_nan(actual)
    if isinstance(expected, float) and isinstance(actual, (int, float)):
        return actual == expected or math.isclose(
            actual, expected, rel_tol=tolerance, abs_tol=tolerance
        )
    return bool(actual == expected)


def differences(
    actual: Sequence[Any], expected: Sequence[Any], tolerance: float = 0.0
) -> list[str]:
    """What is not alike, in words; empty where two lists of answers agree."""
    found = []
    if len(actual) != len(expected):
        found.append(f"{len(actual)} answers, expected {len(expected)}")
    for index, (a, e) in enumerate(zip(actual, expected, strict=False)):
        if not alike(a, e, tolerance):
            found.append(f"answer {index}: {a!r}, expected {e!r}")
    return found
