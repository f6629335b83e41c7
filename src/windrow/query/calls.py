"""Parses aggregates: `longest=max(len)`, `who=arg_max(len, caller)`, `n=count()`.

    call    :=  name "=" aggregate "(" [ item { "," item } ] ")"
    item    :=  name | option "=" literal
    name    :=  letters, digits and underscores, or anything between backticks;
                a backtick within is written twice
    literal :=  a number, text between quotes, or numbers between square brackets

Nothing is evaluated; all else is refused with the place where reading stopped.

    >>> name, call = parse_call("who=arg_max(len, `full name`)")
    >>> name, call.label
    ('who', 'arg_max(len, full name)')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from windrow.aggregates import Call, find
from windrow.errors import BadInput

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<name>[^\W\d]\w*)
      | `(?P<quoted>(?:[^`]|``)+)`
      | (?P<number>-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)
      | '(?P<single>[^']*)' | "(?P<double>[^"]*)"
      | (?P<sign>[][=(),])
      | (?P<end>$)
    )""",
    re.VERBOSE,
)
_SHAPE = (
    'write name=aggregate(column), such as --agg "longest=max(len)"; '
    "a column with blanks or dots stands between backticks"
)


def parse_calls(texts: Sequence[str]) -> dict[str, Call]:
    """All the aggregates of a command, by the names of their columns."""
    if not texts:
        raise BadInput.because(
            "cannot make a query", "no aggregate is given", 'add --agg "n=count()"'
        )
    calls: dict[str, Call] = {}
    for text in texts:
        name, call = parse_call(text)
        if name in calls:
            raise BadInput.because(
                f"cannot read aggregate {text!r}",
                f"there is one called {name!r} already",
                "give every aggregate a name of its own",
            )
        calls[name] = call
    return calls


def parse_call(text: str) -> tuple[str, Call]:
    """The column's name, and what goes into it."""
    reader = _CallReader(text)
    name = reader.name("a name for the new column")
    reader.sign("=")
    aggregate = find(reader.name("an aggregate"))
    reader.sign("(")
    columns: list[str] = []
    options: dict[str, Any] = {}
    for _ in reader.items(")"):
        item = reader.name("a column")
        if reader.at("="):
            reader.sign("=")
            options[item] = reader.literal()
        else:
            columns.append(item)
    reader.take("nothing more", "end")
    least, most = aggregate.columns
    if not least <= len(columns) <= most:
        words = f"{least}" if least == most else f"{least} or {most}"
        raise BadInput.because(
            f"cannot read aggregate {text!r}",
            f"{aggregate.name} takes {words} column{'s' if most != 1 else ''}, "
            f"not {len(columns)}",
            _SHAPE,
        )
    return name, aggregate(*columns, **options)


class _CallReader:
    """Text read token by token, left to right, with one token of foresight."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    def at(self, sign: str) -> bool:
        """Whether this sign comes next."""
        token = _TOKEN.match(self._text, self._place)
        return token is not None and token["sign"] == sign

    def take(self, what: str, *kinds: str) -> re.Match[str]:
        """The next token, which is a sign or of a kind among these, or a refusal."""
        token = _TOKEN.match(self._text, self._place)
        if token is None or not {token.lastgroup, token["sign"]} & {*kinds}:
            rest = self._text[self._place :].strip()
            raise BadInput.because(
                f"cannot read aggregate {self._text!r}",
                f"expected {what}, got {repr(rest) if rest else 'its end'}",
                _SHAPE,
            )
        self._place = token.end()
        return token

    def sign(self, sign: str) -> None:
        """A bracket, a comma or an equals sign."""
        self.take(repr(sign), sign)

    def items(self, end: str) -> Iterator[None]:
        """Once for each item up to the closing bracket, with commas between them."""
        is_first = True
        while not self.at(end):
            if not is_first:
                self.sign(",")
            is_first = False
            yield
        self.sign(end)

    def name(self, what: str) -> str:
        """A word, or anything between backticks."""
        token = self.take(what, "name", "quoted")
        return token["name"] or token["quoted"].replace("``", "`")

    def literal(self) -> int | float | str | list[int | float]:
        """A number, text between quotes, or numbers between square brackets."""
        if self.at("["):
            self.sign("[")
            return [_number(self.take("a number", "number")) for _ in self.items("]")]
        token = self.take("a number or quoted text", "number", "single", "double")
        if token["number"] is not None:
            return _number(token)
        return str(token["single"] or token["double"] or "")


def _number(token: re.Match[str]) -> int | float:
    text = token["number"]
    return int(text) if text.lstrip("-").isdigit() else float(text)
