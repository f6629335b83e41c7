"""What a Spark before 4.0 is told; nothing here starts one."""

from types import SimpleNamespace

import pytest
from pyspark.sql import udtf

import windrow as wr
from windrow.spark import entry


def test_a_stream_of_a_spark_without_state_in_python_is_refused(monkeypatch):
    monkeypatch.setattr(entry.pyspark, "__version__", "3.5.9")
    monkeypatch.setattr(entry.importlib.util, "find_spec", lambda _: None)

    with pytest.raises(wr.BadInput) as caught:
        entry._streams()

    fact, _, hint = str(caught.value).partition("\nHint: ")
    assert "cannot run a query on a stream of Spark 3.5.9" in fact
    assert "transformWithStateInPandas, which Spark has from 4.0 on" in fact
    assert hint.startswith("use Spark 4.0 or later")


def test_table_functions_of_a_spark_without_analysis_are_refused(monkeypatch):
    monkeypatch.delattr(udtf, "SelectedColumn", raising=False)
    session = SimpleNamespace(version="3.5.9", sql=None)

    with pytest.raises(wr.BadInput) as caught:
        wr.register(session)

    fact, _, hint = str(caught.value).partition("\nHint: ")
    assert "cannot register table functions with Spark 3.5.9" in fact
    assert hint.startswith("use Spark 4.0 or later, or wr.aggregate(spark.table(")
