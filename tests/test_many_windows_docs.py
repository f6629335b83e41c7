"""The examples of docs/many-windows.md run, in order, and say the truth."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "many-windows.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def test_the_examples_hold(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec("import windrow as wr", names)
    for example in EXAMPLES:
        exec(example, names)
    assert (tmp_path / "graph.svg").read_text("utf-8").startswith("<svg")
