"""README's tables of benchmarks, from the same rows as the page of results.

They stand between <!-- benchmarks: begin --> and <!-- benchmarks: end -->:

    peers               values a second of each library, at four windows
    the bars on Spark   seconds of each question, by Windrow and by Spark's own means
"""

from __future__ import annotations

import re
from pathlib import Path

from windrow_bench.findings import Finding, Findings
from windrow_bench.numbers import number, place

from ._markdown import table

OURS, PEERS = "windrow", "peers"
SHORT, SHOWN = (16, 4_096, 65_536, 1_048_576), ("sum", "mean", "max")
TWELVE = "twelve windows"
# experiment, panel, ours, the rival's series, what is asked at each place of the panel
ON_SPARK = (
    ("spark", "beside Spark", OURS, "Spark", "{}"),
    ("spark", "flights", OURS, "Spark", "a year of flights, {}"),
    ("spark-over", "3 columns", OURS, "Spark", "three columns over the last {} rows"),
    ("spark-many", "twelve", TWELVE, "Spark", "twelve windows, {}"),
    ("spanning-spark", "intervals", OURS, "Spark, explode", "events that last, {}"),
    ("medians-spark", "median", OURS, "Spark", "exact median of the last {}"),
    ("sketches-spark", "sketches", OURS, "Spark", "{}, 1 hour / 1 minute"),
    ("features-spark", "one feature", OURS, "range join", "a feature of labels, {}"),
)
MARKED = re.compile(
    r"(<!-- benchmarks: begin -->\n).*?(<!-- benchmarks: end -->)", re.DOTALL
)


def write_readme(findings: Findings, path: Path) -> bool:
    """Put the tables between the two comments; False: nothing was measured."""
    text = path.read_text("utf-8")
    found = {one.experiment.name: one for one in findings.all if one.measured}
    tables = [*_peers(found), *_on_spark(found)]
    if not tables or not MARKED.search(text):
        return False
    lines = "\n".join(["", _origin(findings), "", *tables, ""])
    made = MARKED.sub(lambda marks: marks[1] + lines + marks[2], text, count=1)
    path.write_text(made, "utf-8")
    return True


def _origin(findings: Findings) -> str:
    newest = findings.newest
    machine = (newest.machine if newest else None) or {"processor": "unknown"}
    date = newest.date.split()[0] if newest else ""
    size = findings.size.name
    return (
        f"A {size} run ({machine['processor']}, {machine.get('cores')} cores, {date})."
    )


def _peers(found: dict[str, Finding]) -> list[str]:
    """Rates of each library at some windows."""
    if PEERS not in found:
        return []
    measured = found[PEERS].rows
    rows = {(row.panel, row.x, row.series): row.value for row in measured.all}
    there = {(panel, x) for panel, x, _ in rows}
    cells = [(a, width) for a in SHOWN for width in SHORT if (a, width) in there]
    body = [
        [
            f"**{library}**" if library == OURS else library,
            *(number(rows[a, w, library]) if (a, w, library) in rows else ""
              for a, w in cells),
        ]
        for library in measured.series(SHOWN[0])
    ]  # fmt: skip
    heads = ["", *(f"{aggregate}, {width:,}" for aggregate, width in cells)]
    words = "Million float64 values a second, slide 1, one core, by window:"
    return [words, "", *table(heads, body), ""]


def _on_spark(found: dict[str, Finding]) -> list[str]:
    """Seconds of every question that was asked of both, whoever is ahead."""
    body = []
    for name, panel, we, rival, question in ON_SPARK:
        rows = found[name].rows.all if name in found else ()
        mine = {(r.x, r.series): r.value for r in rows if r.panel == panel}
        for x in dict.fromkeys(x for x, _ in mine):
            ours, theirs = mine.get((x, we)), mine.get((x, rival))
            if ours and theirs:
                asked = question.format(place(x))
                times = f"{number(theirs / ours)}x"
                body.append([asked, number(ours), number(theirs), times])
    if not body:
        return []
    words = (
        "Seconds on Spark; where Spark's own is far behind, it answered on fewer rows "
        "and was scaled up, as docs/results.md says:"
    )
    return [words, "", *table(["", "windrow", "Spark's own", "ratio"], body), ""]
