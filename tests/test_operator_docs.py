"""The examples of docs/operator.md run, in order, and say the truth."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "operator.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_holds(number):
    exec("import windrow as wr\n" + EXAMPLES[number], {})
