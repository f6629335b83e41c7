"""What mkdocs does beside its own work when it builds the site.

![words](pictures/sba.svg)         the picture itself, so that it takes the colours
                                   of the page; elsewhere (on a code host) an image
bench/report.html                  `make docs` draws it from docs/bench/full.jsonl
../README.md#..., ../src/...       refused by mkdocs: the site has no such page
llms.txt, llms-full.txt            the list of pages, and all of them in one file
"""

from __future__ import annotations

import contextlib
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parents[1]
REPORT = "bench/report.html"
_NO_REPORT = "<p>This site was built without the report: make docs draws it.</p>"
PICTURE = re.compile(r"^!\[[^\]]*\]\((pictures/[\w-]+\.svg)\)$", re.MULTILINE)

# a line that stands for docstrings, and its options
DIRECTIVE = re.compile(r"^::: windrow\.(?:\w+\.)*(\w+)\n((?: +.*\n)*)", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the report of the experiments, where it was not drawn."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - tests need no mkdocs

    if files.get_file_from_path(REPORT) is None:
        files.append(File.generated(config, REPORT, content=_NO_REPORT))
    return files


def on_page_markdown(markdown: str, *, config: MkDocsConfig, **_: object) -> str:
    """Put pictures into the page."""
    folder = Path(config.docs_dir)
    return PICTURE.sub(lambda found: _figure(folder / found[1]), markdown)


def _figure(path: Path) -> str:
    """One line each, for Markdown ends raw HTML at an empty one; not for the search."""
    drawn = "".join(path.read_text("utf-8").splitlines())
    return f'<figure class="picture" data-search-exclude>{drawn}</figure>'


# --- for readers who are programs -----------------------------------------------


def on_post_build(config: MkDocsConfig) -> None:
    """Write llms.txt, a list of the pages, and all of them as one file of Markdown."""
    pages = _pages(config.nav)
    site, folder = Path(config.site_dir), Path(config.docs_dir)
    shown = {name: (folder / name).read_text("utf-8") for _, name in pages}
    shown["api.md"] = _with_docstrings(shown["api.md"])
    lines = [f"# {config.site_name}", "", f"> {config.site_description}", ""]
    lines += ["`pip install pywindrow`, `import windrow as wr`.", "", "## Pages", ""]
    for title, name in pages:
        place, words = name.replace(".md", ".html"), _first_sentence(shown[name])
        lines.append(f"- [{title}]({place}): {words}")
    lines += ["", "## Everything", "", "- [All pages as one file](llms-full.txt)", ""]
    (site / "llms.txt").write_text("\n".join(lines), "utf-8")
    parts = [f"<!-- {name} -->\n\n{text.strip()}\n" for name, text in shown.items()]
    (site / "llms-full.txt").write_text("\n".join(parts), "utf-8")


def _pages(nav: Any) -> list[tuple[str, str]]:
    """Title and file of every page, in the order of the navigation."""
    pages: list[tuple[str, str]] = []
    for entry in nav:
        ((title, inner),) = entry.items()
        pages += [(title, inner)] if isinstance(inner, str) else _pages(inner)
    return pages


def _first_sentence(markdown: str) -> str:
    """The first sentence of the first paragraph of words."""
    for block in markdown.split("\n\n"):
        words = " ".join(block.split())
        if words and words[0] not in "#`<!|:-":
            return re.split(r"(?<=[.:])\s", words)[0]
    return ""


def _with_docstrings(markdown: str) -> str:
    """The API page with docstrings in place of the lines that stand for them."""
    import windrow  # noqa: PLC0415 - only a build of the site needs it

    shown: set[str] = set()

    def docstrings(found: re.Match[str]) -> str:
        heading = re.search(r"heading: (\w+)", found[2])
        name = heading[1] if heading else found[1]
        shown.add(name)
        has_members = "members: false" not in found[2]
        return _docstrings(f"wr.{name}", getattr(windrow, name), has_members)

    page = DIRECTIVE.sub(docstrings, markdown)
    values = {name: getattr(windrow, name) for name in windrow.__all__}
    rest = [name for name in values if name not in shown and callable(values[name])]
    return "\n".join([page, *(_docstrings(f"wr.{n}", values[n], False) for n in rest)])


def _docstrings(name: str, value: Any, has_members: bool) -> str:
    """Signature and docstring of a public name, and those of its public methods."""
    signature = ""
    with contextlib.suppress(ValueError, TypeError):
        signature = str(inspect.signature(value))
    parts = [f"### `{name}{signature}`\n\n{inspect.getdoc(value)}\n"]
    for member, method in vars(value).items() if has_members else ():
        if member[0] != "_" and callable(getattr(value, member)):
            takes = inspect.signature(getattr(value, member))
            own = list(takes.parameters.values())
            if inspect.isfunction(method):  # not a class method: `self` comes first
                own = own[1:]
            head = f"#### `{name.rpartition('.')[2]}.{member}"
            page = inspect.getdoc(getattr(value, member))
            parts.append(f"{head}{takes.replace(parameters=own)}`\n\n{page}\n")
    return "\n".join(parts)
