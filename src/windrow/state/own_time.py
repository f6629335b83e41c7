"""The time of a query whose source may fall silent: the watermark, or the batch clock.

    watermark      w . . . . . . . . . w + 3        rests, then moves
    batch clock    c         c + idle   |
    own time       w         w . . > .  max of both

As long as the watermark moves, it is the time.  When it has rested for `idle`, time
goes on from it as the clock of the micro-batches does, which Spark keeps in its log: a
micro-batch that runs again finds the same time.  It never goes back.  All buckets are
called in every micro-batch, so that their times agree.
"""

from __future__ import annotations

import pyarrow as pa

from .codec import Store, pack, unpack

NUMBER = -1  # in the store: beside the blobs that a bucket numbers itself


def move_time(store: Store, watermark: int, clock: int, idle: int) -> int:
    """The time of this step; all in milliseconds."""
    blob = store.get(NUMBER)
    mark, since, own = watermark, clock, watermark
    if blob is not None:
        facts = unpack(blob, "clock")[1]
        own = facts["own"]
        if watermark <= facts["mark"]:
            mark, since = facts["mark"], facts["since"]
    own = max(own, mark, mark + clock - since - idle)
    facts = {"mark": mark, "since": since, "own": own}
    store.put(NUMBER, pack(pa.table({}), "clock", facts, small=True))
    return own
