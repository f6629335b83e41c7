"""Plans queries in CQL: trees bound to schemas, then grouped into passes.

scope.py, types.py, windows.py  ->  bind.py  ->  passes.py     explain.py prints it
"""

from .bind import bind_query
from .explain import explain_passes
from .loop import loop_steps, why_not_in_loop
from .passes import BoundQuery, JoinedTable, Member, Pass, Relation, passes_of
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
    "loop_steps",
    "passes_of",
    "why_not_in_loop",
]
