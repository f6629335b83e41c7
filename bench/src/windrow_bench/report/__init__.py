"""The report of a run: a page, and beside it figures as PNG and numbers as CSV.

    folder/report.html          one file, no network
           results.md           the bars, as a page of Markdown
           figures/*.png        a file for each panel
           data/*.csv           a file for each experiment, and claims.csv

Drawing needs matplotlib, which is loaded with the first figure.
"""

from __future__ import annotations

from pathlib import Path

from windrow_bench.findings import Findings

from ._csv import write_claims, write_rows
from ._markdown import results
from ._page import page
from ._palette import looks
from ._readme import write_readme
from ._section import section

FIGURES, DATA, PAGE, RESULTS = "figures", "data", "report.html", "results.md"


def write(findings: Findings, folder: Path, results_page: Path | None = None) -> Path:
    """Write all of it; what an earlier report left of these experiments goes.

    The bars are written to `results_page`, or into the folder.
    """
    figures, data = folder / FIGURES, folder / DATA
    for one in findings.all:
        for old in figures.glob(f"{one.experiment.name}--*.png"):
            old.unlink()
        (data / f"{one.experiment.name}.csv").unlink(missing_ok=True)
    shown = [one for one in findings.all if one.measured or one.failed]
    met = [one.rows.series(p.name) for one in shown for p in one.experiment.panels]
    look = looks(met)
    sections = {one.experiment.name: section(one, look, figures) for one in shown}
    for one in shown:
        write_rows(one, data)
    write_claims(findings.all, data)
    path = folder / PAGE
    path.write_text(page(findings, sections), "utf-8")
    (results_page or folder / RESULTS).write_text(results(findings), "utf-8")
    return path


__all__ = ["write", "write_readme"]
