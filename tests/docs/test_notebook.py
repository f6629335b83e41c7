"""The notebook in examples/ runs from its first cell to its last, in a new process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "features.ipynb"
STREAM = "import os"  # how the first cell with Spark begins


def code_of(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]


def run(cells: list[str]) -> None:
    program = [sys.executable, "-c", "\n".join(cells)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def test_events_become_a_training_set():
    cells = code_of(NOTEBOOK)
    until = next(i for i, text in enumerate(cells) if text.startswith(STREAM))

    run(cells[:until])


@pytest.mark.deep  # a session of Spark and a stream of its own
def test_a_stream_serves_the_same_features():
    run(code_of(NOTEBOOK))
