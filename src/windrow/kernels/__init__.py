"""Compiles loops for a product of aggregates: source, its assembly and its cache."""

from .assemble import Assembly, Named
from .load import (
    arrays,
    cache_folder,
    interpreting,
    is_interpreting,
    kernel,
    run_with_user_lines,
)
from .product import Output, Product, ProductPart, Request, product_of
from .text import ENTRY, INLINE, JIT, Text
from .user import NotCompiled, infer_schema, interpreted_schema

__all__ = [
    "ENTRY",
    "INLINE",
    "JIT",
    "Assembly",
    "Named",
    "NotCompiled",
    "Output",
    "Product",
    "ProductPart",
    "Request",
    "Text",
    "arrays",
    "cache_folder",
    "infer_schema",
    "interpreted_schema",
    "interpreting",
    "is_interpreting",
    "kernel",
    "product_of",
    "run_with_user_lines",
]
