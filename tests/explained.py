"""What an explanation names, beside what runs."""

from __future__ import annotations

import contextlib
import re

import pytest

from windrow import graph
from windrow.algorithms import _run as runner


@contextlib.contextmanager
def watched():
    """The names of algorithms, graphs and products that run within."""
    names, words = set(), []
    real_run = runner._run
    graphs = ("slide_graph", "slide_uneven", "slide_walked")
    reals = [getattr(graph, name) for name in graphs]

    def run(algorithm, product, *rest):
        names.add(algorithm.name)
        words.append(product)
        return real_run(algorithm, product, *rest)

    def graph_spy(real):
        def slide(product, *rest, **options):
            names.add("gag")
            words.append(product)
            return real(product, *rest, **options)

        return slide

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "_run", run)
        for name, real in zip(graphs, reals, strict=True):
            patch.setattr(graph, name, graph_spy(real))
        yield names, words


def named(text: str) -> set[str]:
    """The algorithms that an explanation names."""
    lines = re.findall(r"^  algorithm  ([a-z_, ]+):", str(text), re.MULTILINE)
    return {name.strip() for line in lines for name in line.split(",")}
