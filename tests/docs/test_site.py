"""The site builds without a warning, has every page and name, and needs no network."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
import yaml
from pages import PAGES, ROOT

import windrow as wr
from windrow.algorithms import CATALOGUE

CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
FETCHED = re.compile(
    r"""<(?:link|script|img|iframe)\b[^>]*?(?:href|src)=["']?(?:https?:)?//[^"'> ]*"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; what mkdocs said about it is shown if it fails."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    built = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    return folder


def _leaves(nav):
    for entry in nav:
        for value in entry.values():
            yield from [value] if isinstance(value, str) else _leaves(value)


def test_every_page_is_in_the_navigation_once():
    listed = sorted(_leaves(CONFIG["nav"]))

    assert listed == sorted({*PAGES, "results.md"} - {"README.md"})


def test_the_site_has_every_page(site):
    expected = {page.replace(".md", ".html") for page in _leaves(CONFIG["nav"])}

    assert {path.name for path in site.glob("*.html")} - {"404.html"} == expected


def test_every_public_name_is_in_the_reference(site):
    text = (site / "api.html").read_text("utf-8")

    missing = [name for name in wr.__all__ if f'id="windrow.{name}"' not in text]

    assert missing == []


def test_examples_of_docstrings_are_shown_as_code(site):
    text = (site / "api.html").read_text("utf-8")

    assert text.count('<code><span class="gp">&gt;&gt;&gt; </span>') >= 9
    assert "<blockquote>" not in text


def test_pictures_are_part_of_their_page(site):
    text = (site / "how-algorithms-work.html").read_text("utf-8")

    assert text.count('<svg xmlns="http://www.w3.org/2000/svg" class="picture"') == len(
        CATALOGUE
    )


def test_nothing_is_fetched_from_a_network(site):
    fetched = {
        path.name: found
        for path in site.glob("*.html")
        if (found := FETCHED.findall(path.read_text("utf-8")))
    }

    assert fetched == {}


def test_search_works_where_the_site_is_opened_from_a_disk(site):
    start = (site / "index.html").read_text("utf-8")

    assert 'src="assets/iframe-worker.js"' in start
    assert (site / "assets" / "iframe-worker.js").exists()
    assert (site / "search" / "search_index.js").exists()
