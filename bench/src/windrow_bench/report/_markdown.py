"""The bars as a page of Markdown: a verdict for each, and every number of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windrow_bench.experiment import Panel, RowSet
from windrow_bench.findings import Finding, Findings, JudgedClaim
from windrow_bench.numbers import duration, number, place

BARS = "Bars"  # papers whose name begins so are the product's own
UNMEASURED = (
    "No bar was measured yet: `make bench`, or `windrow bench run NAME --full`."
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


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    r"""A table in Markdown; a bar within a cell is written so that it stays there.

    >>> table(["window", "trial"], [["16", "sum | 16"]])
    ['| window | trial |', '| --- | --- |', '| 16 | sum \\| 16 |']
    """
    rule = ["---"] * len(heads)
    lines = ([cell.replace("|", "\\|") for cell in row] for row in (heads, rule, *rows))
    return [f"| {' | '.join(line)} |" for line in lines]
