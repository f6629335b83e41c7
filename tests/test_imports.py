"""What importing windrow pulls in, and which way imports point."""

import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("duckdb", "matplotlib", "pandas", "polars", "pyspark", "rich", "sqlglot")


def _run(code, folder=ROOT):
    """Run code in a fresh process; modules in the folder are found first."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def loaded():
    """The modules that a fresh process has after `import windrow`."""
    answer = _run("import sys, windrow; print(*sorted(sys.modules))")
    assert answer.returncode == 0, answer.stderr
    return set(answer.stdout.split())


@pytest.mark.parametrize("package", HEAVY)
def test_importing_windrow_leaves_others_alone(package, loaded):
    assert "windrow" in loaded
    assert package not in loaded


@pytest.fixture(scope="module")
def loaded_by_calls():
    """The modules that a fresh process has after two calls over plain numbers."""
    answer = _run(
        "import sys, numpy as np, pyarrow as pa, windrow as wr\n"
        "from windrow.loops import as_arrow  # pyarrow's own way asks pandas\n"
        "key = as_arrow(np.arange(100, dtype='int32') % 3)\n"
        "table = pa.table({'at': as_arrow(np.arange(100)), 'key': key})\n"
        "window = wr.sliding(10, every=5, on='at')\n"
        "for by in ('key', None):\n"
        "    wr.aggregate(table, window, by=by, most=wr.max('at'))\n"
        "    wr.over(table, on='at', by=by, most=wr.max('at', last='10'))\n"
        "print(*sorted(sys.modules))"
    )
    assert answer.returncode == 0, answer.stderr
    return set(answer.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "numba",
        "pandas",
        "pyarrow.compute",
        "windrow.batch.as_of",
        "windrow.batch.spans",
        "hashlib",
        "json",
        "pathlib",
        "windrow.batch.holistic",
        "windrow.graph.",
        "windrow.plan.explain",
        "windrow.selection",
        "windrow.spans.",
    ],
)
def test_a_first_call_over_numbers_loads_only_what_it_runs(module, loaded_by_calls):
    """A name with a full stop behind it stands for all modules of a package."""
    assert "windrow.batch.over" in loaded_by_calls
    found = [name for name in loaded_by_calls if name.startswith(module)]
    assert [name for name in found if name == module or module.endswith(".")] == []


def test_importing_windrow_says_nothing_and_warns_of_nothing():
    answer = _run("import warnings; warnings.simplefilter('error'); import windrow")

    actual = (answer.returncode, answer.stdout, answer.stderr)

    assert actual == (0, "", "")


def test_imports_point_one_way(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)

    actual = lint_imports(no_cache=True)

    assert actual == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    "module", ["windrow.plan", "windrow.kernels", "pyspark", "numba"]
)
def test_an_import_that_points_the_wrong_way_is_noticed(module, tmp_path):
    source, copy = ROOT / "src" / "windrow", tmp_path / "windrow"
    for file in source.rglob("*.py"):
        target = copy / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    with (copy / "errors.py").open("a") as file:
        file.write(f"\nimport {module}\n")
    config = str(ROOT / "pyproject.toml")

    answer = _run(
        "import sys; from importlinter.cli import lint_imports; "
        f"sys.exit(lint_imports({config!r}, no_cache=True))",
        tmp_path,
    )

    assert answer.returncode == 1
    assert f"windrow.errors is not allowed to import {module}" in answer.stdout
