"""LightSaber's five workloads on Spark, each query in two forms side by side.

    stream --> filter, project, join --> windows and group by --> having --> rows
               ordinary PySpark          wr.aggregate, or         ordinary
                                         groupBy(window())        PySpark

One file per workload: its rows, made by a seeded generator or read from a sample
file, and its queries.  `python -m examples.lightsaber` runs and compares them all;
`README.md` beside this file says what was taken from where.  Spark's own forms select
the columns they need before the window: `window()` writes all columns into each of the
projections of its plan, and there are hundreds of those.
"""

from . import cm, lrb, sg, sm, ysb
from ._workload import Query, Workload

WORKLOADS = (cm.WORKLOAD, sg.WORKLOAD, lrb.WORKLOAD, ysb.WORKLOAD, sm.WORKLOAD)

__all__ = ["WORKLOADS", "Query", "Workload", "cm", "lrb", "sg", "sm", "ysb"]
