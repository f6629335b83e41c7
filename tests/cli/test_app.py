"""Help, wrong options and exit codes; nothing here starts Spark."""

import subprocess
import sys

import pytest

import windrow
from windrow.cli import main

QUERY = ["--window", "1 hour", "--on", "ts", "--agg", "n=count()"]


@pytest.fixture
def no_java(monkeypatch, tmp_path):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(
        "pyspark.sql.SparkSession.getActiveSession", classmethod(lambda _: None)
    )


def refused(arguments, capsys):
    """The two lines that a refusal prints."""
    code = main(arguments)
    printed = capsys.readouterr()
    assert code == 2
    assert printed.out == ""
    fact, hint = printed.err.splitlines()
    assert hint.startswith("Hint: ")
    return fact


@pytest.mark.parametrize("command", [[], ["run"], ["explain"]])
def test_a_command_without_options_shows_its_help(command, capsys):
    code = main(command)

    assert code == 0
    assert "Usage: " + " ".join(["windrow", *command]) in capsys.readouterr().out


@pytest.mark.parametrize("command", ["run", "explain", "doctor", "demo"])
def test_every_command_has_help(command, capsys):
    code = main([command, "--help"])

    assert code == 0
    assert f"Usage: windrow {command}" in capsys.readouterr().out


def test_the_version_is_the_packages(capsys):
    code = main(["--version"])

    assert code == 0
    assert capsys.readouterr().out == f"windrow {windrow.__version__}\n"


def test_help_loads_neither_spark_nor_matplotlib():
    code = (
        "import sys; from windrow.cli import main; main(['run', '--help']);"
        "assert not {'pyspark', 'matplotlib', 'pandas'} & set(sys.modules)"
    )

    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["runn"], "no such command 'runn'"),
        (["run", "x.csv", "--agg", "n=count()", "--bogus"], "no such option: --bogus"),
        (["run", "x.csv", *QUERY, "--mode", "perhaps"], "'perhaps' is not"),
        (["run", "x.csv", *QUERY, "--keys", "many"], "invalid value for '--keys'"),
    ],
)
def test_wrong_options_are_refused_in_two_lines(arguments, words, capsys):
    actual = refused(arguments, capsys)

    assert words in actual
    assert actual.startswith("cannot understand the options of windrow")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "x.csv", *QUERY, "--to", "out"], "cannot write out: its name"),
        (["run", "x.csv", *QUERY, "--to", "{there}.csv"], "such a file or folder al"),
        (["run", "x.csv", *QUERY, "--conf", "spark"], "cannot read setting 'spark'"),
        (["run", "x.csv", *QUERY, "--agg", "m=maxx(x)"], "no aggregate called 'maxx'"),
        (["run", "x.csv", *QUERY[:-2]], "no aggregate is given"),
        (["run", "x.csv", *QUERY, "--from", "A=a.csv"], "cannot use --from"),
    ],
)
def test_what_can_be_refused_is_refused_before_spark_starts(
    arguments, words, no_java, tmp_path, capsys
):
    (tmp_path / "there.csv").touch()
    arguments = [one.format(there=tmp_path / "there") for one in arguments]

    actual = refused(arguments, capsys)

    assert words in actual


@pytest.mark.parametrize("command", [["run", "x.csv", *QUERY], ["demo"]])
def test_without_java_one_sentence_says_so(command, no_java, capsys):
    actual = refused(command, capsys)

    assert actual == (
        "cannot start Spark: there is no java on the PATH and JAVA_HOME is not set"
    )


def test_bench_without_its_distribution_says_which_one_to_install(monkeypatch, capsys):
    monkeypatch.setattr("windrow.cli.bench.entry_points", lambda **_: ())

    actual = refused(["bench", "run", "--all"], capsys)

    assert actual.startswith("cannot run windrow bench: the experiments are")


def test_the_hint_of_a_missing_bench_is_the_command_that_brings_it(monkeypatch, capsys):
    monkeypatch.setattr("windrow.cli.bench.entry_points", lambda **_: ())

    main(["bench"])

    hint = f"Hint: run {sys.executable} -m pip install pywindrow-bench\n"
    assert capsys.readouterr().err.endswith(hint)
