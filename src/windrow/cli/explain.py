"""Runs `windrow explain`: prints the plan of a query, with reasons."""

from __future__ import annotations

import windrow as wr

from ._console import out
from ._cql_text import explain_text, is_text
from ._files import read
from ._option_groups import with_option_groups
from ._options import QueryOptions
from ._progress import progress
from ._query import check_names
from ._spark_errors import plain_errors


@with_option_groups
def explain(options: QueryOptions) -> None:
    """Print the plan of a query: slices, algorithm, levels on Spark, and reasons.

    Takes the options of windrow run, and looks at the columns of SOURCE only.
    """
    if is_text(options.source):
        explain_text(options)
        return
    query, source = options.query(), options.source
    with (
        options.session() as spark,
        plain_errors(f"cannot explain the query on {source}", verbose=options.verbose),
    ):
        with progress(spark, f"reading {source}"):
            frame = query.filtered(read(spark, source, options.format_))
        check_names(query, frame)
        explanation = wr.explain(frame, **query.arguments)
    out.print(str(explanation), markup=False, soft_wrap=True)
