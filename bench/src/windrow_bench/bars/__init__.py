"""Windrow's own bars: what it promises beside other libraries, Spark, and itself.

_bar             how a promise is judged: without slack, at its worst place
kernels          beside one pass over memory; PBA in two threads; FlatFAT
peers            beside other libraries' moving windows, README's table
own_aggregate, latency, operators, million_keys, sharing, tables, time_windows,
stream_kinds, queries, medians, first_calls, features, spanning, slick_deque
                 in this process
on_spark         batches on Spark
on_streams       streams on Spark
"""

from .features import FEATURES
from .first_calls import FIRST_CALLS
from .kernels import EXPERIMENTS as KERNELS
from .latency import LATENCY
from .medians import MEDIANS
from .million_keys import MILLION_KEYS
from .on_spark import EXPERIMENTS as ON_SPARK
from .on_streams import EXPERIMENTS as ON_STREAMS
from .operators import OPERATORS
from .own_aggregate import OWN_AGGREGATE
from .peers import PEERS_BAR
from .queries import QUERIES_BAR
from .sharing import SHARING
from .slick_deque import SLICK_DEQUE
from .spanning import SPANNING
from .stream_kinds import STREAM_KINDS
from .tables import OVER, WINDOWS
from .time_windows import TIME_WINDOWS

EXPERIMENTS = (
    *KERNELS,
    SLICK_DEQUE,
    PEERS_BAR,
    OWN_AGGREGATE,
    LATENCY,
    OPERATORS,
    MILLION_KEYS,
    SHARING,
    WINDOWS,
    OVER,
    TIME_WINDOWS,
    STREAM_KINDS,
    QUERIES_BAR,
    MEDIANS,
    FIRST_CALLS,
    FEATURES,
    SPANNING,
    *ON_SPARK,
    *ON_STREAMS,
)

__all__ = ["EXPERIMENTS"]
