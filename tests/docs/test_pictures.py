"""Every picture is as it would be drawn now, and is shown; every algorithm has one."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from pages import PAGES
from tools.pictures import FOLDER, PICTURES, stale
from tools.pictures.pauses import COUNTS, SLICES, SLIDES

from counting import counted, slide_windows
from windrow.algorithms import CATALOGUE, find
from windrow.loops import interpreting

SHOWN = {
    name: set(re.findall(r"!\[[^\]]+\]\(pictures/([\w-]+)\.svg\)", text))
    for name, text in PAGES.items()
}


def test_pictures_are_fresh():
    assert stale() == [], "run make docs"


def test_a_picture_changed_by_hand_or_drawn_by_nobody_is_stale(tmp_path):
    for name in PICTURES:
        drawn = (FOLDER / f"{name}.svg").read_text("utf-8")
        (tmp_path / f"{name}.svg").write_text(drawn, "utf-8")
    assert stale(tmp_path) == []

    changed = tmp_path / "sba.svg"
    changed.write_text(
        changed.read_text("utf-8").replace("chunk 0", "chunk 1"), "utf-8"
    )
    (tmp_path / "other.svg").write_text("<svg/>", "utf-8")
    (tmp_path / "pba.svg").unlink()

    assert stale(tmp_path) == ["other.svg", "pba.svg", "sba.svg"]


def test_every_picture_is_shown_on_some_page():
    assert set.union(*SHOWN.values()) == set(PICTURES)


@pytest.mark.parametrize("algorithm", CATALOGUE, ids=lambda one: one.name)
def test_every_algorithm_has_a_drawing_beside_its_card(algorithm):
    page = PAGES["how-algorithms-work.md"]
    drawing = page.index(f"](pictures/{algorithm.name}.svg)")
    card = page.index(f"<!-- table: card-{algorithm.name} -->")

    between = page[drawing:card]

    assert drawing < card
    assert "\n#" not in between


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_can_be_read_on_light_and_dark_and_on_a_phone(name):
    tree = ET.fromstring(PICTURES[name]().svg())
    texts = [one for one in tree.iter() if one.tag.endswith("}text")]
    _, _, width, height = map(float, tree.attrib["viewBox"].split())

    assert all(one.attrib["fill"] == "currentColor" for one in texts)
    assert all(int(one.attrib["font-size"]) >= 14 for one in texts)
    assert width <= 480
    assert all(0 <= float(one.attrib["x"]) <= width for one in texts)
    assert all(0 <= float(one.attrib["y"]) <= height for one in texts)
    assert not [one for one in tree.iter() if "id" in one.attrib]


@pytest.mark.parametrize("name", COUNTS)
def test_the_combines_that_are_drawn_are_those_that_are_done(name):
    before = 2 * SLICES
    windows = [(start, start + SLICES) for start in range(before + SLIDES)]
    tally, product = counted(
        lambda older, newer: older + newer,
        identity=0,
        inverse=(lambda whole, oldest: whole - oldest) if "subtract" in name else None,
    )

    with interpreting():
        slide_windows(find(name), product, range(windows[-1][1]), windows)

    both = zip(tally.per_window, tally.inverses, strict=True)
    assert [sum(pair) for pair in both][before:] == COUNTS[name]
