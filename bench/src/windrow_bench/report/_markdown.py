"""The bars as a page of Markdown, and README's short table, from the same rows.

results.md      a verdict for each bar, and every number of it
README.md       what stands between <!-- benchmarks: begin --> and ... end -->:
the rates of `peers` at three windows
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from windrow_bench.experiment import Panel, RowSet
from windrow_bench.findings import Finding, Findings, JudgedClaim
from windrow_bench.numbers import duration, number, place

BARS = "Bars"  # papers whose name begins so are the product's own
PEERS, SHORT, SHOWN = "peers", (16, 4_096, 65_536, 1_048_576), ("sum", "mean", "max")
UNMEASURED = (
    "No bar was measured yet: `make bench`, or `windrow bench run NAME --full`."
)
MARKED = re.compile(
    r"(<!-- benchmarks: begin -->\n).*?(<!-- benchmarks: end -->)", re.DOTALL
)


def results(findings: Findings) -> str:
    """The page: verdicts first, then numbers, bar by bar."""
    bars = [one for one in findings.all if one.experiment.paper.startswith(BARS)]
    shown = [one for one in bars if one.measured or one.failed]
    origin = _origin(findings) if shown else [UNMEASURED]
    lines = ["# Results", "", *origin, ""]
    heads = ("bar", "verdict", "promised", "measured")
    verdicts = (
        (claim.claim.text, claim.words, claim.claim.theirs, _ours(claim))
        for one in shown
        for claim in one.judged
    )
    lines += [*table(heads, verdicts), ""] if shown else []
    if missing := [f"`{o.experiment.name}`" for o in bars if o not in shown]:
        lines += [f"Not measured yet: {', '.join(missing)}.", ""]
    for one in shown:
        lines += _section(one)
    return "\n".join(lines)


def _ours(judged: JudgedClaim) -> str:
    return "; ".join(word for word in (judged.verdict.ours, judged.why) if word)


def _origin(findings: Findings) -> list[str]:
    size, newest = findings.size.name, findings.newest
    if newest is None or newest.machine is None or newest.versions is None:
        return [UNMEASURED]
    machine = ", ".join(newest.machine.values())
    versions = ", ".join(f"{k} {v}" for k, v in newest.versions.items())
    return [
        (
            f"Written by `windrow bench report` from a {size} run (`windrow bench run "
            f"NAME --{size}`), {newest.date}; do not edit. {machine}. {versions}."
        ),
        "",
        (
            "Contenders take turns; the median of each one's rounds counts, after a "
            "warm-up whose answer is checked. Read ratios rather than rates."
        ),
    ]


def _section(one: Finding) -> list[str]:
    took = duration(sum(trial.seconds for trial in one.kept))
    busy = f"; {len(one.busy)} beside other work" if one.busy else ""
    trials = f"{len(one.kept)} of {one.of} trials, {took}{busy}"
    card = one.experiment
    lines = [f"## {card.title}", "", f"`{card.name}`: {card.workload} ({trials}).", ""]
    for trial in one.failed:
        lines += [f"- FAILED, {trial.trial}: {trial.failed}"]
    for panel in card.panels:
        lines += _numbers(panel, one.rows)
    return lines


def _numbers(panel: Panel, rows: RowSet) -> list[str]:
    series = rows.series(panel.name)
    if not series:
        return []
    mine = [row for row in rows.all if row.panel == panel.name]
    there = {(row.x, row.series): number(row.value) for row in mine}
    body = [
        [place(x), *(there.get((x, name), "") for name in series)]
        for x in rows.xs(panel.name)
    ]
    return [f"**{panel.name}**, {panel.y}", "", *table([panel.x, *series], body), ""]


def short_table(findings: Findings) -> str:
    """Rates of each library at some windows; empty where they were not measured."""
    peers = next(one for one in findings.all if one.experiment.name == PEERS)
    newest = findings.newest
    if not peers.measured or newest is None or newest.machine is None:
        return ""
    rows = {(row.panel, row.x, row.series): row.value for row in peers.rows.all}
    cells = [
        (aggregate, width)
        for aggregate in SHOWN
        for width in SHORT
        if any((panel, x) == (aggregate, width) for panel, x, _ in rows)
    ]
    body = [
        [
            f"**{library}**" if library == "windrow" else library,
            *(number(rows[a, w, library]) if (a, w, library) in rows else ""
              for a, w in cells),
        ]
        for library in peers.rows.series(SHOWN[0])
    ]  # fmt: skip
    heads = ["", *(f"{aggregate}, {width:,}" for aggregate, width in cells)]
    words = (
        "Million float64 values a second, slide 1, one core, by window, a "
        f"{findings.size.name} run ({newest.machine['processor']}, "
        f"{newest.date.split()[0]}):"
    )
    return "\n".join(["", words, "", *table(heads, body), "", ""])


def write_readme(findings: Findings, path: Path) -> bool:
    """Put the short table between the two comments; False: nothing was measured."""
    short = short_table(findings)
    text = path.read_text("utf-8")
    if not short or not MARKED.search(text):
        return False
    made = MARKED.sub(lambda found: found[1] + short + found[2], text, count=1)
    path.write_text(made, "utf-8")
    return True


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    r"""A table in Markdown; a bar within a cell is written so that it stays there.

    >>> table(["window", "trial"], [["16", "sum | 16"]])
    ['| window | trial |', '| --- | --- |', '| 16 | sum \\| 16 |']
    """
    rule = ["---"] * len(heads)
    lines = ([cell.replace("|", "\\|") for cell in row] for row in (heads, rule, *rows))
    return [f"| {' | '.join(line)} |" for line in lines]
