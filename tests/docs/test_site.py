"""The site builds without a warning, has every page and name, and needs no network."""

from __future__ import annotations

import os
import re
import shutil
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

    assert listed == sorted({*PAGES} - {"README.md"})


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


def test_programs_find_a_list_of_pages_and_all_of_them_in_one_file(site):
    listed = (site / "llms.txt").read_text("utf-8")
    whole = (site / "llms-full.txt").read_text("utf-8")

    assert set(re.findall(r"\]\(([\w-]+\.html)\): \w", listed)) == {
        page.replace(".md", ".html") for page in _leaves(CONFIG["nav"])
    }
    assert all(f"<!-- {page} -->" in whole for page in _leaves(CONFIG["nav"]))
    assert all(f"### `wr.{name}" in whole for name in ("aggregate", "sum", "as_of"))
    assert all(f"#### `{name}(" in whole for name in _methods())
    assert "#### `Operator.feed(values: 'Any' = None, at:" in whole
    assert not re.findall(r"(?m)^:::.*", whole)
    assert "/home/" not in whole


def _methods():
    """The public methods of the classes whose methods the API page shows."""
    for kind in (wr.Operator, wr.Features):
        for name in vars(kind):
            if name[0] != "_" and callable(getattr(kind, name)):
                yield f"{kind.__name__}.{name}"


def test_nothing_is_fetched_from_a_network(site):
    fetched = {
        path.name: found
        for path in site.glob("*.html")
        if (found := FETCHED.findall(path.read_text("utf-8")))
    }

    assert fetched == {}


def test_search_works_where_the_site_is_opened_from_a_disk(site):
    start = (site / "index.html").read_text("utf-8")

    assert 'src="assets/iframe-worker-of-ours.js"' in start
    assert (site / "assets" / "iframe-worker-of-ours.js").exists()
    assert (site / "search" / "search_index.js").exists()


PROBE = """
<script>
const later = (seconds, what) => setTimeout(what, 1000 * seconds);
later(1, () => {
  document.querySelector("#__search").click();
  const query = document.querySelector("[data-md-component=search-query]");
  query.value = "watermark";
  query.dispatchEvent(new Event("input", {bubbles: true}));
  query.dispatchEvent(new KeyboardEvent("keyup", {bubbles: true}));
});
later(6, () => {
  const hits = document.querySelectorAll(".md-search-result__item").length;
  document.body.setAttribute("data-hits", hits);
});
</script>
</body>
"""


def test_search_finds_pages_where_the_site_is_opened_from_a_disk(site):
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("there is no chromium here to open the site with")
    page = site / "probe.html"
    start = (site / "index.html").read_text("utf-8")
    page.write_text(start.replace("</body>", PROBE), "utf-8")

    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    shown = subprocess.run(
        [browser, *options, "--virtual-time-budget=9000", page.as_uri()],
        capture_output=True,
        text=True,
        check=True,
    )

    [hits] = re.findall(r'data-hits="(\d+)"', shown.stdout)
    assert int(hits) > 0
