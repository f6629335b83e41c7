"""Checkpoints that an older version wrote: read, and gone on from.

    tables     0       1     |     2       3      the last two are new to it
    windows    given by then |     given now: exactly those that are left

What a micro-batch closes comes out with the next one, which knows the watermark.
"""

from __future__ import annotations

from zipfile import ZipFile

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from answers import assert_same_rows, frozen
from kept_checkpoint import KEPT, LATE_BY, QUERIES, TABLES, answer, go_on, taken_out
from micro_batches import closed

from windrow.loops import interpreting

NAMED_BY = {
    "time windows": ["key", "query", "window"],
    "count windows": ["key", "window"],
    "rolling columns": ["key", "at"],
}


@pytest.mark.parametrize(
    "query",
    [
        "time windows",
        "rolling columns",
        pytest.param("count windows", marks=pytest.mark.deep),  # kept by row as well
    ],
)
def test_a_query_goes_on_from_a_checkpoint_that_was_kept(streaming, tmp_path, query):
    checkpoint = taken_out(query, tmp_path / "checkpoint")

    ran = go_on(streaming, query, checkpoint, until=4)

    then = pc.max(TABLES[0]["at"]).as_py() - LATE_BY
    before = answered(query, then, TABLES[:2])
    after = answered(query, ran.watermark, TABLES)
    assert len(after) > len(before) > 0
    named_by = NAMED_BY[query]
    given = {name_of(row, named_by) for row in before}
    left = [row for row in after if name_of(row, named_by) not in given]
    assert_same_rows(ran.rows, left, named_by=named_by)


def answered(query, watermark, tables):
    """The batch answer, as far as a stream has given it by then."""
    table = pa.concat_tables(tables)
    with interpreting():
        if query == "time windows":
            return closed(answer(table, query), watermark)
        settled = table.filter(pc.less(table["at"], watermark))
        return answer(settled, query).to_pylist()


def name_of(row, columns):
    return tuple(frozen(row[column]) for column in columns)


def test_no_path_of_the_machine_that_wrote_it_is_kept():
    files = {path: path.read_bytes() for path in KEPT.rglob("*") if path.is_file()}
    zipped = {path: ZipFile(path) for path in files if path.suffix == ".zip"}
    contents = [*files.values()]
    contents += [one.read(name) for one in zipped.values() for name in one.namelist()]

    places = (b"/tmp", b"/home", b"/root", b"/work", b"/var", b"/Users", b"file:/")
    found = [one for content in contents for one in places if one in content]

    assert len(zipped) >= len(QUERIES)
    assert found == []
    assert sum(map(len, files.values())) < 150_000
