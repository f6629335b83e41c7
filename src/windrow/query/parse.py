"""Parses a text into trees, one for each query.

    text  --sqlglot-->  tokens  --clauses.py-->  tokens without windows
          --sqlglot-->  its tree  --translate.py-->  ours

This module and those that it imports load sqlglot; nothing else in Windrow does.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from sqlglot import Token, Tokenizer, TokenType
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, ParseError, TokenError
from sqlglot.parser import Parser

from windrow.aggregates import Aggregate
from windrow.errors import BadInput, QueryError

from .clauses import OUTPUTS, place_of, split, without_output
from .statement import SHAPE, StatementReader
from .translate import is_taken
from .tree import Clause, Place, QueryTree

_OPENS = ("select", "with", *OUTPUTS, "(")
_CLOSES = (
    TokenType.FROM,
    TokenType.WHERE,
    TokenType.GROUP_BY,
    TokenType.HAVING,
    TokenType.JOIN,
    TokenType.R_PAREN,
    TokenType.SEMICOLON,
)


class _Tokenizer(Tokenizer):
    IDENTIFIERS: ClassVar = ['"', "`"]
    KEYWORDS: ClassVar = {**Tokenizer.KEYWORDS, "DIV": TokenType.DIV}


class _Parser(Parser):
    # Sqlglot would give many functions (first, any, arg_max) the meaning that they have
    # in some database.  Here every function keeps its name: translate.py looks it up.
    FUNCTIONS: ClassVar = {}
    FUNCTION_PARSERS: ClassVar = {"CAST": Parser.FUNCTION_PARSERS["CAST"]}
    NO_PAREN_FUNCTIONS: ClassVar = {}
    NO_PAREN_FUNCTION_PARSERS: ClassVar = {
        "CASE": Parser.NO_PAREN_FUNCTION_PARSERS["CASE"]
    }


class Cql(Dialect):
    """Standard SQL with names in double quotes or backticks, and `div`."""

    Tokenizer = _Tokenizer
    Parser = _Parser


CQL = Cql()


def parse(
    text: str, aggregates: Mapping[str, Aggregate] | None = None
) -> tuple[QueryTree, ...]:
    """Every query of the text; `aggregates` are a user's own, by name."""
    own = aggregates or {}
    for name in own:
        if is_taken(name):
            raise BadInput.because(
                f"cannot call an aggregate of your own {name!r}",
                "the language has a function or an aggregate of that name",
                f"give it another: wr.cql(text, my_{name}=...)",
            )
    tokens = _tokens(text)
    _check_commas(text, tokens)
    plain, clauses = split(text, tokens)
    between = itertools.groupby(plain, lambda t: t.token_type is TokenType.SEMICOLON)
    queries = [
        _query(text, list(statement), clauses, own)
        for is_semicolon, statement in between
        if not is_semicolon
    ]
    for clause in clauses.values():  # those that no statement has taken
        hint = "a window stands behind the name of the stream in from"
        raise QueryError.at(text, *clause.at, "no window here", hint)
    if not queries:
        raise QueryError.at(text, len(text), len(text), "a query", SHAPE)
    return tuple(queries)


def _tokens(text: str) -> list[Token]:
    try:
        return list(CQL.tokenize(text))
    except TokenError as error:
        start, hint = _open_quote(text), "close what this quote opens"
        raise QueryError.at(text, start, start + 1, "a closing quote", hint) from error


def _open_quote(text: str) -> int:
    """The place of the quote that is never closed."""
    opened: int | None = None
    for place, sign in enumerate(text):
        if opened is None and sign in "'\"`":
            opened = place
        elif opened is not None and sign == text[opened]:
            opened = None
    return opened if opened is not None else 0


def _check_commas(text: str, tokens: list[Token]) -> None:
    """Refuse a list that ends in a comma, which sqlglot accepts."""
    for token, after in itertools.zip_longest(tokens, tokens[1:]):
        is_last = after is None or after.token_type in _CLOSES
        if token.token_type is TokenType.COMMA and is_last:
            at = (token.end + 1,) * 2 if after is None else place_of(after)
            hint = "leave out the comma before it"
            raise QueryError.at(text, *at, "an expression", hint)


def _query(
    text: str,
    statement: list[Token],
    clauses: dict[Place, Clause],
    aggregates: Mapping[str, Aggregate],
) -> QueryTree:
    tokens, output = without_output(statement)
    if not tokens or tokens[0].text.lower() not in _OPENS:
        first = (tokens or statement)[0]
        raise QueryError.at(text, *place_of(first), "select", SHAPE)
    parser: Any = CQL.parser(error_level=ErrorLevel.IMMEDIATE)
    try:
        (node,) = parser.parse(tokens, text)
    except ParseError as error:
        raise _parse_error(text, tokens, error) from error
    query = StatementReader(text, statement, clauses, aggregates).query(node)
    return replace(query, output=output)


def _parse_error(text: str, tokens: list[Token], error: ParseError) -> QueryError:
    """Sqlglot's error at the same token, in the words of our grammar."""
    details = error.errors[0] if error.errors else {}
    words = str(details.get("description") or "")
    line, column = details.get("line"), details.get("col")
    at = [t for t in tokens if (t.line, t.col) == (line, column)]
    token = at[0] if at else tokens[-1]
    start, stop = place_of(token)
    is_after = "Required keyword" in words or "SENTINEL" in words
    if is_after and token is tokens[-1]:
        start = stop
    expected = "a comma, an operator or the next clause"
    if words.startswith("Expecting "):
        expected = words.removeprefix("Expecting ")
    elif words.startswith("Expected table name"):
        expected = "the name of a stream"
    elif words.startswith("Required keyword"):
        expected = "an expression"
    return QueryError.at(text, start, stop, expected, SHAPE)
