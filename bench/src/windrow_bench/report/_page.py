"""The page: one file that needs nothing else, neither network nor scripts.

when, on what machine, how busy it was
claims: totals, by paper, all of them
experiments, paper by paper
those that were not measured
"""

from __future__ import annotations

import statistics
from importlib.resources import files
from itertools import groupby

from windrow_bench.findings import Finding, Findings
from windrow_bench.numbers import duration, many

from ._claims_table import by_paper, claims_table, totals
from ._html import Html, joined, tag
from ._palette import variables

TITLE = "Windrow bench"


def page(findings: Findings, sections: dict[str, Html]) -> str:
    """The whole of it; `sections` by the names of experiments."""
    measured = [one for one in findings.all if one.measured or one.failed]
    absent = [one for one in findings.all if not (one.measured or one.failed)]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", TITLE),
        tag("style", _style()),
    )
    body = tag(
        "body",
        tag("header", *_header(findings)),
        tag(
            "main",
            tag("section", *_claims(findings), id="all-claims"),
            *(_paper(name, ones, sections) for name, ones in _papers(measured)),
            *_absent(absent),
        ),
        tag("script", Html(_text("page.js"))),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _style() -> Html:
    """The style, with the colours of series."""
    return Html(_text("style.css").replace("/* series */", variables()))


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _header(findings: Findings) -> list[Html]:
    parts = [
        tag("h1", "Five papers, on this machine"),
        tag(
            "p",
            "What the papers on sliding windows claim, and what the same experiments "
            "show here: a ",
            tag("b", findings.size.name),
            " run of ",
            tag("code", "windrow bench"),
            ".",
        ),
        tag("dl", *_facts(findings), cls="facts"),
        *(tag("p", words, cls="note") for words in _notes(findings)),
    ]
    if findings.newest is not None and findings.newest.versions:
        some = findings.newest.versions.items()
        words = ", ".join(f"{k} {v}" for k, v in some if v != "absent")
        parts.append(tag("p", words, cls="versions"))
    return parts


def _facts(findings: Findings) -> list[Html]:
    if findings.newest is None:
        return []
    kept = findings.kept or [findings.newest]
    dates = sorted(one.date for one in kept)
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    machine = findings.newest.machine or {}
    load = statistics.median(one.load for one in kept)
    pairs = {
        "when": when,
        **machine,
        "measuring": f"{many(len(kept), 'trial')} in "
        f"{duration(sum(one.seconds for one in kept))}",
        "load": f"{load:.1f} at the median of trials",
    }
    return [tag("div", tag("dt", k), tag("dd", v)) for k, v in pairs.items()]


def _notes(findings: Findings) -> list[str]:
    """What a reader must know before believing any of it."""
    notes = []
    busy = [one for one in findings.kept if one.busy]
    if busy:
        notes.append(
            f"The machine was busy with other work during {len(busy)} of "
            f"{many(len(findings.kept), 'trial')}: numbers of these may be off. "
            "They are marked."
        )
    if findings.left_out:
        notes.append(
            "Results of other machines or versions in the same folder are left out: "
            + "; ".join(
                f"{one.date}, {_where(one.machine)}" for one in findings.left_out
            )
            + "."
        )
    return notes


def _where(machine: object) -> str:
    return str(machine.get("processor", "")) if isinstance(machine, dict) else "?"


def _claims(findings: Findings) -> list[Html]:
    return [
        tag("h2", "Claims"),
        totals(findings.all),
        tag("div", by_paper(findings.all), cls="scroll"),
        tag("div", id="filters"),
        claims_table(findings.all),
    ]


def _papers(findings: list[Finding]) -> list[tuple[str, list[Finding]]]:
    grouped = groupby(findings, key=lambda one: one.experiment.paper)
    return [(name, list(ones)) for name, ones in grouped]


def _paper(name: str, ones: list[Finding], sections: dict[str, Html]) -> Html:
    inside = joined(*(sections[one.experiment.name] for one in ones))
    return tag("section", tag("h2", name), inside)


def _absent(findings: list[Finding]) -> list[Html]:
    if not findings:
        return []
    items = [
        tag(
            "li",
            tag("code", one.experiment.name),
            f" {one.experiment.paper}, {one.experiment.shows}: {one.experiment.title}",
            tag("span", _reason(one), cls="why"),
            id=one.experiment.name,
        )
        for one in findings
    ]
    return [tag("section", tag("h2", "Not measured"), tag("ul", *items, cls="absent"))]


def _reason(finding: Finding) -> str:
    if finding.missing:
        return f" left out: there is no {' and no '.join(finding.missing)} here"
    return " not yet"
