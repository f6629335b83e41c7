"""Runs `windrow explain`: prints the plan of a query, with reasons."""

from __future__ import annotations

import windrow as wr

from ._cql_text import explain_text, is_text
from ._files import read
from ._options import QueryOptions, with_option_groups
from ._progress import progress
from ._query import make_query
from .console import say


@with_option_groups
def explain(options: QueryOptions) -> None:
    """Print the plan of a query: slices, algorithm, levels on Spark, and reasons.

    Takes the options of windrow run, and looks at the columns of SOURCE only.
    """
    if is_text(options.source):
        explain_text(options)
        return
    query, source = make_query(options), options.source
    with options.session(f"cannot explain the query on {source}") as spark:
        with progress(spark, f"reading {source}"):
            frame = query.rows_of(read(spark, source, options.format_))
        explanation = wr.explain(frame, **query.arguments)
    say(explanation)
