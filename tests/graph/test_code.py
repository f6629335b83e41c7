"""The emitted code for special cases, beside kept text; WINDROW_KEEP=1 renews it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from windrow.graph import graph_blocks, initial
from windrow.graph.specialise import specialise
from windrow.loops import ENTRY, INLINE, JIT

KEPT = Path(__file__).parent / "kept"

CASES = {
    "one_with_inverse": ([5], True),
    "one_without": ([5], False),
    "one_input": ([1], False),
    "few_with_inverse": ([3, 4], True),
    "many_with_inverse": (range(3, 30), True),
    "many_without": ([100, 200], False),
    "short_and_long_without": ([9, 100, 200], False),
    "uneven_with_inverse": ([0, 0], True),
    "uneven_without": ([0, 0], False),
}


def blocks_of(ranges, *, invertible: bool) -> list[str]:
    graph = initial([(range_, 1) for range_ in ranges])
    return graph_blocks(specialise(graph, invertible=invertible).graph)


@pytest.mark.parametrize("name", CASES)
def test_the_emitted_code_is_the_kept_text(name):
    ranges, invertible = CASES[name]
    blocks = blocks_of(ranges, invertible=invertible)
    text = "\n\n\n".join(block.strip("\n") for block in blocks) + "\n"
    for decorator, word in (
        (ENTRY, "@entry"),
        (INLINE, "@inlined"),
        (JIT, "@compiled"),
    ):
        text = text.replace(decorator, word)
    path = KEPT / f"{name}.txt"
    if os.environ.get("WINDROW_KEEP"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


def test_only_the_form_of_a_graph_is_in_its_code():
    texts = {
        "".join(blocks_of(ranges, invertible=False))
        for ranges in ([100, 150], [100, 150, 7000, 7001], [2000, 3000])
    }
    assert len(texts) == 1


def test_code_is_as_long_as_its_graph_needs():
    lines = {
        name: (KEPT / f"{name}.txt").read_text("utf-8").count("\n") for name in CASES
    }
    assert lines["one_input"] < lines["one_with_inverse"] < lines["one_without"]
    assert lines["one_without"] < lines["many_with_inverse"] < lines["many_without"]
