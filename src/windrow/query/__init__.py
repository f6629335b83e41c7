"""Parses queries in CQL into trees.

    text  ->  parse.py  ->  tree.py        and back: unparse.py

`calls.py` reads single aggregates, as the command line and SQL functions have them.
`parse.py` needs sqlglot and is loaded when the first text comes; trees and operators
are plain data.
"""

from .tree import QueryTree
from .unparse import text_of, tree_text, window_text

__all__ = ["QueryTree", "text_of", "tree_text", "window_text"]
