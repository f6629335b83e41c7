"""Defines CQL as a dialect of sqlglot that leaves functions as they are written.

Sqlglot would turn many functions (`first`, `any`, `arg_max`) into nodes with a meaning
taken from some database.  Here every function keeps its name, and `translate.py` looks
it up in our catalogues.
"""

from __future__ import annotations

from typing import ClassVar

from sqlglot import Tokenizer, TokenType
from sqlglot.dialects.dialect import Dialect
from sqlglot.parser import Parser


class _Tokenizer(Tokenizer):
    IDENTIFIERS: ClassVar = ['"', "`"]
    KEYWORDS: ClassVar = {**Tokenizer.KEYWORDS, "DIV": TokenType.DIV}


class _Parser(Parser):
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
