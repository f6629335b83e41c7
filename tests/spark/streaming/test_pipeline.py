"""The example of a declarative pipeline, run as `spark-pipelines run` runs it."""

from __future__ import annotations

import datetime as dt
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import windrow as wr

EXAMPLE = Path(__file__).parents[3] / "examples" / "pipeline"
BEGIN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
TABLE = pa.table(
    {
        "at": pa.array(
            [BEGIN + dt.timedelta(seconds=41 * i) for i in range(60)],
            pa.timestamp("us", "UTC"),
        ),
        "card": [*"ab"] * 30,
        "amount": range(60),
    }
)


@pytest.mark.deep  # half a minute: a Spark of its own
@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("pyspark.pipelines", "yaml"))),
    reason="Spark has pipelines from 4.1 on, and reads their settings by PyYAML",
)
def test_a_table_of_a_pipeline_holds_the_windows_of_a_stream(
    tmp_path, spark_environment
):
    project, source = tmp_path / "project", tmp_path / "payments"
    shutil.copytree(EXAMPLE, project)
    source.mkdir()
    settings = project / "spark-pipeline.yml"
    text = settings.read_text("utf-8").replace("/tmp/windrow-pipeline", f"{tmp_path}/s")
    settings.write_text(text.replace("payments: payments", f"payments: {source}"))
    lines = [
        json.dumps(row, default=dt.datetime.isoformat) for row in TABLE.to_pylist()
    ]
    (source / "first.json").write_text("\n".join(lines))

    ran = subprocess.run(
        [sys.executable, "-m", "pyspark.pipelines.cli", "run"],
        cwd=project,
        env=spark_environment | {"SPARK_REMOTE": "local[2]"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-4000:]
    warehouse = project / "spark-warehouse"
    assert pq.read_table(warehouse / "payments").num_rows == 60
    window = wr.sliding("10 minutes", every="1 minute", on="at")
    calls = {"total": wr.sum("amount"), "most": wr.max("amount")}
    expected = wr.aggregate(TABLE, window, by="card", **calls)
    last = TABLE["at"].to_pylist()[-1]
    complete = [row for row in expected.to_pylist() if row["window"]["end"] <= last]
    # Spark writes timestamps as Parquet's old INT96, which have no time zone
    spend = pq.read_table(warehouse / "spend", coerce_int96_timestamp_unit="us")
    actual = spend.cast(expected.schema).to_pylist()
    assert sorted(map(repr, actual)) == sorted(map(repr, complete))
