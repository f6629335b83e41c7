"""What is true of every experiment, whoever wrote it."""

import re
import subprocess
import sys

import pytest

from windrow.errors import BadInput
from windrow_bench.catalogue import BY_NAME, CATALOGUE, find
from windrow_bench.experiment import SIZES, NotMeasured, RowSet, Verdict
from windrow_bench.runner import lacking

EACH = [pytest.param(one, id=one.name) for one in CATALOGUE]
OPTIONAL = (
    "bottleneck",
    "duckdb",
    "matplotlib",
    "numbagg",
    "pandas",
    "polars",
    "pyspark",
    "sqlglot",
)


def test_names_are_there_once():
    assert len(BY_NAME) == len(CATALOGUE)


def test_experiments_of_a_paper_stand_together():
    papers = [one.paper for one in CATALOGUE]
    together = [p for i, p in enumerate(papers) if i == 0 or papers[i - 1] != p]

    assert len(together) == len(set(papers))


@pytest.mark.parametrize("one", EACH)
def test_a_card_says_what_it_is(one):
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", one.name)
    assert all((one.paper, one.shows, one.title, one.workload, one.panels, one.claims))
    assert len({panel.name for panel in one.panels}) == len(one.panels)
    assert one.share > 0
    assert one.threads >= 0


@pytest.mark.parametrize("one", EACH)
def test_claims_are_sentences_with_the_papers_number(one):
    for claim in one.claims:
        assert claim.text[0].isupper() or one.paper.startswith("Bars")
        assert claim.text.endswith(".")
        assert claim.theirs


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("one", EACH)
def test_trials_have_a_panel_and_a_key_of_their_own(one, size):
    if lacking(one):
        pytest.skip(f"there is no {', '.join(lacking(one))} here")

    trials = one.trials(size)

    assert trials
    assert {trial.panel for trial in trials} <= {panel.name for panel in one.panels}
    assert len({trial.key for trial in trials}) == len(trials)


@pytest.mark.parametrize("one", EACH)
def test_a_judge_gives_a_verdict_or_says_that_rows_are_missing(one):
    for claim in one.claims:
        try:
            verdict = claim.judge(RowSet([]))
        except (NotMeasured, ArithmeticError, ValueError):
            continue
        assert isinstance(verdict, Verdict)
        assert verdict.holds is None


def test_cards_load_without_libraries_that_a_user_may_not_have():
    code = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL!r}:
            raise ModuleNotFoundError(f"there is no {{name}} here", name=name)

sys.meta_path.insert(0, Absent())
from windrow_bench.catalogue import CATALOGUE
print(len(CATALOGUE))
"""

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{len(CATALOGUE)}\n"


def test_experiments_come_in_the_order_of_the_catalogue():
    last, first = CATALOGUE[-1].name, CATALOGUE[0].name

    assert find([last, first]) == [CATALOGUE[0], CATALOGUE[-1]]


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(BadInput, match="did you mean slickdeque-1a"):
        find(["slickdeqe-1a"])
