"""Features: aggregates over the past, defined once for training and for serving.

    features = wr.features(by="card", on="ts", n_10m=wr.count(last="10 minutes"))

    wr.as_of(labels, events, features, at="label_ts")      a training set
    wr.over(events, features)                              the same, for each event
    features.save("features.toml")                         what both read

The file is TOML, one table for each feature:

    format = "windrow features 1"
    on = "ts"
    by = ["card"]
    closed = "left"

    [features.n_10m]
    aggregate = "count"
    last = "10 minutes"
"""

from __future__ import annotations

import html
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import tomli_w

from windrow._later import dataclass
from windrow.aggregates import Call, check_closed, find
from windrow.aggregates.calls import gather_calls
from windrow.errors import BadInput
from windrow.windows import Duration

from .as_of import check_delay
from .bind import bind
from .cards import Cards
from .where import mask_calls

FORMAT = "windrow features 1"


@dataclass(frozen=True, eq=False)
class Features:
    """What `wr.features` gives: calls by name, and the keys and the clock of events.

    `by` are the keys, `on` the time column, `closed` and `delay` say which interval
    before an instant counts, and `calls` are the aggregates by name.
    """

    by: tuple[str, ...]
    on: str
    closed: str
    delay: str | None
    calls: Mapping[str, Call]

    def __repr__(self) -> str:
        return f"{self._title()}\n{self._cards()!r}"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self._title())}</p>{self._cards()._repr_html_()}"

    def _title(self) -> str:
        keys = ", ".join(self.by) or "no key"
        delay = f", {self.delay} late" if self.delay else ""
        return f"features by {keys} on {self.on}{delay}"

    def _cards(self) -> Cards:
        rows = [_row(name, call, self.closed) for name, call in self.calls.items()]
        unsaid = [n for n in ("next", "min_periods") if not any(r[n] for r in rows)]
        return Cards([{n: v for n, v in r.items() if n not in unsaid} for r in rows])

    def schema(self, events: pa.Schema) -> pa.Schema:
        """The columns that they give over `events` of that schema: names and types.

        >>> known = pa.schema({"ts": pa.timestamp("us"), "amount": pa.int32()})
        >>> features(on="ts", n=find("sum")("amount")).schema(known)
        n: int64
        """
        calls, masked, _ = mask_calls(self.calls, events)
        fields = []
        for bound in bind(calls, masked, of_rows=True):
            never = bound.aggregate.name in ("count", "count_distinct", "collect")
            never = never and bound.call.min_periods is None
            fields.append(pa.field(bound.name, bound.result, nullable=not never))
        return pa.schema(fields)

    def save(self, path: str | Path) -> None:
        """Write them to the file `path`, as TOML that `wr.read_features` reads.

        >>> import tempfile
        >>> import windrow as wr
        >>> path = Path(tempfile.mkdtemp()) / "features.toml"
        >>> wr.features(by="card", on="ts", n=wr.count(last="1 hour")).save(path)
        >>> print(path.read_text().splitlines()[1])
        on = "ts"
        """
        for name, call in self.calls.items():
            if call.aggregate.is_users:
                raise BadInput.because(
                    f"cannot save feature {name!r}",
                    f"{call.aggregate.name} is an aggregate of your own, and a file "
                    "holds no functions",
                    "save the others, and add it where they are read",
                )
        head: dict[str, Any] = {"format": FORMAT, "on": self.on, "by": list(self.by)}
        head["closed"] = self.closed
        if self.delay is not None:
            head["delay"] = self.delay
        head["features"] = {name: _written(call) for name, call in self.calls.items()}
        Path(path).write_text(tomli_w.dumps(head), "utf-8")


def features(
    *,
    on: str,
    by: str | Sequence[str] | None = None,
    closed: str = "left",
    delay: str | None = None,
    aggregates: Mapping[str, Any] | None = None,
    **named: Any,
) -> Features:
    """Define features once: aggregates over the events of a key before an instant.

    They are what `wr.as_of` and `wr.over` take in place of aggregates, with the same
    intervals in both.  `on` names the time column of events, `by` their keys.
    Aggregates are keywords, or entries of `aggregates` where a name is taken by a
    parameter.  `closed="left"` leaves out what happens at the instant itself, and
    `delay`, a duration, moves every interval back by the time until an event is known.

    >>> import windrow as wr
    >>> wr.features(by="card", on="ts", n=wr.count(last="1 hour", where="amount > 9"))
    features by card on ts
    name  aggregate  last    closed  where
    ----  ---------  ------  ------  ----------
    n     count()    1 hour  left    amount > 9
    """
    keys = () if by is None else (by,) if isinstance(by, str) else tuple(by)
    calls = gather_calls(named, aggregates, locals())
    check_closed(closed)
    if delay is not None:
        check_delay(delay)
    return Features(keys, on, closed, delay, calls)


def read_features(path: str | Path) -> Features:
    """The features in the file at `path`, which `Features.save` or a person wrote.

    >>> import tempfile
    >>> import windrow as wr
    >>> path = Path(tempfile.mkdtemp()) / "features.toml"
    >>> wr.features(by="card", on="ts", n=wr.count(last="1 hour")).save(path)
    >>> list(wr.read_features(path).calls)
    ['n']
    """
    try:
        content = tomllib.loads(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _unreadable(path, str(error), "check the path and the file") from error
    if content.get("format") != FORMAT:
        cause = f"its format is {content.get('format')!r}, not {FORMAT!r}"
        raise _unreadable(path, cause, "read it with the version that wrote it")
    known = {"format", "on", "by", "closed", "delay", "features"}
    if unknown := set(content) - known:
        cause = f"it has {min(unknown)!r}, which means nothing here"
        raise _unreadable(path, cause, f"known are {', '.join(sorted(known))}")
    tables = content.get("features", {})
    if "on" not in content or not isinstance(tables, dict) or not tables:
        cause = "it names no time column, or no feature"
        raise _unreadable(path, cause, "see the example in the docs")
    calls = {name: _read(path, name, table) for name, table in tables.items()}
    options = {k: content[k] for k in ("by", "closed", "delay") if k in content}
    return features(on=content["on"], aggregates=calls, **options)


def _unreadable(path: str | Path, cause: str, hint: str) -> BadInput:
    return BadInput.because(f"cannot read features from {path}", cause, hint)


def _written(call: Call) -> dict[str, Any]:
    """A call as a table of TOML."""
    table: dict[str, Any] = {"aggregate": call.aggregate.name}
    if call.columns:
        table["columns"] = list(call.columns)
    for word in ("last", "next", "closed", "where", "min_periods"):
        value = getattr(call, word)
        if value is not None:
            table[word] = value.text if isinstance(value, Duration) else value
    return table | dict(call.options)


def _read(path: str | Path, name: str, table: Any) -> Call:
    if not isinstance(table, dict) or "aggregate" not in table:
        cause = f"feature {name!r} names no aggregate"
        raise _unreadable(path, cause, 'write aggregate = "count"')
    options = dict(table)
    aggregate = find(options.pop("aggregate"))
    columns = options.pop("columns", [])
    return aggregate(*([columns] if isinstance(columns, str) else columns), **options)


def _row(name: str, call: Call, closed: str) -> dict[str, str]:
    sides = {"last": call.last, "next": call.next}
    words = {w: getattr(x, "text", f"{x} rows") for w, x in sides.items() if x}
    return {
        "name": name,
        "aggregate": call.label,
        "last": words.get("last", "" if words else "everything"),
        "next": words.get("next", ""),
        "closed": call.closed or closed,
        "where": call.where or "",
        "min_periods": str(call.min_periods or ""),
    }
