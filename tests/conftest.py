"""Shared by all tests: import path, hypothesis profiles, lanes, the Spark session.

    WINDROW_TEST_PROFILE=deep pytest tests      many more examples, drawn at random

A property that fails prints its own blob (`@reproduce_failure(...)`), so that the
same example can be run again anywhere.

A test that asks for `spark` shares one classic session on two threads with others:
those of streams stand in one group for pytest-xdist (`--dist loadgroup`), those of the
command line in another and all others in a third, so that a run starts three JVMs,
whatever the number of processes.
Tests must leave the session's settings as they found them: see `settings_of`.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TESTS = Path(__file__).parent
sys.path.insert(0, str(TESTS))
# Most tests need no compiler: those of compiled kernels ask for them by name.
os.environ.setdefault("WINDROW_COMPILE", "never")
os.environ.setdefault("SPARK_CONF_DIR", str(TESTS / "spark" / "conf"))  # all JVMs here

# The first call of a kernel compiles it, and the interpreted lane is slow on
# purpose: neither says anything about the property, so nothing is timed.
_COMMON = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
# The short run draws the same examples every time: a change that is judged by it is
# not refused for what was there before.  The deep run draws others each time.
settings.register_profile("default", max_examples=8, derandomize=True, **_COMMON)
settings.register_profile("deep", max_examples=400, **_COMMON)
PROFILE = os.environ.get("WINDROW_TEST_PROFILE", "default")
settings.load_profile(PROFILE)


@pytest.fixture
def compiled_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile every kernel before its first call."""
    monkeypatch.setenv("WINDROW_COMPILE", "always")


@pytest.fixture
def auto_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the lane to each kernel, as it is for users."""
    monkeypatch.setenv("WINDROW_COMPILE", "auto")


# --- Spark ----------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """What needs a session goes to the process that has it: batches, and streams.

    The long chains begin first: those two, then tests with a Spark of their own.
    """
    shallow = pytest.mark.skip(reason="deep: runs with make test-deep")
    is_worker = hasattr(config, "workerinput")
    for item in items:
        asks = "spark" in _fixtures(item)
        if asks and item.path.name == "test_benchmarks.py":  # whole experiments
            item.add_marker(pytest.mark.deep)
        if item.get_closest_marker("deep") and PROFILE != "deep":
            item.add_marker(shallow)
        if asks:
            parts = item.path.parts
            named = [name for name in ("streaming", "cli") if name in parts]
            item.add_marker(pytest.mark.xdist_group(*named or ["spark"]))
        if is_worker and item.get_closest_marker("xdist_group"):
            _name_group(item)
    items.sort(key=_turn)


def _fixtures(item: pytest.Item) -> Sequence[str]:
    return getattr(item, "fixturenames", ())


def _turn(item: pytest.Item) -> int:
    asked = _fixtures(item)
    return 0 if "spark" in asked else 1 if "spark_environment" in asked else 2


def _name_group(item: pytest.Item) -> None:
    """Put the group at the end of the test's id, where the scheduler looks for it.

    pytest-xdist 3.8 writes it to `_nodeid`, which pytest 9.2 no longer reads, so that
    groups are silently torn apart: https://github.com/pytest-dev/pytest-xdist/issues/1386
    """
    group = next(item.iter_markers("xdist_group")).args[0]
    identity: Any = getattr(item, "_id", None)
    if identity is not None:
        item._id = type(identity).parse(f"{item.nodeid}@{group}")
        assert item.nodeid.endswith(f"@{group}")


@pytest.fixture(scope="session")
def spark_environment() -> dict[str, str]:
    """What a Spark of its own needs to find this Python and this source tree."""
    folders = [TESTS.parent / "src", TESTS, TESTS / "spark", TESTS.parent]
    found = [str(folder) for folder in folders]
    found += [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    return {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(found),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@pytest.fixture(scope="session")
def spark_settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Small, quiet, on this machine only, and nothing left in the working folder."""
    scratch = tmp_path_factory.mktemp("spark")
    return {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        # short jobs, each run once: what a better compiler saves it does not earn
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
        f"-Dderby.system.home={scratch}",
        "spark.local.dir": str(scratch / "local"),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }


@pytest.fixture(scope="session")
def spark(
    spark_environment: dict[str, str], spark_settings: dict[str, str]
) -> Iterator[SparkSession]:
    """The session of the run: classic, local[2], started by the first who asks."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - most runs need no Spark

    with pytest.MonkeyPatch.context() as patch:
        for name, value in spark_environment.items():
            patch.setenv(name, value)
        builder = SparkSession.builder.master("local[2]").appName("windrow tests")
        for name, value in spark_settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


@pytest.fixture
def settings_of(
    spark: SparkSession,
) -> Callable[[dict[str, Any]], AbstractContextManager[None]]:
    """Settings of the session for the length of a `with`, then as they were."""

    @contextlib.contextmanager
    def changed(values: dict[str, Any]) -> Iterator[None]:
        before = {name: spark.conf.get(name, None) for name in values}
        for name, value in values.items():
            spark.conf.set(name, str(value))
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    spark.conf.unset(name)
                else:
                    spark.conf.set(name, value)

    return changed
