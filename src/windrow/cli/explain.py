"""`windrow explain`: what `windrow run` would do, and why."""

from __future__ import annotations

import windrow as wr

from ._console import out
from ._failure import told
from ._files import read
from ._groups import in_groups
from ._options import Asked
from ._progress import progress
from ._query import check_names
from ._session import session
from ._text import explain_text, is_text


@in_groups
def explain(asked: Asked) -> None:
    """Print the plan of a query: slices, algorithm, levels on Spark, and reasons.

    Takes the options of windrow run, and looks at the columns of SOURCE only.
    """
    if is_text(asked.source):
        explain_text(asked)
        return
    query = asked.query()
    with (
        session(
            asked.master, verbose=asked.verbose, settings=asked.settings()
        ) as spark,
        told(f"cannot explain the query on {asked.source}", verbose=asked.verbose),
    ):
        with progress(spark, f"reading {asked.source}"):
            frame = query.filtered(read(spark, asked.source, asked.format_))
        check_names(query, frame)
        explanation = wr.explain(frame, **query.arguments)
    out.print(str(explanation), markup=False, soft_wrap=True)
