"""What `explain` shows of a shared pass, and what it refuses."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pyarrow as pa
import pytest

import windrow as wr
from windrow.algorithms import CATALOGUE

TABLE = pa.table({"t": [0], "x": [1], "y": [1.0]})
ROWS = [wr.rows(100), wr.rows(150, name="long")]


def test_the_plan_says_which_windows_share_and_how():
    text = str(wr.explain(TABLE, ROWS, top=wr.max("y")))
    assert "gag: 2 windows in one pass over shared scans" in text
    assert "prefix, suffix and total scans, in laps of 64" in text


def test_short_windows_are_told_apart():
    text = str(wr.explain(TABLE, [*ROWS, wr.rows(3)], top=wr.max("y")))
    assert "recompute: a window is 3 slices at most" in text
    assert "(for 2, too short to share)" in text


def test_laps_are_counted_in_panes():
    windows = [wr.rows(200, every=2), wr.rows(300, every=2)]
    text = str(wr.explain(TABLE, windows, top=wr.max("y")))
    assert "panes of 2 rows" in text
    shown = str(wr.explain(TABLE, windows, show="graph", top=wr.max("y")))
    assert "prefix(100)        100 nodes" in shown


def test_sums_counts_and_means_keep_two_fields():
    calls = {"s": wr.sum("x"), "c": wr.count("x"), "m": wr.mean("x")}
    assert "(count int64, total int64): one pass for 3 results" in str(
        wr.explain(TABLE, ROWS, **calls)
    )


def test_a_long_composite_slide_is_not_laid_out():
    windows = [wr.sliding(2 * s, every=s, on="t") for s in (7 * 11, 13 * 17, 19 * 23)]
    text = str(wr.explain(TABLE, windows, s=wr.sum("x")))
    assert "not laid out: cut at the next tooth of" in text


def test_the_graph_is_shown_before_and_after():
    shown = wr.explain(TABLE, ROWS, show="graph", top=wr.max("y"))
    before, after = str(shown).split("after: ")
    assert "suffix(150)" in before
    assert "suffix(150)" not in after
    assert "window long" in after


@pytest.mark.parametrize("kind", ["rows", "time"])
@pytest.mark.parametrize("call", [wr.sum("x"), wr.max("y")])
def test_the_picture_is_well_formed(kind, call, tmp_path):
    windows = ROWS if kind == "rows" else [wr.sliding(9, every=3, on="t")] * 1
    shown = wr.explain(TABLE, windows, algorithm="gag", show="graph", one=call)
    path = tmp_path / "graph.svg"
    shown.save(path)
    tree = ET.fromstring(path.read_text("utf-8"))
    texts = [one.text for one in tree.iter() if one.tag.endswith("text")]
    assert "before" in texts
    style = next(one.text for one in tree.iter() if one.tag.endswith("style"))
    kinds = {one.get("class") for one in tree.iter() if one.tag.endswith("circle")}
    assert all(f".{kind}{{" in style for kind in kinds)
    assert "inputs" in texts


def test_code_shows_what_runs():
    windows = [wr.rows(width) for width in range(100, 120)]
    code = str(wr.explain(TABLE, windows, show="code", s=wr.sum("x")))
    assert "# a window is prefix[end] - prefix[start]" in code
    assert "def run(source, firsts, lasts" in code


@pytest.mark.parametrize("algorithm", [one.name for one in CATALOGUE])
def test_code_of_each_algorithm_can_be_shown(algorithm):
    call = wr.sum("x") if "inv" in algorithm or "subtract" in algorithm else wr.max("x")
    shown = wr.explain(TABLE, wr.rows(9), show="code", algorithm=algorithm, one=call)
    assert "def run(" in str(shown)


@pytest.mark.parametrize(
    ("window", "how", "message"),
    [
        (wr.rows(9), {"show": "picture"}, "cannot show 'picture' of a plan"),
        (wr.rows(9), {"show": "graph"}, "each of its windows slides by itself"),
        (None, {"show": "code", "on": "t"}, "cannot show the code of this plan"),
        (
            wr.rows(10, every=4),
            {"algorithm": "gag", "slicer": "cutty"},
            "cutty cuts no",
        ),
    ],
)
def test_what_cannot_be_shown_is_refused(window, how, message):
    with pytest.raises(wr.WindrowError, match=message):
        wr.explain(TABLE, window, one=wr.max("y"), **how)


def test_holistic_aggregates_have_no_graph():
    with pytest.raises(wr.BadInput, match="neither partials nor a kernel"):
        wr.explain(TABLE, ROWS, show="graph", d=wr.count_distinct("x"))
