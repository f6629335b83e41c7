"""A small real cluster: two executor processes, one of which dies under way."""

from __future__ import annotations

import pytest
from scripts import run_script


@pytest.mark.cluster
@pytest.mark.deep  # a minute: processes start, one is killed, its work is redone
def test_answers_survive_the_death_of_an_executor_without_a_home(spark_environment):
    report = run_script("on_cluster.py", spark_environment)

    assert report == [
        "ok two executors",
        "ok no writable folder",
        "ok by key",
        "ok no key",
        "ok own",
        "ok one executor killed",
        "ok the killing happened in the middle",
    ]
