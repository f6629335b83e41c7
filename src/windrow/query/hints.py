"""Points errors of a query at their place in the text, and hints at nearby names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from windrow.errors import QueryError, WindrowError

from .tree import Place


@contextmanager
def pointing_at(text: str, at: Place, expected: str) -> Iterator[None]:
    """Turn what windows and aggregates refuse into an error at a place in the text."""
    try:
        yield
    except WindrowError as error:
        cause, _, hint = str(error).partition("\nHint: ")
        raise QueryError.at(text, *at, f"{expected} ({cause})", hint) from error


def near_hint(name: str, candidates: Iterable[str], otherwise: str = "") -> str:
    """A hint that lists the candidates nearest to a name, or all of them."""
    names = list(dict.fromkeys(candidates))
    by_lower = {name.lower(): name for name in names}
    near = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(by_lower[name] for name in near)}?"
    known = f"known are {', '.join(names)}" if names else "there is none"
    return otherwise or known
