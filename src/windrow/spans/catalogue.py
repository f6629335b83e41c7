"""Lists the techniques for events with a duration."""

from windrow.errors import UnknownName

from ._technique import Technique
from .buckets import AGGREGATE_BUCKETS, TUPLE_BUCKETS
from .se_slicing import SE_ML_SLICING, SE_SLICING
from .starts_and_ends import STARTS_AND_ENDS
from .sweeping import CUMULATIVE_SWEEPING, SELECTIVE_SWEEPING

CATALOGUE: tuple[Technique, ...] = (
    TUPLE_BUCKETS,
    AGGREGATE_BUCKETS,
    CUMULATIVE_SWEEPING,
    SELECTIVE_SWEEPING,
    SE_SLICING,
    SE_ML_SLICING,
    STARTS_AND_ENDS,
)

BY_NAME = {technique.name: technique for technique in CATALOGUE}


def find(name: str) -> Technique:
    """The technique of a name; unknown names are refused with the nearest ones."""
    if name not in BY_NAME:
        raise UnknownName.among(
            "technique for spanning events", name, ["auto", *BY_NAME]
        )
    return BY_NAME[name]
