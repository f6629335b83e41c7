"""A small real cluster: two executor processes, whose caches are empty."""

from __future__ import annotations

from pathlib import Path

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


@pytest.mark.cluster
@pytest.mark.deep  # minutes: a cluster is started, and loses two workers
def test_a_shipped_environment_serves_a_cluster_that_loses_workers(spark_environment):
    example = Path(__file__).parents[2] / "examples" / "cluster" / "standalone.py"

    report = run_script(str(example), spark_environment, seconds=900)

    assert report == [
        "ok Windrow comes from the archive alone",
        "ok Windows of a batch",
        "ok Rolling columns",
        "ok Windows of a batch whose worker is killed",
        "ok A stream whose worker is killed",
    ]
