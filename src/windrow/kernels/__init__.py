"""Makes loops over a product of aggregates.

product.py     partials of several aggregates as one
source.py      combine, load, store, emit for a product, as text
leaves.py      lift, as text
tallies.py     partials of rows whose number is known, as text
user.py        a user's own functions, and the types they give
assemble.py    a kernel from these and an algorithm's functions
vocabulary.py  the words that such functions are written in
"""

from .assemble import Assembly, Named
from .product import Output, Product, ProductPart, Request, product_of
from .user import NotCompiled, infer_schema, interpreted_schema

__all__ = [
    "Assembly",
    "Named",
    "NotCompiled",
    "Output",
    "Product",
    "ProductPart",
    "Request",
    "infer_schema",
    "interpreted_schema",
    "product_of",
]
