"""A drawing of matplotlib's, made small and fit to stand in the page.

Colours become variables of the page's style, so that light and dark are one drawing;
sizes go, so that it fits any screen; the preamble goes, with the addresses in it.
"""

from __future__ import annotations

import io
import re
from html import escape

from matplotlib.figure import Figure

from ._html import Html
from ._palette import VARIABLES

_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_NUMBERS = re.compile(r'(?<= )((?:d|x|y|transform|points)=")([^"]*)(")')
_DECIMALS = re.compile(r"(\.\d\d)\d+")
_HEAD = re.compile(r"<svg[^>]*?(viewBox=\"[^\"]*\")[^>]*>")
_GONE = re.compile(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", re.DOTALL)
_GROUP = re.compile(r'<g id="[^"]*"')  # named alike in every drawing
_STYLE = re.compile(r'style="([^"]*)"')


def svg(figure: Figure, label: str) -> Html:
    """The figure as an element; `label` is for those who do not see it."""
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = _GROUP.sub("<g", _GONE.sub("", text)).replace("xlink:href", "href")
    text = _STYLE.sub(_in_variables, text)
    text = _NUMBERS.sub(_rounded, text)
    words = escape(label)
    return Html(
        _HEAD.sub(lambda f: f'<svg {f[1]} role="img" aria-label="{words}">', text, 1)
    )


def _in_variables(found: re.Match[str]) -> str:
    return _COLOUR.sub(
        lambda one: f"var({VARIABLES[one[0]]})" if one[0] in VARIABLES else str(one[0]),
        str(found[0]),
    )


def _rounded(found: re.Match[str]) -> str:
    return found[1] + _DECIMALS.sub(r"\1", found[2]) + found[3]
