"""The report: one page that needs nothing else, and figures and numbers beside it."""

import csv
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from handmade_experiments import (
    NASTY,
    TINY,
    claim,
    every_kind,
    experiment,
    keep,
    row,
    trial,
)
from windrow_bench.experiment import Claim, Panel, RowSet, Verdict
from windrow_bench.findings import gather
from windrow_bench.libraries import load
from windrow_bench.report import write
from windrow_bench.report._palette import LIGHT, looks
from windrow_bench.report._tables import winners
from windrow_bench.store import ResultStore


class Page(HTMLParser):
    """Elements by id, their text, and whether every tag was closed."""

    VOID = frozenset({"meta", "path", "use", "rect"})

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.text, self.attributes = [], [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, *pair) for pair in attrs]
        self.ids += [value for key, value in attrs if key == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.attributes += [(tag, *pair) for pair in attrs]
        self.ids += [value for key, value in attrs if key == "id"]

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def store(tmp_path):
    return ResultStore(tmp_path, TINY)


def report(store, experiments):
    """The text of the page."""
    path = write(gather(experiments, TINY, store), store.folder)
    return path.read_text("utf-8")


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """The folder of a report with every kind of panel."""
    store = ResultStore(tmp_path_factory.mktemp("kinds"), TINY)
    for one in every_kind():
        keep(store, one)
    report(store, every_kind())
    return store.folder


def test_every_kind_of_panel_is_drawn_or_laid_out(kinds):
    text = (kinds / "report.html").read_text("utf-8")
    sections = re.findall(r"<article.*?</article>", text, re.DOTALL)

    drawings = [one.count("<svg") for one in sections]

    assert drawings == [1, 1, 1, 1, 1]
    assert '<table class="numbers"><caption>MB' in sections[3]


def test_the_page_is_well_formed_and_its_ids_are_there_once(kinds):
    page = Page((kinds / "report.html").read_text("utf-8"))

    assert page.open == []
    assert len(page.ids) == len(set(page.ids))


def test_links_in_the_page_lead_somewhere(kinds):
    page = Page((kinds / "report.html").read_text("utf-8"))

    links = {value for _, key, value in page.attributes if key == "href"}

    assert links
    assert {link.removeprefix("#") for link in links} <= set(page.ids)


def test_the_page_asks_for_nothing_from_elsewhere(kinds):
    text = (kinds / "report.html").read_text("utf-8")

    assert "://" not in text
    assert "@import" not in text
    assert not re.search(r"\b(src|srcset|xlink:href)=", text)
    assert all(found[0] == "#" for found in re.findall(r"url\(([^)]*)\)", text))


def test_a_drawing_has_no_colour_that_the_dark_page_cannot_change(kinds):
    text = (kinds / "report.html").read_text("utf-8")
    drawings = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))

    fixed = set(re.findall(r"(?:fill|stroke): (#\w+)", drawings))

    assert fixed == set()
    assert "var(--s0)" in drawings
    assert "var(--ink)" in drawings


def test_figures_stand_beside_the_page_as_png(kinds):
    names = sorted(path.name for path in (kinds / "figures").iterdir())

    assert names == [
        "kinds-bars--bars.png",
        "kinds-boxes--latency.png",
        "kinds-lines--rate.png",
        "kinds-many-bars--bars.png",
        "kinds-map--best.png",
    ]
    for path in (kinds / "figures").iterdir():
        assert path.read_bytes().startswith(b"\x89PNG")


def test_rows_stand_beside_the_page_as_csv(kinds):
    with (kinds / "data" / "kinds-lines.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))

    assert len(rows) == 6 * 5
    first = rows[0]
    assert (first["panel"], first["x"], first["series"]) == ("rate", "1", "SlickDeque")
    assert [float(first[key]) for key in ("value", "low", "high")] == [90, 81, 108]
    assert (first["repeats"], first["first_call_s"]) == ("5", "0.3")
    assert first["trial_date"] == "2026-01-02 03:04:05 UTC"


def test_claims_stand_beside_the_page_as_csv(kinds):
    with (kinds / "data" / "claims.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))

    assert [row["verdict"] for row in rows] == [
        "holds",
        "does not hold",
        "cannot be judged here",
        "holds",
        "holds",
        "does not hold",
        "cannot be judged here",
    ]
    assert rows[0]["ours"].startswith("2.00x on average")


def test_a_second_report_takes_the_first_ones_figures_away(store):
    one = experiment("a")
    keep(store, one)
    report(store, [one])
    assert (store.folder / "figures" / "a--speed.png").exists()
    store.path.unlink()
    keep(store, experiment("b"))

    report(store, [one, experiment("b")])

    assert not (store.folder / "figures" / "a--speed.png").exists()
    assert not (store.folder / "data" / "a.csv").exists()


def test_claims_are_summed_up_by_paper(store):
    good = experiment("a", paper="P", claims=(claim(True), claim(True), claim(False)))
    open_ = experiment("b", paper="Q", claims=(claim(None), claim(True)))
    keep(store, good)
    keep(store, open_)

    text = report(store, [good, open_])
    table = re.search(r'<table class="papers">.*?</table>', text, re.DOTALL)[0]

    cells = re.findall(r'<td class="\w+">([^<]*)</td>', table)
    assert cells == ["2", "–", "1", "–", "–", "1", "–", "–", "1", "–"]


def test_every_claim_has_a_row_with_both_numbers_and_the_reason(store):
    one = experiment("a", claims=(claim(None, why="it needs 16 cores"),))
    keep(store, one)

    text = report(store, [one])
    table = re.search(r'<table class="claims".*?</table>', text, re.DOTALL)[0]

    for words in ("twice", "three times", "cannot be judged here", "it needs 16 cores"):
        assert words in table


def test_text_of_cards_rows_and_failures_is_escaped(store):
    one = experiment(
        "a",
        paper=NASTY,
        shows=NASTY,
        title=NASTY,
        workload=NASTY,
        panels=(Panel(name=NASTY, x=NASTY, y=NASTY),),
        claims=(Claim(NASTY, NASTY, lambda _: Verdict(NASTY, None, NASTY)),),
        trials=lambda _: [
            trial(NASTY, NASTY, [row(NASTY, NASTY, NASTY, 1.0, origin=NASTY)])
        ],
    )
    keep(store, one)
    keep(store, experiment("b"), rows=(), failed=NASTY)

    text = report(store, [one, experiment("b")])

    assert NASTY in Page(text).text
    assert "<b>tag</b>" not in text
    assert "<script>alert" not in text


def test_what_others_disturbed_is_marked_on_top_and_in_its_place(store):
    one = experiment("a", claims=(claim(True),))
    keep(store, one, busy=True, others=1.25)

    page = Page(report(store, [one]))

    assert "busy with other work during 1 of 1 trial" in page.text
    assert "up to 1.2 cores" in page.text


def test_a_quiet_run_has_no_such_mark(store):
    keep(store, experiment("a"))

    page = Page(report(store, [experiment("a")]))

    assert "busy" not in page.text


def test_results_of_other_machines_are_left_out_and_told(store):
    keep(store, experiment("a"), under="old", machine={"processor": "Abacus"})
    keep(store, experiment("b"))

    page = Page(report(store, [experiment("a"), experiment("b")]))

    assert "left out: 2026-01-02 03:04:05 UTC, Abacus" in page.text
    assert re.search(r"a A paper, Figure 1: What a shows\s+not yet", page.text)


def test_a_failed_trial_is_shown_with_its_reason(store):
    one = experiment("a", claims=(claim(True),))
    keep(store, one, rows=(), failed="WrongAnswer: window 3 is 4, not 5")

    page = Page(report(store, [one]))

    assert "Failed, speed | 1: WrongAnswer: window 3 is 4, not 5" in page.text


def test_what_was_left_out_says_which_library_is_missing(store):
    one = experiment("a", needs=("no_such_library",))

    page = Page(report(store, [one]))

    assert "left out: there is no no_such_library here" in page.text


def test_compiling_and_the_origin_of_data_are_told_apart_from_the_numbers(store):
    rows = (row("speed", 1, "fast", 2.0, first_call_s=2.5, enter_s=1.5, origin="made"),)
    keep(store, experiment("a"), rows=rows)

    page = Page(report(store, [experiment("a")]))

    assert "compiling and first calls, apart from these: 4.0 s; data: made" in page.text


def test_values_that_a_log_axis_cannot_show_do_not_break_the_figure(store):
    panel = Panel(name="p", x="x", y="y", log_x=True, log_y=True)
    rows = [row("p", 0, "a", 0.0), row("p", 0, "b", 3.0), row("p", 0, "c", -1.0)]
    one = experiment(
        "a", panels=(panel,), trials=lambda _: [trial("p", 0, rows)], claims=()
    )
    keep(store, one)

    assert "<svg" in report(store, [one])


def test_boxes_of_nothing_on_a_log_axis_say_where_nothing_is(store):
    panel = Panel(name="p", x="x", y="ns", kind="boxes", log_y=True)
    rows = [row("p", q, "a", v) for q, v in zip("abcd", (0, 0, 5, 9), strict=True)]
    one = experiment("a", panels=(panel,), trials=lambda _: [trial("p", "a", rows)])
    keep(store, one)

    assert "ns (0 at the edge)" in report(store, [one])


def test_few_bars_have_their_numbers_above_them(kinds):
    text = (kinds / "report.html").read_text("utf-8")
    few, many = re.findall(
        r'<article id="kinds-(?:many-)?bars".*?</svg>', text, re.DOTALL
    )

    assert ">6.67</text>" in few
    assert ">6.67</text>" not in many


def test_series_that_meet_have_different_colours():
    names = [f"series {i}" for i in range(len(LIGHT))]

    found = looks([names, names[:3], ["another", names[0]]])

    assert len({found[name].colour for name in names}) == len(LIGHT)
    assert found["another"].colour != found[names[0]].colour


def test_series_that_share_a_colour_differ_in_mark():
    names = [f"series {i}" for i in range(2 * len(LIGHT))]

    found = looks([names])

    assert len({(look.colour, look.marker) for look in found.values()}) == len(names)


def test_names_at_the_ends_of_lines_do_not_meet():
    wanted = [0.1, 0.11, 0.12, 0.5, 0.52, 0.9]

    found = load("windrow_bench.report._lines").apart(wanted, 0.06)

    assert found == sorted(found)
    assert min(b - a for a, b in pairwise(found)) >= 0.0599


@pytest.mark.parametrize(("more", "best"), [(True, "high"), (False, "low")])
def test_a_map_shows_the_best_of_each_cell(more, best):
    panel = Panel(name="p", x="x", y="y", kind="map", more_is_better=more)
    rows = RowSet([row("p", 1, "low", 1.0, y=2), row("p", 1, "high", 5.0, y=2)])

    (found,) = winners(panel, rows).values()

    assert found.series == best
