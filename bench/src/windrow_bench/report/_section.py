"""One experiment on the page: its figures, its claims beside them, and its numbers.

title                  paper, figure or table
workload
+-- figure --+-- figure --+
+-- claims: theirs, ours, verdict
+-- numbers (folded)
how it was measured: repeats, who was busy, what compiling took
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from windrow_bench.experiment import Panel
from windrow_bench.findings import Finding, JudgedClaim
from windrow_bench.libraries import load
from windrow_bench.numbers import duration, many

from ._claims_table import badge
from ._html import Html, tag
from ._palette import Look
from ._tables import numbers_table

FIGURES = "windrow_bench.report._figures"  # loads matplotlib
MOST_BESIDE = 4  # claims that are about as high as a figure
ORIGINS = ("origin", "data", "dataset")  # facts that say where rows come from


def section(finding: Finding, looks: Mapping[str, Look], figures: Path) -> Html:
    """All there is to say about an experiment; its PNGs go into a folder."""
    one = finding.experiment
    parts = [
        tag("h3", one.title),
        tag("p", tag("b", one.paper), f", {one.shows} ", tag("code", one.name)),
        tag("p", one.workload, cls="workload"),
    ]
    if not finding.measured:
        parts.append(tag("p", _absence(finding), cls="note"))
    drawn = [_panel(finding, panel, looks, figures) for panel in _present(finding)]
    beside = (
        len(drawn) == 1
        and _present(finding)[0].kind != "table"
        and len(finding.judged) <= MOST_BESIDE
    )
    parts.append(
        tag(
            "div",
            tag("div", *drawn, cls="panels"),
            tag("ul", *map(_claim, finding.judged), cls="judged"),
            cls="body beside" if beside else "body",
        )
    )
    parts += [
        tag("p", tag("b", f"Failed, {kept.trial}: "), kept.failed, cls="note bad")
        for kept in finding.failed
    ]
    if finding.measured:
        parts += [_numbers(finding), tag("p", _how(finding), cls="how")]
    return tag("article", *parts, id=one.name, data_paper=one.paper)


def file_name(finding: Finding, panel: Panel) -> str:
    """Of a panel's PNG."""
    words = re.sub(r"[^a-z0-9]+", "-", panel.name.lower()).strip("-")
    return f"{finding.experiment.name}--{words}.png"


def _present(finding: Finding) -> list[Panel]:
    return [p for p in finding.experiment.panels if finding.rows.xs(p.name)]


def _panel(
    finding: Finding, panel: Panel, looks: Mapping[str, Look], figures: Path
) -> Html:
    better = "more is better" if panel.more_is_better else "less is better"
    words = [tag("b", panel.name), tag("span", better, cls="better")]
    caption = tag("figcaption", *words)
    if panel.kind == "table":
        return tag("figure", caption, numbers_table(panel, finding.rows), cls="wide")
    path = figures / file_name(finding, panel)
    drawing: Html = load(FIGURES).figure_of(
        finding.experiment, panel, finding.rows, looks, path
    )
    return tag("figure", caption, drawing)


def _claim(judged: JudgedClaim) -> Html:
    verdict = judged.verdict
    sides = [tag("dt", "theirs"), tag("dd", judged.claim.theirs)]
    if verdict.ours:
        sides += [tag("dt", "ours"), tag("dd", verdict.ours)]
    why = [tag("p", judged.why, cls="why")] if judged.why else []
    text = tag("p", judged.claim.text)
    return tag("li", badge(judged), text, tag("dl", *sides), *why, cls=judged.standing)


def _numbers(finding: Finding) -> Html:
    shown = [p for p in _present(finding) if p.kind != "table"]
    if not shown:
        return Html()
    tables = [numbers_table(panel, finding.rows) for panel in shown]
    return tag("details", tag("summary", "The numbers"), *tables)


def _absence(finding: Finding) -> str:
    if finding.missing:
        libraries = " and ".join(finding.missing)
        return f"Left out: there is no {libraries} here."
    if finding.failed:
        return "Every trial failed."
    return f"Not measured yet: windrow bench run {finding.experiment.name}"


def _how(finding: Finding) -> str:
    """How it was measured, in a sentence or two."""
    rows = finding.rows.all
    repeats = sorted({row.repeats for row in rows})
    done = len(finding.kept) - len(finding.failed)
    spent = duration(sum(kept.seconds for kept in finding.kept))
    words = [
        f"{done} of {many(finding.of, 'trial')} in {spent}",
        f"medians of {_span(repeats)} repeats, bars from the least to the most",
    ]
    aside = _first_calls(finding)
    if aside >= 0.1:
        words.append(f"compiling and first calls, apart from these: {duration(aside)}")
    origins = {
        str(row.facts[key]) for row in rows for key in ORIGINS if key in row.facts
    }
    if origins:
        words.append(f"data: {', '.join(sorted(origins))}")
    if finding.busy:
        most = max(kept.others for kept in finding.busy)
        words.append(
            f"others were busy during {many(len(finding.busy), 'trial')} "
            f"(up to {most:.1f} cores)"
        )
    return "; ".join(words).capitalize() + "."


def _span(numbers: list[int]) -> str:
    first, last = numbers[0], numbers[-1]
    return str(first) if first == last else f"{first} to {last}"


def _first_calls(finding: Finding) -> float:
    """Seconds before anything was timed: entering, once a trial, and first calls."""
    entering = [
        max((row.facts.get("enter_s", 0.0) for row in kept.rows), default=0.0)
        for kept in finding.kept
    ]
    first = [row.facts.get("first_call_s", 0.0) for row in finding.rows.all]
    return float(sum(entering) + sum(first))
