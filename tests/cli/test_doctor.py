"""What the doctor finds, and what it says to do about it."""

import importlib.metadata
import sys

import pytest

import windrow
from windrow.cli import _checks, main
from windrow.cli._checks import CheckResult, CheckState


@pytest.fixture
def python_that_says(tmp_path):
    """A program in the place of Python that answers like this."""

    def make(words, code=0):
        program = tmp_path / "python"
        program.write_text(f"#!/bin/sh\nprintf '{words}'\nexit {code}\n")
        program.chmod(0o755)
        return str(program)

    return make


@pytest.fixture
def one_finding(monkeypatch):
    """The doctor looks at one thing only, which is like this."""

    def use(state):
        finding = CheckResult(state, "a thing", "stands so", "run mend it")
        monkeypatch.setattr("windrow.cli.doctor.run_checks", lambda: [finding])

    return use


HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


def test_a_machine_that_runs_these_tests_has_nothing_wrong(monkeypatch, capsys):
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)

    code = main(["doctor"])

    words = capsys.readouterr().out
    assert code == 0, words
    subjects = ("Python", "Java", "pyspark", "numba", "cache", "workers", "memory")
    assert all(subject in words for subject in subjects)
    assert words.rstrip().endswith("nothing is wrong")


def test_a_wrong_thing_ends_with_exit_code_one_and_what_mends_it(one_finding, capsys):
    one_finding(CheckState.WRONG)

    code = main(["doctor"])

    words = capsys.readouterr().out
    assert code == 1
    assert "wrong    a thing    stands so\n" in words
    assert "run mend it" in words
    assert "1 thing is wrong" in words


def test_a_warning_is_not_wrong(one_finding, capsys):
    one_finding(CheckState.WARNING)

    code = main(["doctor"])

    assert code == 0
    assert "run mend it" in capsys.readouterr().out


def test_no_java_is_wrong(monkeypatch, tmp_path):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    actual = _checks._java()

    assert actual.state is CheckState.WRONG
    assert "no java on the PATH" in actual.words
    assert actual.mend.startswith("install Java")


@pytest.mark.parametrize(
    ("version", "state", "words"),
    [
        ("3.5.0", CheckState.OK, "3.5.0"),
        ("3.4.1", CheckState.WRONG, "3.5 or later is needed"),
        ("5.0.0.dev1", CheckState.WRONG, "one before 5"),
        (None, CheckState.WRONG, "is not installed"),
    ],
)
def test_a_package_is_judged_by_its_version(monkeypatch, version, state, words):
    def installed(_):
        if version is None:
            raise importlib.metadata.PackageNotFoundError
        return version

    monkeypatch.setattr(importlib.metadata, "version", installed)

    actual = _checks._package("pyspark", (3, 5), (5,), "'pyspark>=3.5'")

    assert actual.state is state
    assert words in actual.words
    if state is CheckState.WRONG:
        assert actual.mend == f"run {sys.executable} -m pip install 'pyspark>=3.5'"


def test_workers_on_a_python_that_is_not_there_are_wrong(monkeypatch, tmp_path):
    monkeypatch.setenv("PYSPARK_PYTHON", str(tmp_path / "python9"))

    actual = _checks._workers()

    assert actual.state is CheckState.WRONG
    assert "there is no such program" in actual.words
    assert actual.mend == f"run export PYSPARK_PYTHON={sys.executable}"


@pytest.mark.parametrize(
    ("says", "code", "trouble"),
    [
        ("2.7\n", 1, f"it is Python 2.7, and workers must be {HERE} as here"),
        (f"{HERE}\n", 1, "it lacks what workers import"),
        (f"{HERE}\n0.0.7\n", 0, "it has windrow 0.0.7"),
    ],
)
def test_workers_on_another_python_are_wrong(
    monkeypatch, python_that_says, says, code, trouble
):
    monkeypatch.setenv("PYSPARK_PYTHON", python_that_says(says, code))

    actual = _checks._workers()

    assert actual.state is CheckState.WRONG
    assert trouble in actual.words


def test_workers_on_a_python_with_the_same_windrow_are_well(
    monkeypatch, python_that_says
):
    says = f"{HERE}\n{windrow.__version__}\n"
    monkeypatch.setenv("PYSPARK_PYTHON", python_that_says(says))

    actual = _checks._workers()

    assert actual.state is CheckState.OK


def test_workers_without_a_name_and_without_windrow_are_a_warning(
    monkeypatch, tmp_path
):
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    actual = _checks._workers()

    assert actual.state is CheckState.WARNING
    assert "the windrow command sets it by itself" in actual.words


def test_a_cache_that_others_may_write_to_is_a_warning_with_its_mend(
    monkeypatch, tmp_path
):
    tmp_path.chmod(0o777)
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path))

    actual = _checks._cache()

    assert actual.state is CheckState.WARNING
    assert "compiles its kernels anew" in actual.words
    assert actual.mend == f"run chmod 700 {tmp_path}"


def test_a_cache_of_ones_own_is_well_and_shows_its_mode(monkeypatch, tmp_path):
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path / "kernels"))

    actual = _checks._cache()

    assert actual == CheckResult(
        CheckState.OK, "cache", f"{tmp_path / 'kernels'}, writable, mode 0700"
    )


def test_little_memory_is_a_warning(monkeypatch):
    monkeypatch.setattr(_checks, "memory", lambda: 1 << 30)

    actual = _checks._memory()

    assert actual.state is CheckState.WARNING
    assert actual.words.startswith("1.0 GB")


def test_packages_for_connect_are_optional(monkeypatch):
    monkeypatch.setattr(_checks, "_CONNECT", ("some-package",))

    actual = _checks._connect()

    assert actual.state is CheckState.WARNING
    assert "some-package (optional" in actual.words
