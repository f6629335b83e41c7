"""Queries of the text language: from tree to plan."""

from .bind import bind_query
from .bound import BoundQuery, Joined, Relation
from .explain import explain_passes
from .share import Member, Pass, passes_of
from .windows import ROW, TOTAL

__all__ = [
    "ROW",
    "TOTAL",
    "BoundQuery",
    "Joined",
    "Member",
    "Pass",
    "Relation",
    "bind_query",
    "explain_passes",
    "passes_of",
]
