"""Parses a text into trees, one for each query.

    text  --sqlglot-->  tokens  --clauses.py-->  tokens without windows
          --sqlglot-->  its tree  --translate.py-->  ours

This module and those that it imports load sqlglot; nothing else in Windrow does.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

from sqlglot import Token, TokenType
from sqlglot.errors import ErrorLevel, ParseError, TokenError

from windrow.errors import QueryError

from .clauses import split, without_istream
from .grammar import CQL
from .statement import StatementReader
from .tree import Clause, Place, QueryTree

_SHAPE = (
    "a query is select ... from a stream [window], then join, where, group by, having"
)
_OPENS = ("select", "with", "istream", "(")
_CLOSES = (
    TokenType.FROM,
    TokenType.WHERE,
    TokenType.GROUP_BY,
    TokenType.HAVING,
    TokenType.JOIN,
    TokenType.R_PAREN,
    TokenType.SEMICOLON,
)


def parse(text: str) -> tuple[QueryTree, ...]:
    """Every query of the text."""
    tokens = _tokens(text)
    _check_commas(text, tokens)
    plain, clauses = split(text, tokens)
    used: set[Place] = set()
    queries = [
        _query(text, part, dict(clauses), used) for part in _statements(plain) if part
    ]
    for after, clause in clauses:
        if after not in used:
            raise QueryError.at(
                text,
                clause.at[0],
                clause.at[1],
                "no window here",
                "a window stands behind the name of the stream in from",
            )
    if not queries:
        raise QueryError.at(text, len(text), len(text), "a query", _SHAPE)
    return tuple(queries)


def _tokens(text: str) -> list[Token]:
    try:
        return list(CQL.tokenize(text))
    except TokenError as error:
        start = _open_quote(text)
        raise QueryError.at(
            text, start, start + 1, "a closing quote", "close what this quote opens"
        ) from error


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
        if token.token_type is not TokenType.COMMA:
            continue
        if after is None or after.token_type in _CLOSES:
            start = token.end + 1 if after is None else after.start
            stop = start if after is None else after.end + 1
            raise QueryError.at(
                text, start, stop, "an expression", "leave out the comma before it"
            )


def _statements(tokens: list[Token]) -> list[list[Token]]:
    """The tokens between semicolons."""
    statements: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            statements.append([])
        else:
            statements[-1].append(token)
    return statements


def _query(
    text: str, statement: list[Token], clauses: dict[Place, Clause], used: set[Place]
) -> QueryTree:
    tokens, istream = without_istream(statement)
    if not tokens or tokens[0].text.lower() not in _OPENS:
        first = (tokens or statement)[0]
        raise QueryError.at(text, first.start, first.end + 1, "select", _SHAPE)
    parser: Any = CQL.parser(error_level=ErrorLevel.IMMEDIATE)
    try:
        (node,) = parser.parse(tokens, text)
    except ParseError as error:
        raise _parse_error(text, tokens, error) from error
    reader = StatementReader(text, statement, clauses, used)
    return replace(reader.query(node), istream=istream)


def _parse_error(text: str, tokens: list[Token], error: ParseError) -> QueryError:
    """Sqlglot's error at the same token, in the words of our grammar."""
    details = error.errors[0] if error.errors else {}
    words = str(details.get("description") or "")
    line, column = details.get("line"), details.get("col")
    at = [t for t in tokens if (t.line, t.col) == (line, column)]
    token = at[0] if at else tokens[-1]
    start, stop = token.start, token.end + 1
    is_after = "Required keyword" in words or "SENTINEL" in words
    if is_after and token is tokens[-1]:
        start = stop = token.end + 1
    if words.startswith("Expecting "):
        return QueryError.at(text, start, stop, words[len("Expecting ") :], _SHAPE)
    if words.startswith("Expected table name"):
        return QueryError.at(text, start, stop, "the name of a stream", _SHAPE)
    if words.startswith("Required keyword"):
        return QueryError.at(text, start, stop, "an expression", _SHAPE)
    return QueryError.at(
        text, start, stop, "a comma, an operator or the next clause", _SHAPE
    )
