"""What old Sparks and old packages are told; nothing here starts Spark."""

import importlib.metadata
import sys
from types import SimpleNamespace

import pyarrow as pa
import pytest
from pyspark.sql import udtf

import windrow as wr
from windrow import _back_ends
from windrow.spark import entry, worker


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


@pytest.mark.parametrize(
    ("package", "version", "found", "mend"),
    [
        ("pandas", "2.1.4", "is 2.1.4, and 2.2 or later", "'pandas>=2.2,<3'"),
        ("pandas", None, "is not installed, and 2.2 or later", "'pandas>=2.2,<3'"),
        ("pyarrow", "17.0.0", "is 17.0.0, and 18 or later", "'pyarrow>=18'"),
    ],
)
def test_the_first_call_names_a_package_that_is_too_old(
    monkeypatch, package, version, found, mend
):
    def installed(name):
        if name == package and version is None:
            raise importlib.metadata.PackageNotFoundError
        return version if name == package else "99.0"

    monkeypatch.setattr(importlib.metadata, "version", installed)
    monkeypatch.setattr(
        _back_ends, "_check_packages", _back_ends._check_packages.__wrapped__
    )

    with pytest.raises(wr.BadInput) as caught:
        wr.register(SimpleNamespace(version="4.3.0", sql=None))

    fact, _, hint = str(caught.value).partition("\nHint: ")
    assert fact == f"cannot run a query on Spark: {package} {found} is needed"
    assert hint == f"run {sys.executable} -m pip install {mend}"


def test_workers_with_an_old_arrow_say_so_and_which_python_it_is(monkeypatch):
    monkeypatch.setattr(pa, "__version__", "17.0.0")

    with pytest.raises(wr.BadInput) as caught:
        list(worker.run(b"", wr.__version__, []))

    fact, _, hint = str(caught.value).partition("\nHint: ")
    assert "Spark's Python workers: they have pyarrow 17.0.0, not 18 or later" in fact
    assert hint == f"run {sys.executable} -m pip install 'pyarrow>=18' there"
