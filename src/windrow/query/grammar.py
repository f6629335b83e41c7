"""What sqlglot is told of CQL: its words, and that it leaves functions alone.

sqlglot would turn many functions into nodes of its own, with a meaning taken from some
database (`first`, `any`, `arg_max` among them).  Here every function keeps the name it
was written with, and `translate.py` looks it up in our catalogues.
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
