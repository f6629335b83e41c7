"""Yahoo streaming benchmark: views, clicks and purchases of advertisements.

    events   ts, user, page, ad, ad_type, event_type, ip_address
                            |
    campaigns               ad --> campaign      a table that stands still

LightSaber counts seven attributes and uses numbers in place of text (128 bits there, 64
here).  As in the benchmark itself, a hundred campaigns have ten ads each, ads and kinds
of event come equally often, and the pace is steady: here 10,000 events a second.  There
is no file of this workload: rows are always generated.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ._dataset import INSTANT, SECOND, DataColumn, Dataset, draws, table_of

NAME = "yahoo"
START = 1_704_067_200 * SECOND  # 2024-01-01
GAP = SECOND // 10_000
CAMPAIGNS = 100
ADS = 10 * CAMPAIGNS
USERS = PAGES = 1_000_000
VIEW, CLICK, PURCHASE = 0, 1, 2
COLUMNS = (
    DataColumn("ts", INSTANT, "when it happened"),
    DataColumn("user", pa.int64(), "who, one of a million"),
    DataColumn("page", pa.int64(), "where, one of a million"),
    DataColumn("ad", pa.int64(), "which advertisement, one of 1,000"),
    DataColumn("ad_type", pa.int8(), "banner, modal, ...: one of 5"),
    DataColumn("event_type", pa.int8(), "0 view, 1 click, 2 purchase"),
    DataColumn("ip_address", pa.int64(), "from where: IPv4 as a number"),
)


def generate(rows: int, seed: int) -> pa.Table:
    """Events at a steady pace."""
    arrays = {
        name: draws(NAME, name, seed).integers(0, below, rows, kind)
        for name, below, kind in (
            ("user", USERS, np.int64),
            ("page", PAGES, np.int64),
            ("ad", ADS, np.int64),
            ("ad_type", 5, np.int8),
            ("event_type", 3, np.int8),
            ("ip_address", 2**32, np.int64),
        )
    }
    return table_of(COLUMNS, arrays | {"ts": START + GAP * np.arange(rows)})


def campaigns(seed: int) -> pa.Table:
    """Which campaign each ad belongs to: columns `ad` and `campaign`."""
    number = draws(NAME, "campaign", seed).permutation(1_000_000)[:CAMPAIGNS]
    ad = np.arange(ADS)
    return pa.table({"ad": ad, "campaign": number[ad % CAMPAIGNS]})


YAHOO = Dataset(
    name=NAME,
    title="Yahoo streaming benchmark",
    papers=("LightSaber (YSB)",),
    columns=COLUMNS,
    time="ts",
    keys=("ad",),
    generate=generate,
)
