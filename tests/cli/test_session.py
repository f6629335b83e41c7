"""How a session is started and stopped; a stand-in takes the place of pyspark."""

import os
import sys
from types import SimpleNamespace

import pytest

from windrow.cli import _session
from windrow.cli._progress import _count
from windrow.cli._session import load_pyspark, session
from windrow.errors import WindrowError


class StandIn:
    """A builder and its session, which note what is done to them."""

    def __init__(self, said="", error=None):
        self.notes = {}
        self.said, self.error = said, error

    def appName(self, name):  # noqa: N802 - pyspark's own name
        return self

    def config(self, name, value):
        self.notes[name] = value
        return self

    def master(self, master):
        self.notes["master"] = master
        return self

    def remote(self, address):
        self.notes["remote"] = address
        return self

    def getOrCreate(self):  # noqa: N802 - the same
        self.notes["python"] = os.environ.get("PYSPARK_PYTHON")
        os.write(2, self.said.encode())
        if self.error is not None:
            raise self.error
        self.sparkContext = SimpleNamespace(setLogLevel=self.notes.setdefault)
        return self

    def stop(self):
        self.notes["stopped"] = True


@pytest.fixture
def pyspark(monkeypatch):
    """Put a stand-in where sessions come from."""
    monkeypatch.setenv("PYSPARK_PYTHON", "python9")
    monkeypatch.setattr(_session, "find_java", lambda: None)

    def use(builder, running=None):
        found = SimpleNamespace(builder=builder, getActiveSession=lambda: running)
        sql = SimpleNamespace(SparkSession=found)
        monkeypatch.setattr(_session, "load_pyspark", lambda: sql)
        return builder.notes

    return use


def test_workers_run_on_this_python_and_the_session_is_stopped(pyspark):
    notes = pyspark(StandIn())

    with session("local[2]", "cannot run it", settings={"spark.driver.memory": "3g"}):
        stopped = notes.get("stopped", False)

    assert notes["python"] == sys.executable
    assert (notes["master"], notes["spark.driver.memory"]) == ("local[2]", "3g")
    assert (stopped, notes["stopped"]) == (False, True)


@pytest.mark.parametrize(
    "said", [{}, {"spark.sql.parquet.outputTimestampType": "INT96"}]
)
def test_files_keep_the_zone_of_instants_unless_a_user_says_otherwise(pyspark, said):
    notes = pyspark(StandIn())

    with session("local[2]", "cannot run it", settings=said):
        pass

    kind = next(iter(said.values()), "TIMESTAMP_MICROS")
    assert notes["spark.sql.parquet.outputTimestampType"] == kind


def test_on_a_cluster_the_users_python_is_kept(pyspark):
    notes = pyspark(StandIn())

    with session("spark://host:7077", "cannot run it"):
        pass

    assert notes["python"] == "python9"


def test_a_connect_server_needs_no_java(pyspark, monkeypatch):
    notes = pyspark(StandIn())
    monkeypatch.setattr(_session, "find_java", lambda: pytest.fail("asked for Java"))

    with session("sc://host", "cannot run it"):
        pass

    assert notes["remote"] == "sc://host"


def test_a_session_that_runs_already_is_used_and_left_running(pyspark):
    running = StandIn()
    notes = pyspark(StandIn(), running)

    with session("local[2]", "cannot run it") as spark:
        pass

    assert spark is running
    assert notes == running.notes == {}


@pytest.mark.parametrize(
    "said",
    [
        "WARNING: incubating\nError: no such master.\n\tat java.lang\n",
        'Exception in thread "main" org.apache.spark.SparkException: no such master\n',
        "26/01/01 10:00:00 ERROR SparkContext: O\njava.io.IOException: no such master",
        "no such master\nError: Could not create the Java Virtual Machine.\n",
    ],
)
def test_a_failed_start_is_told_in_the_words_of_the_jvm(pyspark, capfd, said):
    pyspark(StandIn(said, RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway exited")))

    with pytest.raises(WindrowError) as caught, session("local[2]", "cannot run it"):
        pass

    first, second = str(caught.value).splitlines()
    assert first == "cannot start Spark on local[2]: no such master"
    assert second == "Hint: run windrow doctor; --verbose shows all that Spark says"
    assert capfd.readouterr().err == ""


def test_verbose_leaves_the_jvms_words_on_the_screen(pyspark, capfd):
    pyspark(StandIn("many words\n"))

    with session("local[2]", "cannot run it", verbose=True):
        pass

    assert capfd.readouterr().err == "many words\n"


@pytest.mark.parametrize(
    ("version", "cause"),
    [
        ("3.4.9", "pyspark is 3.4.9, and 3.5 or later is needed"),
        (None, "cannot be imp"),
    ],
)
def test_a_pyspark_that_cannot_serve_is_told_with_the_command(
    monkeypatch, version, cause
):
    def load(name):
        if version is None:
            raise ModuleNotFoundError(f"No module named {name!r}")
        return SimpleNamespace(__version__=version)

    monkeypatch.setattr(_session.importlib, "import_module", load)

    with pytest.raises(WindrowError, match=cause) as caught:
        load_pyspark()

    assert f"Hint: run {sys.executable} -m pip install '" in str(caught.value)


def test_progress_counts_the_tasks_of_new_jobs_only():
    stages = {
        0: SimpleNamespace(numTasks=99, numCompletedTasks=99),
        1: SimpleNamespace(numTasks=4, numCompletedTasks=4),
        2: SimpleNamespace(numTasks=8, numCompletedTasks=3),
        3: None,  # not submitted yet
    }
    jobs = {
        7: SimpleNamespace(stageIds=[0]),
        8: SimpleNamespace(stageIds=[1, 2, 3]),
        9: None,
    }
    tracker = SimpleNamespace(
        getJobIdsForGroup=lambda _: list(jobs),
        getJobInfo=jobs.get,
        getStageInfo=stages.get,
    )

    actual = _count(tracker, before={7})

    assert actual == (7, 12)
