"""`windrow explain`: what `windrow run` would do, and why."""

from __future__ import annotations

import windrow as wr

from . import _options as o
from ._console import out
from ._failure import told
from ._files import read
from ._progress import progress
from ._query import check_names, make_query
from ._session import parse_settings, session


def explain(
    source: o.Source,
    agg: o.Agg,
    format_: o.GivenFormat = None,
    window: o.Windows = None,
    rows: o.Counts = None,
    every: o.Every = None,
    on: o.On = None,
    ties: o.Ties = None,
    by: o.By = None,
    where: o.Where = None,
    hot: o.Hot = False,
    keys: o.Keys = None,
    master: o.Master = "local[*]",
    conf: o.Conf = None,
    verbose: o.Verbose = False,
) -> None:
    """Print the plan of a query: slices, algorithm, levels on Spark, and reasons.

    Takes the options of windrow run, and looks at the columns of SOURCE only.
    """
    query = make_query(
        window=window,
        rows_=rows,
        every=every,
        on=on,
        ties=ties,
        by=by,
        agg=agg,
        hot=hot,
        keys=keys,
        where=where,
    )
    with (
        session(master, verbose=verbose, settings=parse_settings(conf)) as spark,
        told(f"cannot explain the query on {source}", verbose=verbose),
    ):
        with progress(spark, f"reading {source}"):
            frame = query.filtered(read(spark, source, format_))
        check_names(query, frame)
        explanation = wr.explain(frame, **query.arguments)
    out.print(str(explanation), markup=False, soft_wrap=True)
