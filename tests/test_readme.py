"""The README stays short and names what is there; its example runs in tests/docs."""

import re
from pathlib import Path

README = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")
EXAMPLE = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)


def test_the_example_is_short():
    code, _ = EXAMPLE.groups()

    actual = [line for line in code.splitlines() if line.strip()]

    assert len(actual) <= 12
    assert max(map(len, actual)) <= 88


def test_every_make_target_it_names_exists():
    makefile = (Path(__file__).resolve().parents[1] / "Makefile").read_text("utf-8")

    named = set(re.findall(r"\bmake ([a-z-]+)", README.replace("make check test", "")))

    targets = set(re.findall(r"^([a-z-]+):.*##", makefile, re.MULTILINE))
    assert {"demo", "test"} <= named <= targets
