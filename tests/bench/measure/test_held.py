"""One session is held for all who ask for the same number of cores."""

import pytest
from pyspark.errors import PySparkRuntimeError

from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.spark import held


class Session:
    def __init__(self, cores):
        self.cores = cores
        self.stopped = 0

    def stop(self):
        self.stopped += 1


@pytest.fixture
def started(monkeypatch):
    """Sessions that are started, in order; none of them is a real one."""
    sessions = []

    def start(cores):
        sessions.append(Session(cores))
        return sessions[-1]

    monkeypatch.setattr(held, "_started", start)
    monkeypatch.setattr(held, "_HELD", held._SessionHolder())
    return sessions


def test_who_asks_for_the_same_cores_gets_the_same_session(started):
    once, again = held.on(2), held.on(2)

    assert once is again
    assert [(one.cores, one.stopped) for one in started] == [(2, 0)]


def test_another_number_of_cores_stops_the_session_before_a_new_one_starts(started):
    held.on(2)

    found = held.on(1)

    assert found.cores == 1
    assert [(one.cores, one.stopped) for one in started] == [(2, 1), (1, 0)]


def test_without_a_number_all_cores_are_used(started, monkeypatch):
    monkeypatch.setattr(held, "usable_cores", lambda: 7)

    assert held.on().cores == 7


def test_a_session_that_was_stopped_is_not_stopped_again(started):
    held.on(2)
    held._HELD.stop()
    held._HELD.stop()

    assert [one.stopped for one in started] == [1]


def test_where_spark_does_not_start_the_trial_fails_with_the_reason(monkeypatch):
    class Builder:
        def master(self, _):
            return self

        appName = config = lambda self, *_, **__: self  # noqa: N815 - Spark's name

        def getOrCreate(self):  # noqa: N802 - Spark's name
            raise PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED")

    class Sessions:
        builder = Builder()

    monkeypatch.setattr(held, "SparkSession", Sessions)

    with pytest.raises(WrongAnswer, match=r"Spark does not start: .*windrow doctor"):
        held._started(2)
