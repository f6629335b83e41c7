"""A small real cluster: two executor processes, whose caches are empty."""

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


@pytest.mark.cluster
@pytest.mark.deep  # a minute: processes start, and a few kernels are compiled
def test_executors_compile_nothing_with_and_without_the_kernels_of_the_driver(
    spark_environment,
):
    report = run_script("on_cold_cluster.py", spark_environment)

    assert report == [
        "ok cold",
        "ok no numba",
        "ok another processor",
        "ok warm",
        "ok numba",
    ]
