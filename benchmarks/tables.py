"""From results.json to RESULTS.md and the short table in README.md.

    python -m benchmarks.tables          write both again, without measuring

Neither is edited by hand.  In README.md only what stands between two comments is
touched: `<!-- benchmarks: begin -->` and `<!-- benchmarks: end -->`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS_JSON = HERE / "results.json"
RESULTS_MD = HERE / "RESULTS.md"
README = HERE.parent / "README.md"
MARKED = re.compile(
    r"(<!-- bench(?:marks)?: ?(?:start|begin) -->\n)"
    r".*?(<!-- bench(?:marks)?: ?(?:stop|end) -->)",
    re.DOTALL,
)
SHORT = ("16", "4,096", "1,048,576")


def write(kept: dict[str, Any]) -> None:
    """Write RESULTS.md, and README.md if it has the two comments."""
    RESULTS_MD.write_text(results(kept), "utf-8")
    if README.exists():
        text = README.read_text("utf-8")
        short = readme(kept)
        if short and MARKED.search(text):
            README.write_text(
                MARKED.sub(lambda found: found[1] + short + found[2], text, count=1),
                "utf-8",
            )


def results(kept: dict[str, Any]) -> str:
    """All of RESULTS.md."""
    lines = ["# Results", "", f"Written by `{kept['command']}`; do not edit.", ""]
    lines += [*markdown(["machine", ""], kept["machine"].items()), ""]
    lines += [
        "Versions: "
        + ", ".join(f"{name} {number}" for name, number in kept["versions"].items())
        + ".",
        "",
        (
            "Contenders take turns in one process (tables: in processes one after the "
            "other); the best round of each counts, after a warm-up whose answer is "
            "checked. Read ratios rather than rates: the machine is noisy."
        ),
        "",
    ]
    for one in kept["experiments"].values():
        lines += section(one)
    return "\n".join(lines)


def section(one: dict[str, Any]) -> list[str]:
    """One experiment: tables, bars, notes."""
    quick = " (quick run: not a measurement)" if one["quick"] else ""
    lines = [f"## {one['title']}{quick}", ""]
    lines += [
        (
            f"`{one['command']}`, {one['date']}, {one['seconds']:.0f} s; "
            f"load average {one['load_at_start']} at the start, "
            f"{one['load_at_end']} at the end."
        ),
        "",
    ]
    for table in one["tables"]:
        lines += [f"**{table['title']}**", ""]
        lines += [*markdown(table["header"], table["rows"]), ""]
    if one["bars"]:
        lines += [*(f"- {bar['line']}" for bar in one["bars"]), ""]
    if one["notes"]:
        lines += [*one["notes"], ""]
    return lines


def readme(kept: dict[str, Any]) -> str:
    """The short table: rates of each library at three windows."""
    if "peers" not in kept["experiments"]:
        return ""
    peers = kept["experiments"]["peers"]
    columns: list[str] = []
    rates: dict[str, list[Any]] = {}
    for table in peers["tables"][:2]:
        aggregate = table["title"].split(",")[0]
        by_window = {row[0]: row for row in table["rows"]}
        for window in (one for one in SHORT if one in by_window):
            found = dict(zip(table["header"], by_window[window], strict=True))
            for library in found.keys() - {"window", table["header"][-1]}:
                rates.setdefault(library, [""] * len(columns))
            columns.append(f"{aggregate}, {window}")
            for library, cells in rates.items():
                cells.append(found.get(library, ""))
    order = [name for name in peers["tables"][0]["header"] if name in rates]
    order += sorted(rates.keys() - set(order))
    rows = [
        [f"**{name}**" if name == "windrow" else name, *rates[name]] for name in order
    ]
    machine = kept["machine"]
    lines = [
        (
            "Million float64 values a second, slide 1, one core, by window "
            f"({machine['processor']}, {peers['date'].split()[0]}):"
        ),
        "",
        *markdown(["", *columns], rows),
        "",
    ]
    return "\n" + "\n".join(lines) + "\n"


def markdown(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """A table in Markdown; numbers to the right."""
    rows = [list(row) for row in rows]
    right = [
        bool(rows) and any(isinstance(row[i], (int, float)) for row in rows)
        for i in range(len(header))
    ]
    rule = ["---:" if one else "---" for one in right]
    return [f"| {' | '.join(map(cell, row))} |" for row in ([*header], rule, *rows)]


def cell(value: Any) -> str:
    """Three digits where there are so many, no more."""
    if not isinstance(value, (int, float)):
        return str(value)
    return (
        f"{value:,.0f}"
        if value >= 100
        else f"{value:.1f}"
        if value >= 10
        else f"{value:.2f}"
    )


if __name__ == "__main__":
    write(json.loads(RESULTS_JSON.read_text("utf-8")))
