"""Reads window clauses, the brackets after a stream, token by token.

    window  :=  "[" range "]" | "[" rows "]" | "[" "now" "]"
    range   :=  "range" "unbounded" | "range" length [ "slide" length ] [ "in" zone ]
                [ "span" name "," name ]
    rows    :=  [ "partition" "by" name { "," name } ] "rows" n [ "slide" n ]
    length  :=  number | number unit { number unit }

A number without a unit is in seconds.  Months, quarters and years are those of a
calendar, and so are all lengths of a window that names a zone, such as 'Europe/Berlin'.
Tokens outside the clauses go to sqlglot, whose parser then sees plain SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal, InvalidOperation

from sqlglot import Token, TokenType

from windrow.errors import QueryError, WindowError
from windrow.windows import calendar, names_months, rows, sliding
from windrow.windows.duration import parse_duration

from .hints import pointing_at
from .tree import Clause, ColumnName, Length, Now, Place, Range, RowCount, Unbounded

_SHAPES = (
    "[range 24 hours slide 1 minute], [rows 1000 slide 10], "
    "[partition by k rows 100], [range unbounded], [now] or "
    "[range 1 month slide 1 day in 'Europe/Berlin']"
)
_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
_AFTER_LENGTH = ("slide", "in", "span", "]")
OUTPUTS = ("istream", "dstream", "rstream")
_NANOSECONDS = 10**9


def place_of(token: Token) -> Place:
    """The place of a token in the text."""
    return token.start, token.end + 1


def split(
    text: str, tokens: Sequence[Token]
) -> tuple[list[Token], dict[Place, Clause]]:
    """The tokens without window clauses; each clause, by the place of its stream."""
    plain: list[Token] = []
    clauses: dict[Place, Clause] = {}
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.token_type is not TokenType.L_BRACKET:
            plain.append(token)
            i += 1
            continue
        before = tokens[i - 1] if i else token
        reader = _ClauseReader(text, tokens, i + 1)
        clauses[place_of(before)] = reader.clause(token.start)
        i = reader.place
    return plain, clauses


def without_output(tokens: Sequence[Token]) -> tuple[list[Token], str | None]:
    """The tokens of one query without istream( ), and which of the three it was.

    It stands around the whole query, or around the whole select list.
    """
    words = [token.text.lower() for token in tokens]
    for at in (0, 1):
        is_output = words[at : at + 1] and words[at] in OUTPUTS
        if not is_output or words[at + 1 : at + 2] != ["("]:
            continue
        if at == 1 and words[0] != "select":
            continue
        end = _closing(words, at + 1)
        behind = words[end + 1 : end + 2]
        if (at == 0 and not behind) or (at == 1 and behind == ["from"]):
            inside = tokens[at + 2 : end]
            return [*tokens[:at], *inside, *tokens[end + 1 :]], words[at]
    return list(tokens), None


def _closing(words: Sequence[str], opened: int) -> int:
    depth = 0
    for place in range(opened, len(words)):
        depth += (words[place] == "(") - (words[place] == ")")
        if depth == 0:
            return place
    return len(words)


class _ClauseReader:
    """The tokens of one clause, from left to right; `place` is the next one."""

    def __init__(self, text: str, tokens: Sequence[Token], place: int) -> None:
        self._text = text
        self._tokens = tokens
        self.place = place

    def clause(self, start: int) -> Clause:
        """The clause whose bracket has just been opened."""
        first = self.place
        if self._takes("now"):
            return Now(at=self._closed(start))
        if self._takes("range"):
            if self._takes("unbounded"):
                return Unbounded(at=self._closed(start))
            length = self._length("a duration or unbounded")
            slide = self._length("a duration") if self._takes("slide") else length
            zone = None
            if self._takes("in"):
                hint, is_string = "write in 'Europe/Berlin'", _of_type(TokenType.STRING)
                zone = str(self._take("a time zone", hint, is_string).text)
            span = self._span() if self._takes("span") else None
            clause = Range(length, slide, zone, span, at=self._closed(start))
            with self._pointing(first, clause.at):
                _check(clause)
            return clause
        partition = self._partition()
        if self._takes("rows"):
            count = self._count()
            step = self._count() if self._takes("slide") else 1
            at = self._closed(start)
            with self._pointing(first, at):
                rows(count, every=step)
            return RowCount(count, step, partition, at=at)
        expected = "rows" if partition else "range, rows, partition by or now"
        raise self._refused(expected, f"windows are {_SHAPES}")

    def _span(self) -> tuple[ColumnName, ColumnName]:
        """The columns of start and end, with a comma between."""
        hint = "write [range 15 minutes span start, end]"
        names: list[ColumnName] = []
        for wanted in ("a column of starts", "a column of ends"):
            if names and not self._takes(","):
                raise self._refused("a comma and a column of ends", hint)
            token = self._next()
            if token is None or not token.text or token.text in ",]":
                raise self._refused(wanted, hint)
            self.place += 1
            names.append(ColumnName(token.text, at=place_of(token)))
        return names[0], names[1]

    def _partition(self) -> tuple[ColumnName, ...]:
        names: list[ColumnName] = []
        while self._takes("," if names else "partition by"):
            hint = "write [partition by caller rows 100]"
            token = self._take("a column", hint, _of_type(*_NAMES))
            names.append(ColumnName(token.text, at=place_of(token)))
        return tuple(names)

    def _count(self) -> int:
        hint = "write [rows 1000 slide 10]"
        wanted = "a whole number of rows"
        return int(self._take(wanted, hint, lambda token: token.text.isdigit()).text)

    def _take(self, wanted: str, hint: str, fits: Callable[[Token], bool]) -> Token:
        """The next token, which must fit; move on over it."""
        token = self._next()
        if token is None or not fits(token):
            raise self._refused(wanted, hint)
        self.place += 1
        return token

    def _length(self, wanted: str) -> Length:
        """Numbers with units, or one number of seconds."""
        total, has_months = 0, False
        words: list[str] = []
        while (token := self._next()) and token.token_type is TokenType.NUMBER:
            number = self._number(token)
            self.place += 1
            unit = self._next()
            ends = unit is None or unit.text.lower() in _AFTER_LENGTH
            if unit is None or ends or unit.token_type is TokenType.NUMBER:
                if words:
                    raise self._refused("a unit", "write '1 hour 30 minutes'")
                words.append(f"{token.text} {'second' if number == 1 else 'seconds'}")
                total = self._whole(token, number * _NANOSECONDS)
                break
            try:
                is_month = names_months(unit.text)
                size = 0 if is_month else parse_duration(f"1 {unit.text}").amount
            except WindowError as error:
                hint = str(error).partition("Hint: ")[2]
                raise self._refused("a unit of time", hint) from error
            self.place += 1
            has_months = has_months or is_month
            words.append(f"{token.text} {unit.text.lower()}")
            total += self._whole(token, number * size)
        if not words:
            hint = "write a number of seconds, or a number and a unit: 24 hours"
            raise self._refused(wanted, hint)
        return Length(" ".join(words), None if has_months else total)

    def _number(self, token: Token) -> Decimal:
        try:
            return Decimal(token.text)
        except InvalidOperation as error:
            raise self._refused("a number", "write 24 hours or 0.5 seconds") from error

    def _whole(self, token: Token, nanoseconds: Decimal) -> int:
        if nanoseconds != int(nanoseconds):
            wanted, hint = "a whole number of nanoseconds", "use fewer digits"
            raise QueryError.at(self._text, *place_of(token), wanted, hint)
        return int(nanoseconds)

    def _closed(self, start: int) -> Place:
        is_bracket = _of_type(TokenType.R_BRACKET)
        token = self._take("]", f"windows are {_SHAPES}", is_bracket)
        return start, token.end + 1

    def _takes(self, word: str) -> bool:
        """Move on over the word, if it stands here."""
        token = self._next()
        if token is None or " ".join(token.text.lower().split()) != word:
            return False
        self.place += 1
        return True

    def _pointing(self, first: int, at: Place) -> AbstractContextManager[None]:
        """Refuse impossible windows in the words that `wr.sliding` has for it."""
        inside = (self._tokens[first].start, at[1] - 1)
        return pointing_at(self._text, inside, "a window")

    def _next(self) -> Token | None:
        return self._tokens[self.place] if self.place < len(self._tokens) else None

    def _refused(self, wanted: str, hint: str) -> QueryError:
        token = self._next()
        at = (len(self._text),) * 2 if token is None else place_of(token)
        return QueryError.at(self._text, *at, wanted, hint)


def _of_type(*types: TokenType) -> Callable[[Token], bool]:
    return lambda token: token.token_type in types


def _check(clause: Range) -> None:
    """Make the window of a clause; a calendar reads its lengths from text."""
    if clause.is_calendar and clause.span is not None:
        raise WindowError.because(
            "cannot lay events with a duration over a calendar",
            "months and days of a zone are not equally long",
            "give a range of seconds, minutes, hours, days or weeks",
        )
    if clause.is_calendar:
        calendar(clause.range.text, every=clause.slide.text, tz=clause.zone)
    else:
        sliding(clause.range.duration, every=clause.slide.duration)
