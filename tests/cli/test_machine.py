"""Which Java Spark would take, and what is said when it could not work with it."""

import pytest

from windrow.cli import _machine
from windrow.cli._machine import Java, find_java, memory
from windrow.errors import WindrowError

NEW, OLD = 'openjdk version "17.0.15" 2025-04-15', 'java version "1.8.0_392"'


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with nothing on its PATH, no JAVA_HOME, and a way to add a Java."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))

    def add_java(folder, says, code=0):
        program = tmp_path / folder / "java"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit {code}\n")
        program.chmod(0o755)
        return str(program)

    return add_java


def refusal():
    with pytest.raises(WindrowError) as caught:
        find_java()
    message = str(caught.value)
    assert message.startswith("cannot start Spark: ")
    assert len(message.splitlines()) == 2
    return message


def test_without_java_home_the_path_decides(machine):
    path = machine("path", NEW)

    actual = find_java()

    assert actual == Java(path, "PATH", "17.0.15")


def test_java_home_goes_before_the_path(machine, tmp_path, monkeypatch):
    machine("path", OLD)
    path = machine("home/bin", NEW)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))

    actual = find_java()

    assert actual == Java(path, "JAVA_HOME", "17.0.15")


def test_a_java_home_without_java_hides_the_path_as_it_does_for_spark(
    machine, tmp_path, monkeypatch
):
    machine("path", NEW)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))

    actual = refusal()

    assert f"JAVA_HOME is {tmp_path / 'home'}, and there is no bin/java in it" in actual
    assert "Hint: run unset JAVA_HOME to use the java on the PATH" in actual


def test_no_java_at_all_is_told_with_the_way_to_get_one(machine):
    actual = refusal()

    assert "no java on the PATH and JAVA_HOME is not set" in actual
    assert "Hint: install Java" in actual


@pytest.mark.parametrize("version", [OLD, 'openjdk version "11.0.2" 2019-01-15'])
def test_an_older_java_is_told_with_its_version(machine, version):
    path = machine("path", version)

    actual = refusal()

    assert f"needs Java 17 or later, and {path} (from PATH) is Java 1" in actual


def test_a_java_that_does_not_run_is_told_with_its_own_words(machine):
    machine("path", "Unable to locate a Java Runtime.", code=1)

    actual = refusal()

    assert "does not run: it says 'Unable to locate a Java Runtime.'" in actual


def test_the_way_to_get_java_names_a_program_that_is_there(machine, tmp_path):
    brew = tmp_path / "path" / "brew"
    brew.parent.mkdir()
    brew.write_text("#!/bin/sh\n")
    brew.chmod(0o755)

    actual = refusal()

    assert actual.endswith("Hint: install Java: brew install openjdk@17")


@pytest.mark.parametrize(
    ("version", "major"), [("17.0.15", 17), ("1.8.0_392", 8), ("25", 25), ("21.0", 21)]
)
def test_the_major_version_is_the_one_people_say(version, major):
    assert Java("java", "PATH", version).major == major


def test_the_memory_of_a_container_counts(monkeypatch, tmp_path):
    limit = tmp_path / "memory.max"
    limit.write_text("1000000\n")
    monkeypatch.setattr(_machine, "Path", lambda _: limit)

    actual = memory()

    assert actual == 1_000_000
