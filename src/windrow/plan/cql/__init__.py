"""Plans queries in CQL: trees bound to schemas, then grouped into passes.

scope.py, types.py  ->  bind.py  ->  bound.py  ->  share.py     explain.py prints it
"""

from .bind import bind_query
from .bound import BoundQuery, JoinedTable, Relation
from .explain import explain_passes
from .share import Member, Pass, passes_of
from .windows import ROW, TOTAL

__all__ = [
    "ROW",
    "TOTAL",
    "BoundQuery",
    "JoinedTable",
    "Member",
    "Pass",
    "Relation",
    "bind_query",
    "explain_passes",
    "passes_of",
]
