"""From partials to machine code: products, generated source, and its cache."""

from .load import (
    arrays,
    cache_folder,
    interpreting,
    is_interpreting,
    kernel,
    telling_lines,
)
from .product import Output, Part, Product, Request, product_of
from .source import (
    add_emit,
    add_lift,
    add_lift_one,
    add_loaded_leaf,
    add_partial,
    add_raw_emit,
    titles,
)
from .text import ENTRY, JIT, Text
from .user import NotCompiled, infer_schema, interpreted_schema, user_functions

__all__ = [
    "ENTRY",
    "JIT",
    "NotCompiled",
    "Output",
    "Part",
    "Product",
    "Request",
    "Text",
    "add_emit",
    "add_lift",
    "add_lift_one",
    "add_loaded_leaf",
    "add_partial",
    "add_raw_emit",
    "arrays",
    "cache_folder",
    "infer_schema",
    "interpreted_schema",
    "interpreting",
    "is_interpreting",
    "kernel",
    "product_of",
    "telling_lines",
    "titles",
    "user_functions",
]
