"""The table of claims: what each paper says, what this machine shows, and a verdict.

Above it stands the sum for each paper.  It is all there without scripts; with them,
buttons choose what is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from windrow_bench.findings import WORDS, Finding, JudgedClaim, Standing

from ._html import Html, tag

SIGNS: dict[Standing, str] = {
    "holds": "✓",
    "partly": "◐",
    "fails": "✗",
    "open": "?",
    "unmeasured": "·",
}


def badge(judged: JudgedClaim) -> Html:
    """The verdict, as a sign and in words."""
    sign = tag("span", SIGNS[judged.standing], aria_hidden="true")
    return tag("span", sign, " ", judged.words, cls=f"badge {judged.standing}")


def totals(findings: Sequence[Finding]) -> Html:
    """How many claims stand where, over all papers, in large letters."""
    counts = _counts(findings)
    return tag(
        "ul",
        *(
            tag("li", tag("b", str(counts[s])), " ", WORDS[s], cls=s)
            for s in WORDS
            if counts[s]
        ),
        cls="totals",
    )


def by_paper(findings: Sequence[Finding]) -> Html:
    """The sum for each paper, with a bar."""
    head = tag("tr", tag("th", "paper"), *(tag("th", w) for w in WORDS.values()))
    papers = dict.fromkeys(one.experiment.paper for one in findings)
    rows = []
    for paper in papers:
        counts = _counts([one for one in findings if one.experiment.paper == paper])
        name = tag("th", paper, _bar(counts), scope="row")
        cells = [tag("td", str(counts[s] or "–"), cls=s) for s in WORDS]
        rows.append(tag("tr", name, *cells))
    body = tag("tbody", *rows)
    return tag("table", tag("thead", head), body, cls="papers")


def claims_table(findings: Sequence[Finding]) -> Html:
    """Every claim of every experiment."""
    words = ("paper", "figure", "claim", "theirs", "ours", "verdict")
    head = tag("tr", *(tag("th", word, scope="col") for word in words))
    rows = [_row(one, judged) for one in findings for judged in one.judged]
    body = tag("tbody", *rows)
    return tag("table", tag("thead", head), body, cls="claims", id="claims")


def _row(finding: Finding, judged: JudgedClaim) -> Html:
    one, verdict = finding.experiment, judged.verdict
    why = [tag("p", judged.why, cls="why")] if judged.why else []
    busy = [tag("p", "others were busy", cls="why")] if finding.busy else []
    cells = (
        ("paper", one.paper),
        ("figure", tag("a", one.shows, href=f"#{one.name}")),
        ("claim", judged.claim.text),
        ("theirs", judged.claim.theirs),
        ("ours", verdict.ours or "–"),
    )
    return tag(
        "tr",
        *(tag("td", words, data_label=name, cls=name) for name, words in cells),
        tag("td", badge(judged), *why, *busy, data_label="verdict", cls="verdict"),
        data_paper=one.paper,
        data_standing=judged.standing,
    )


def _bar(counts: Counter[Standing]) -> Html:
    total = sum(counts.values()) or 1
    parts = [
        tag("i", cls=s, style=f"width:{100 * counts[s] / total:.1f}%")
        for s in WORDS
        if counts[s]
    ]
    return tag("span", *parts, cls="bar", aria_hidden="true")


def _counts(findings: Sequence[Finding]) -> Counter[Standing]:
    return Counter(judged.standing for one in findings for judged in one.judged)
