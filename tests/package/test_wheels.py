"""Both distributions, built, checked, installed without the checkout, and run there."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import windrow
import windrow_bench

ROOT = Path(__file__).resolve().parents[2]
VERSION = windrow.__version__


def test_both_distributions_have_one_version():
    needs = tomllib.loads((ROOT / "bench" / "pyproject.toml").read_text("utf-8"))

    assert windrow_bench.__version__ == VERSION
    assert f"pywindrow[cli]=={VERSION}" in needs["project"]["dependencies"]
    assert f"\n## {VERSION}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_both_distributions_have_one_licence():
    texts = {
        (ROOT / folder / "LICENSE").read_text("utf-8") for folder in (".", "bench")
    }

    assert len(texts) == 1


@pytest.mark.parametrize("folder", [".", "bench"])
def test_classifiers_name_only_pythons_that_tests_ran_on(folder):
    text = (ROOT / folder / "pyproject.toml").read_text("utf-8")
    classifiers = tomllib.loads(text)["project"]["classifiers"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(classifiers))

    page = (ROOT / "docs" / "compatibility.md").read_text("utf-8")
    rows = [
        row for row in page.splitlines() if " passed" in row and "failed" not in row
    ]
    ran_on = set(re.findall(r"Python (3\.\d+)\.", "\n".join(rows)))

    assert named
    assert set(named) <= ran_on


def test_pages_that_deny_a_package_index_are_named_for_a_release():
    docs = ROOT / "docs"
    told = (docs / "releasing.md").read_text("utf-8")

    for page in docs.glob("*.md"):
        denies = "is not on a package index yet" in page.read_text("utf-8")
        assert not denies or f"`docs/{page.name}`" in told, page.name


def run(*command, folder, fails=False):
    """What it prints; PYTHONPATH and the checkout are out of its sight."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PY")}
    clean["PYSPARK_PYTHON"] = str(Path(command[0]).with_name("python"))
    answer = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=clean,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (answer.returncode != 0) == fails, answer.stdout + answer.stderr
    return answer.stderr if fails else answer.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """A folder of wheels and source archives, built from a copy of the checkout."""
    folder = tmp_path_factory.mktemp("package")
    copy, dist = folder / "copy", folder / "dist"
    ours = ("src", "bench", "pyproject.toml", "README.md", "LICENSE")
    leave_out = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "dist")
    for name in ours:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=leave_out)
        else:
            shutil.copy(ROOT / name, copy / name)
    for project in (copy, copy / "bench"):
        run(sys.executable, "-m", "build", "--outdir", dist, project, folder=folder)
    return dist


@pytest.fixture(scope="module")
def install(dist, tmp_path_factory):
    """A function that makes an environment with what is named, and gives its bin/."""

    def make(*names):
        folder = tmp_path_factory.mktemp("environment")
        venv.create(folder, with_pip=True)
        pip = (folder / "bin" / "python", "-m", "pip", "install", "--quiet")
        limits = ("-c", ROOT / "constraints.txt", "--find-links", dist)
        run(*pip, *limits, *names, folder=folder)
        return folder / "bin"

    return make


@pytest.mark.deep
def test_what_is_built_passes_the_check_of_the_package_index(dist):
    files = sorted(dist.iterdir())

    said = run(sys.executable, "-m", "twine", "check", "--strict", *files, folder=dist)

    assert len(files) == 4
    assert said.count("PASSED") == 4


@pytest.mark.deep
def test_the_library_carries_its_types_and_no_experiments(dist):
    (wheel,) = dist.glob("pywindrow-*.whl")
    names = zipfile.ZipFile(wheel).namelist()

    assert "windrow/py.typed" in names
    assert not [name for name in names if "windrow_bench" in name]
    assert not [name for name in names if name.startswith("windrow/bench")]


@pytest.mark.deep
def test_the_experiments_carry_their_types_and_what_their_page_is_made_of(dist):
    (wheel,) = dist.glob("pywindrow_bench-*.whl")
    names = zipfile.ZipFile(wheel).namelist()

    for name in ("py.typed", "report/page.js", "report/style.css"):
        assert f"windrow_bench/{name}" in names
    assert not [name for name in names if name.startswith("windrow/")]


@pytest.mark.deep
def test_the_library_runs_without_extras_or_checkout(install):
    bin_ = install("pywindrow")
    script = Path(__file__).with_name("in_a_fresh_environment.py")

    run(bin_ / "python", "-W", "error", script, folder=bin_)
    said = run(bin_ / "windrow", "doctor", folder=bin_, fails=True)

    assert "pip install 'pywindrow[cli]'" in said


@pytest.mark.deep
def test_without_the_experiments_bench_names_what_brings_it(install, tmp_path):
    bin_ = install("pywindrow[cli]")

    version = run(bin_ / "windrow", "--version", folder=tmp_path)
    said = run(bin_ / "windrow", "bench", "list", folder=tmp_path, fails=True)

    assert version == f"windrow {VERSION}\n"
    assert f"{bin_ / 'python'} -m pip install pywindrow-bench" in said


@pytest.mark.deep
def test_an_experiment_runs_where_both_are_installed(install, tmp_path):
    bin_ = install("pywindrow-bench")
    name = "slickdeque-4"

    run(bin_ / "windrow", "bench", "run", name, "--into", tmp_path, folder=tmp_path)
    run(bin_ / "windrow", "bench", "report", "--into", tmp_path, folder=tmp_path)

    lines = (tmp_path / "quick.jsonl").read_text("utf-8").splitlines()
    assert any(json.loads(line).get("experiment") == name for line in lines)
    assert (tmp_path / "report.html").exists()


@pytest.mark.deep
def test_the_command_line_runs_a_query_on_spark_from_the_wheel(install, tmp_path):
    bin_ = install("pywindrow[cli,spark]")
    with (tmp_path / "calls.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["n", "x"], [1, 5], [2, 7], [4, 1]])
    query = ["--window", "3", "--every", "1", "--on", "n", "--agg", "most=max(x)"]

    printed = run(bin_ / "windrow", "run", "calls.csv", *query, folder=tmp_path)

    assert [line.split()[-1] for line in printed.splitlines()].count("7") == 3

    text = tmp_path / "most.cql"
    text.write_text("select n, max(x) as most from Calls [range 3 slide 1]")
    read = ["--on", "n", "--from", "Calls=calls.csv"]
    of_text = run(bin_ / "windrow", "run", text, *read, folder=tmp_path)

    assert [line.split()[-1] for line in of_text.splitlines()].count("7") == 3
