"""What notebooks show of explanations, cards and features: tables."""

from html.parser import HTMLParser

import pyarrow as pa
import pytest

import windrow as wr

TABLE = pa.table({"at": [1, 4, 6], "len": [3, 9, 2]})
WINDOW = wr.sliding(10, every=5, on="at")


class Cells(HTMLParser):
    """The texts of cells, row by row; tags must be closed in order."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_a_plan_is_a_table_of_subjects_and_words():
    plan = wr.explain(TABLE, WINDOW, top=wr.max("len"))

    actual = Cells(plan._repr_html_()).rows

    assert actual[0] == ["aggregate"]
    assert ["window", "range 10 slide 5"] in actual
    assert len(actual) == len(plan.text.splitlines())


def test_code_is_shown_as_it_is():
    actual = wr.explain(TABLE, WINDOW, top=wr.max("len"), show="code")._repr_html_()

    assert actual.startswith("<pre>")


def test_a_graph_is_left_to_its_picture():
    windows = [wr.rows(10), wr.rows(20)]

    drawn = wr.explain(TABLE, windows, total=wr.sum("len"), show="graph")

    assert drawn._repr_html_() is None
    assert drawn._repr_svg_().startswith("<svg")


@pytest.mark.parametrize("cards", [wr.aggregates, wr.algorithms, wr.techniques])
def test_cards_are_a_table_with_a_row_each(cards):
    actual = Cells(cards()._repr_html_()).rows

    assert actual[0] == list(cards().rows[0])
    assert actual[1:] == [list(card.values()) for card in cards()]


def test_features_are_a_table_in_which_nothing_is_markup():
    given = wr.features(by="card", on="ts", n=wr.count(where="x < 3 and '<b>' = y"))

    text = given._repr_html_()

    assert text.startswith("<p>features by card on ts</p><table>")
    assert Cells(text).rows[1][-1] == "x < 3 and '<b>' = y"
