"""Makes loops over a product of aggregates.

product.py     partials of several aggregates as one
merge.py       makes it of what is asked for
source.py      combine, load, store, emit for a product, as text
leaves.py      lift, as text
sketches.py    objects beside numbers in a partial
codes.py       numbers of keys, as text
tallies.py     partials of rows whose number is known, as text
trial.py       whether a user's functions can be given arrays
user.py        a user's own functions, and the types they give
assemble.py    a kernel from these and an algorithm's functions
vocabulary.py  the words that such functions are written in
"""

from .assemble import Assembly, Named
from .codes import KeyText
from .merge import product_of
from .product import Output, Product, ProductPart, Request
from .sketches import run_each, sketch_product
from .user import (
    NotCompiled,
    infer_schema,
    interpreted_schema,
    warn_interpreted,
)

__all__ = [
    "Assembly",
    "KeyText",
    "Named",
    "NotCompiled",
    "Output",
    "Product",
    "ProductPart",
    "Request",
    "infer_schema",
    "interpreted_schema",
    "product_of",
    "run_each",
    "sketch_product",
    "warn_interpreted",
]
