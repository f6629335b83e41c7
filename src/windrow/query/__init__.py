"""Text to tree.

`parse` in `parse.py` needs sqlglot, and is loaded when the first text comes; the tree,
its operators and its words are plain data.
"""

from .tree import Query
from .words import text, tree_text, window_text

__all__ = ["Query", "text", "tree_text", "window_text"]
