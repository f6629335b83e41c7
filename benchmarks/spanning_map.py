"""SES's Figure 15 from our own measurements: the best technique, as a map.

    python -m benchmarks.spanning_map [PATH]       after --only spanning was measured

Each cell is a setting of the map in results.json: how long events last, and how long
windows are, both in steps.  Where starts_and_ends is fastest, which the paper does not
have, the fastest of the paper's own stands below it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")  # a file, never a window

import matplotlib.pyplot as plt

from .spanning import NAME
from .tables import RESULTS_JSON

TITLE = "Figure 15"
COLOURS = {
    "tuple_buckets": "#b8b2a7",
    "aggregate_buckets": "#d9c5a0",
    "sweeping": "#edae49",
    "se_slicing": "#00798c",
    "se_ml_slicing": "#66a182",
    "starts_and_ends": "#d1495b",
}
DARK = ("se_slicing", "starts_and_ends")


def draw(header: Sequence[str], rows: Sequence[Sequence[Any]], path: Path) -> None:
    """The map: one square for each setting, in the colour of its fastest."""
    figure, panel = plt.subplots(figsize=(11, 5), layout="constrained")
    for y, (_, *cells) in enumerate(rows):
        for x, cell in enumerate(cells):
            best, _, own = str(cell).partition("; ")
            technique = best.partition(",")[0]
            panel.add_patch(
                plt.Rectangle((x, y), 1, 1, color=COLOURS[technique], ec="white")
            )
            words = "\n".join(one.replace(", ", "\n") for one in (best, own) if one)
            ink = "white" if technique in DARK else "black"
            panel.text(x + 0.5, y + 0.5, words, ha="center", va="center", color=ink,
                       fontsize=8)  # fmt: skip
    lengths = [name.rpartition(" ")[2] for name in header[1:]]
    panel.set_xticks([x + 0.5 for x in range(len(lengths))], labels=lengths)
    panel.set_yticks(
        [y + 0.5 for y in range(len(rows))], labels=[str(row[0]) for row in rows]
    )
    panel.set_xlim(0, len(lengths))
    panel.set_ylim(0, len(rows))
    panel.set_xlabel("length of an event, in steps")
    panel.set_ylabel("range of a window, in steps")
    panel.set_title("The fastest technique for events with a duration", loc="left")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(arguments: Sequence[str]) -> None:
    """Draw what was measured last."""
    kept = json.loads(RESULTS_JSON.read_text("utf-8"))
    tables = kept["experiments"][NAME]["tables"]
    found = next(table for table in tables if table["title"].startswith(TITLE))
    default = RESULTS_JSON.parents[1] / "docs" / "spanning-map.png"
    path = Path(arguments[0]) if arguments else default
    draw(found["header"], found["rows"], path)
    print(f"wrote {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
