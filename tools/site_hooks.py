"""What mkdocs does beside its own work when it builds the site.

![words](pictures/sba.svg)         the picture itself, so that it takes the colours
                                   of the page; elsewhere (on a code host) an image
../benchmarks/RESULTS.md           the page Results, made from that file
../README.md#..., ../src/...       refused by mkdocs: the site has no such page
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PICTURE = re.compile(r"^!\[[^\]]*\]\((pictures/[\w-]+\.svg)\)$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the results of the benchmarks, which stand outside docs/, as a page."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - tests need no mkdocs

    files.append(
        File.generated(config, "results.md", content=RESULTS.read_text("utf-8"))
    )
    return files


def on_page_markdown(markdown: str, *, config: MkDocsConfig, **_: object) -> str:
    """Put pictures into the page, and lead links to the results to their page."""
    folder = Path(config.docs_dir)
    drawn = PICTURE.sub(lambda found: _figure(folder / found[1]), markdown)
    return drawn.replace("](../benchmarks/RESULTS.md", "](results.md")


def _figure(path: Path) -> str:
    """One line each, for Markdown ends raw HTML at an empty one; not for the search."""
    drawn = "".join(path.read_text("utf-8").splitlines())
    return f'<figure class="picture" data-search-exclude>{drawn}</figure>'
