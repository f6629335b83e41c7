"""The emitted code for special cases, beside kept text; WINDROW_KEEP=1 renews it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from windrow.graph import graph_blocks, initial, specialise
from windrow.graph.graph import initial_uneven
from windrow.loops import ENTRY, INLINE, JIT

KEPT = Path(__file__).parent / "kept"

CASES = {
    "one_with_inverse": (initial([5]), True),
    "one_without": (initial([5]), False),
    "one_input": (initial([1]), False),
    "few_with_inverse": (initial([3, 4]), True),
    "many_with_inverse": (initial(range(3, 30)), True),
    "many_without": (initial([100, 200]), False),
    "short_and_long_without": (initial([9, 100, 200]), False),
    "uneven_with_inverse": (initial_uneven(2), True),
    "uneven_without": (initial_uneven(2), False),
}


@pytest.mark.parametrize("name", CASES)
def test_the_emitted_code_is_the_kept_text(name):
    graph, invertible = CASES[name]
    blocks = graph_blocks(specialise(graph, invertible=invertible))
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
        "".join(graph_blocks(specialise(initial(ranges), invertible=False)))
        for ranges in ([100, 150], [100, 150, 7000, 7001], [2000, 3000])
    }
    assert len(texts) == 1


def test_code_is_as_long_as_its_graph_needs():
    lines = {
        name: (KEPT / f"{name}.txt").read_text("utf-8").count("\n") for name in CASES
    }
    assert lines["one_input"] < lines["one_with_inverse"] < lines["one_without"]
    assert lines["one_without"] < lines["many_with_inverse"] < lines["many_without"]
