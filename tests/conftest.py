"""Shared by all tests: import path, hypothesis profiles, lanes, the Spark session.

    WINDROW_TEST_PROFILE=deep pytest tests      many more examples, drawn at random

A property that fails prints its own blob (`@reproduce_failure(...)`), so that the
same example can be run again anywhere.

With `--dist loadgroup`, tests are handed to processes in groups, in this order:

    compiled     files that use the same machine code: none is made twice
    a file       two: a first run makes an archive of Spark's classes (`jvms.py`)
    streaming    what asks for `spark` and runs streams, and the command line
    spark        all else that asks for `spark`
    a file       each other one, those with a Spark of their own first

so that a run starts two sessions, whatever the number of processes: classic ones, on
two threads.  Tests must leave a session's settings as they found them (`settings_of`).

What the processor does in a run is to compile, to start JVMs, and to run tiny jobs.
So machine code is made for a covering of shapes: each algorithm once, each aggregate
once, each way to give bounds once; columns and plain Python, which cost no compiler,
answer for the whole matrix, and the deep run compiles all of it.  A product that a
test of machine code is free to choose is `max` of one column of floats.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
import time
from collections import Counter
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

import jvms  # noqa: E402 - found once tests/ is on the path

# Most tests need no compiler: those of compiled kernels ask for them by name.
os.environ.setdefault("WINDROW_COMPILE", "never")
# Bytecode is kept, for the processes that tests start: 0.3 s to import, not 1.1 s.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

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
settings.register_profile("faults", max_examples=8, **_COMMON)
settings.register_profile("deep", max_examples=100, **_COMMON)
# For the change at hand, and against mutants: no Spark; quick stops after 40 seconds.
settings.register_profile("quick", max_examples=3, derandomize=True, **_COMMON)
settings.register_profile("mutants", max_examples=8, derandomize=True, **_COMMON)
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


def pytest_configure(config: pytest.Config) -> None:
    """Set up all JVMs, once; processes that run tests have it from the first one."""
    if not hasattr(config, "workerinput"):
        jvms.prepare(archive=bool(config.getoption("numprocesses", None)))


# --- in which process, and in which order ---------------------------------------


# They share machine code.
COMPILED_FILES = (
    "agreement/test_algorithms.py",
    "agreement/test_aggregate.py",
    "agreement/test_time_windows.py",
    "algorithms/test_cards.py",
    "algorithms/test_sba_stride.py",
    "algorithms/test_stacks_and_deques.py",
    "algorithms/test_trees_and_scans.py",
    "datasets/test_real_samples.py",
    "kernels/test_tallies.py",
    "operator/test_compiled.py",
    "operator/test_feed.py",
    "operator/test_lanes.py",
)
# Half a minute each: in a first run Spark's classes are being archived.
FIRST_FILES = ("operator/test_machine.py", "graph/test_lanes.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Groups as tests name them, else files, in the order of collection."""
    from xdist.scheduler import LoadGroupScheduling  # noqa: PLC0415 - may be absent

    class ByFile(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return super()._split_scope(nodeid).partition("::")[0]

    config.option.loadscopereorder = False  # by number of tests, that is
    return ByFile(config, log) if config.option.dist == "loadgroup" else None


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """What needs a session goes to the process that has it: batches, and streams."""
    shallow = pytest.mark.skip(reason="deep: runs with make test-deep")
    unharmed = pytest.mark.skip(reason="faults: runs with make test-faults")
    is_worker = hasattr(config, "workerinput")
    for item in items:
        asks = "spark" in _fixtures(item)
        if item.get_closest_marker("deep") and PROFILE != "deep":
            item.add_marker(shallow)
        if PROFILE in ("quick", "mutants") and "spark_environment" in _fixtures(item):
            item.add_marker(pytest.mark.skip(reason="needs Spark: runs with make test"))
        if item.get_closest_marker("faults") and PROFILE != "faults":
            item.add_marker(unharmed)
        if asks:
            streams = {"streaming", "cli"} & set(item.path.parts)
            group = "streaming" if streams else "spark"
            item.add_marker(pytest.mark.xdist_group(group))
        elif _is_one_of(COMPILED_FILES, item):
            item.add_marker(pytest.mark.xdist_group("compiled"))
        if is_worker and item.get_closest_marker("xdist_group"):
            _name_group(item)
    items.sort(key=_turn)
    gc.collect()
    gc.freeze()  # a million objects stay to the end: `gc.collect` need not look at them
    atexit.register(gc.unfreeze)


def _worked() -> float:
    """Seconds that all processors have worked since the machine started; 0: unknown."""
    path = Path("/proc/stat")
    if not path.exists():
        return 0.0
    user, nice, system, _, _, *rest = map(int, path.read_text().split()[1:9])
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")


_BEGUN, _WORKED = time.monotonic(), _worked()


def pytest_runtest_logfinish(nodeid: str, location: object) -> None:
    """End a quick run in time."""
    if PROFILE == "quick" and time.monotonic() - _BEGUN > 40:
        pytest.exit(f"40 seconds are over; the last test was {nodeid}", returncode=0)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How busy the machine was; of `make test-faults`, what was killed, and the seeds.

    A run is as short as it can be on this machine where its processors are all busy.
    """
    took, worked = time.monotonic() - _BEGUN, _worked() - _WORKED
    share = worked / took / (os.cpu_count() or 1)
    line = (
        f"processors worked {worked:.0f} s, {share:.0%} of the {took:.0f} s of the run"
    )
    terminalreporter.write_line(line)
    reports = [
        r for kind in ("passed", "failed") for r in terminalreporter.getreports(kind)
    ]
    total: Counter[str] = Counter()
    for report in reports:
        told = dict(report.user_properties)
        if "kills" in told and report.when == "call":
            total.update(told["kills"])
            line = f"seed {told['seed']}: {told['kills']} {report.nodeid}"
            terminalreporter.write_line(line)
    if total:
        terminalreporter.write_line(f"{total.total()} kills: {dict(total)}")


def _fixtures(item: pytest.Item) -> Sequence[str]:
    return getattr(item, "fixturenames", ())


def _turn(item: pytest.Item) -> int:
    """When a test's group is handed out."""
    asked = _fixtures(item)
    if "spark" in asked:
        return 2 if {"streaming", "cli"} & set(item.path.parts) else 3
    if "spark_environment" in asked:
        return 4
    if _is_one_of(COMPILED_FILES, item):
        return 0
    return 1 if _is_one_of(FIRST_FILES, item) else 5


def _is_one_of(files: Sequence[str], item: pytest.Item) -> bool:
    return item.path.as_posix().endswith(tuple(f"/{one}" for one in files))


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


# --- Spark ----------------------------------------------------------------------


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
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={scratch}",
        "spark.local.dir": str(scratch / "local"),
        # a busy machine may take longer than 15 s to let a new worker in
        "spark.python.authenticate.socketTimeout": "120s",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.streaming.checkpointFileManagerClass": jvms.plain_files(),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }


@pytest.fixture(scope="session")
def spark(
    spark_environment: dict[str, str], spark_settings: dict[str, str]
) -> Iterator[SparkSession]:
    """The session of the run: classic, local[2], started by the first who asks."""
    pytest.importorskip("pyspark", reason="the oldest and newest libraries have none")
    from pyspark.sql import DataFrame, SparkSession  # noqa: PLC0415 - often not needed

    import old_spark  # noqa: PLC0415 - found once tests/ is on the path

    with pytest.MonkeyPatch.context() as patch:
        if not hasattr(DataFrame, "toArrow"):
            old_spark.lend(patch, Path(spark_settings["spark.local.dir"]).parent)
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
