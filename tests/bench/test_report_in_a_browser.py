"""The report as a real browser shows it: light and dark, on a phone and on a desk.

Chromium opens a copy of the page in a frame of the wanted width and writes down what
it finds there.  (Its own window is never narrower than 500 pixels.)
"""

import html
import json
import re
import shutil
import subprocess
import tempfile

import pytest

from handmade_experiments import TINY, every_kind, experiment, keep
from windrow_bench.findings import gather
from windrow_bench.report import write
from windrow_bench.store import ResultStore

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="there is no chromium here: apt install chromium"
)

ERRORS = """<script>
window.errors = [];
window.addEventListener("error", function (e) { window.errors.push(e.message); });
</script>"""
LOOK = """<script>
window.addEventListener("load", function () {
  function rows() { return document.querySelectorAll("#claims tbody tr"); }
  function shown() {
    return Array.from(rows()).filter(function (r) { return r.offsetHeight; }).length;
  }
  var root = document.documentElement;
  var found = {
    width: window.innerWidth, needs: root.scrollWidth,
    background: getComputedStyle(document.body).backgroundColor,
    stroke: getComputedStyle(document.querySelector("svg path[style*='--s0']")).stroke,
    rows: rows().length, shown: shown(),
    drawings: Array.from(document.querySelectorAll("svg")).map(function (svg) {
      return Math.round(svg.getBoundingClientRect().width);
    })
  };
  document.querySelector("#filters button[data-value='fails']").click();
  found.failing = shown();
  document.querySelector("button.theme").click();
  found.toggled = getComputedStyle(document.body).backgroundColor;
  found.errors = window.errors;
  parent.postMessage(JSON.stringify(found), "*");
});
</script>"""
FRAME = """<!doctype html><meta charset="utf-8"><body>
<iframe style="border:0;height:800px;width:{width}px" srcdoc="{page}"></iframe>
<script>window.addEventListener("message", function (e) {{
  document.body.setAttribute("data-found", e.data);
}});</script>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    store = ResultStore(tmp_path_factory.mktemp("report"), TINY)
    experiments = [*every_kind(), experiment("not-yet")]
    for one in every_kind():
        keep(store, one, busy=True, others=1.0)
    write(gather(experiments, TINY, store), store.folder)
    return store.folder


def browse(path, folder, scheme):
    """The page's elements once its scripts have run, and what the console said."""
    profile = tempfile.mkdtemp(dir=folder)  # a fresh one: the page remembers a choice
    done = subprocess.run(
        [
            BROWSER,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--virtual-time-budget=5000",
            "--window-size=1300,900",
            f"--user-data-dir={profile}",
            f"--blink-settings=preferredColorScheme={'01'[scheme == 'light']}",
            "--dump-dom",
            f"file://{path}",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout, re.findall(r"CONSOLE.*", done.stderr)


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_shows_everything_and_nothing_too_wide(folder, scheme, width):
    page = (folder / "report.html").read_text("utf-8")
    page = page.replace("<head>", "<head>" + ERRORS).replace(
        "</body>", LOOK + "</body>"
    )
    framed = folder / f"{scheme}-{width}.html"
    framed.write_text(FRAME.format(width=width, page=html.escape(page)), "utf-8")

    dom, console = browse(framed, folder, scheme)

    found = json.loads(html.unescape(re.search(r'data-found="([^"]*)"', dom)[1]))
    light, dark = "rgb(245, 246, 244)", "rgb(20, 24, 28)"
    blue = {"light": "rgb(0, 114, 178)", "dark": "rgb(74, 168, 236)"}
    assert found["errors"] == console == []
    assert found["width"] == width
    assert found["needs"] <= width
    assert all(200 < drawing <= width for drawing in found["drawings"])
    assert found["rows"] == found["shown"] == 7
    assert found["failing"] == 2
    assert found["background"] == (light if scheme == "light" else dark)
    assert found["toggled"] == (dark if scheme == "light" else light)
    assert found["stroke"] == blue[scheme]


def test_the_file_itself_opens_without_a_word_on_the_console(folder):
    dom, console = browse(folder / "report.html", folder, "light")

    assert console == []
    assert dom.count("<svg") == 5
    assert 'data-key="standing"' in dom  # the buttons that the script makes
