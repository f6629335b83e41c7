"""`windrow bench`: list, run and report, and how they end."""

import pytest
from rich.console import Console

from handmade_experiments import TINY, claim, experiment, keep, row
from windrow.cli import main
from windrow_bench import _output, command
from windrow_bench.experiment import Trial
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.store import ResultStore


def raising(error):
    def run(_):
        raise error

    return lambda _: [Trial("speed", 1, run)]


CARDS = (
    experiment("aa-1", claims=(claim(True, "Fast is faster."),)),
    experiment("aa-2", title="A title so long that it has to be wrapped on a screen"),
    experiment("bb-1", paper="Another", needs=("no_such_library",)),
)


@pytest.fixture(autouse=True)
def cards(monkeypatch):
    """Three experiments in place of all."""
    by_name = {one.name: one for one in CARDS}
    monkeypatch.setattr(command, "CATALOGUE", CARDS)
    monkeypatch.setattr("windrow_bench.catalogue.CATALOGUE", CARDS)
    monkeypatch.setattr("windrow_bench.catalogue.BY_NAME", by_name)


def replaced(monkeypatch, *ones):
    monkeypatch.setattr(command, "CATALOGUE", ones)


def test_list_in_a_pipe_is_a_whole_line_each(capsys):
    code = main(["bench", "list"])

    head, *lines = capsys.readouterr().out.splitlines()
    assert code == 0
    assert head.split()[:2] == ["name", "paper"]
    assert [line.split()[0] for line in lines] == ["aa-1", "aa-2", "bb-1"]
    assert "wrapped on a screen" in lines[1]
    assert lines[2].endswith("no_such_library ")


def test_list_on_a_screen_of_80_columns_loses_nothing(monkeypatch, capsys):
    screen = Console(force_terminal=True, width=80, highlight=False, color_system=None)
    monkeypatch.setattr(_output, "out", screen)

    main(["bench", "list"])

    lines = capsys.readouterr().out.splitlines()
    words = " ".join(" ".join(lines).split())
    assert max(map(len, lines)) <= 80
    assert "Another" in lines
    for name in ("aa-1", "aa-2", "bb-1", "there is no no_such_library here"):
        assert name in words
    assert "screen" in words


def test_run_measures_sums_up_and_shows_verdicts(tmp_path, capsys):
    code = main(["bench", "run", "aa-1", "--into", str(tmp_path)])

    printed = capsys.readouterr()
    assert code == 0
    assert "1/1  aa-1: speed | 1" in printed.err
    assert "Fast is faster." in printed.out
    assert "three times" in printed.out
    assert "1 trial measured, 0 there before" in printed.out


def test_run_goes_on_where_it_stopped(tmp_path, capsys):
    main(["bench", "run", "aa-1", "--into", str(tmp_path)])
    capsys.readouterr()

    main(["bench", "run", "aa-1", "aa-2", "--into", str(tmp_path)])

    assert "1 trial measured, 1 there before" in capsys.readouterr().out


def test_run_says_which_experiments_lack_a_library(tmp_path, capsys):
    code = main(["bench", "run", "--all", "--into", str(tmp_path)])

    assert code == 0
    assert "bb-1: left out, there is no no_such_library here" in capsys.readouterr().out


def test_run_shows_a_bar_on_a_terminal(tmp_path, monkeypatch, capsys):
    screen = Console(
        force_terminal=True, width=100, stderr=True, color_system=None, highlight=False
    )
    monkeypatch.setattr(_output, "err", screen)

    code = main(["bench", "run", "aa-1", "--into", str(tmp_path)])

    shown = capsys.readouterr().err
    assert code == 0
    assert "1/1" in shown
    assert "left" in shown


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (["--all", "aa-1"], "names and --all were both given"),
        (["--full"], "none was named"),
        (["aa-3"], "no experiment has that name"),
    ],
)
def test_run_refuses_what_it_cannot_make_out(arguments, fact, capsys):
    code = main(["bench", "run", *arguments])

    printed = capsys.readouterr()
    assert code == 2
    assert fact in printed.err
    assert "Hint: " in printed.err


def test_a_wrong_answer_is_told_and_ends_with_one(tmp_path, monkeypatch, capsys):
    wrong = experiment("aa-9", trials=raising(WrongAnswer("daba: 3, not 4")))
    replaced(monkeypatch, wrong, CARDS[0])

    code = main(["bench", "run", "--all", "--into", str(tmp_path)])

    printed = capsys.readouterr().out
    assert code == 1
    assert "aa-9, speed | 1: FAILED, WrongAnswer: daba: 3, not 4" in printed
    assert "Fast is faster." in printed


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    stopped = experiment("aa-9", trials=raising(KeyboardInterrupt()))
    replaced(monkeypatch, CARDS[0], stopped)

    code = main(["bench", "run", "--all", "--into", str(tmp_path)])

    printed = capsys.readouterr().err
    assert code == 130
    assert "stopped: 1 trial kept in" in printed
    assert "Hint: the same command goes on from there" in printed


def test_report_writes_the_page_and_says_where(tmp_path, capsys):
    main(["bench", "run", "aa-1", "--into", str(tmp_path)])
    capsys.readouterr()

    code = main(["bench", "report", "--into", str(tmp_path)])

    assert code == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "report.html")
    assert (tmp_path / "report.html").exists()


def test_report_of_nothing_is_refused(tmp_path, capsys):
    code = main(["bench", "report", "--into", str(tmp_path)])

    assert code == 2
    assert "nothing was measured yet" in capsys.readouterr().err


def test_report_of_an_unknown_size_is_refused(tmp_path, capsys):
    code = main(["bench", "report", "--size", "quik", "--into", str(tmp_path)])

    assert code == 2
    assert "did you mean quick?" in capsys.readouterr().err


def test_report_takes_the_size_that_was_measured_last(tmp_path):
    for size in command.SIZES.values():
        keep(ResultStore(tmp_path, size), CARDS[0], size)

    main(["bench", "report", "--into", str(tmp_path)])

    assert "<b>full</b> run" in (tmp_path / "report.html").read_text("utf-8")


def test_report_tells_of_results_that_it_leaves_out(tmp_path, capsys):
    store = ResultStore(tmp_path, TINY)
    keep(store, CARDS[0], under="elsewhere")
    keep(store, CARDS[0], rows=(row("speed", 1, "fast", 1.0),))

    main(["bench", "report", "--into", str(tmp_path)])

    assert "left out: results of another machine" in capsys.readouterr().err
