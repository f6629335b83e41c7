"""Each fixture says what its text means: the tree, and the plan over its streams.

    -- title
    query
    -- tree ...
    -- plan ...

The file is a text of its own: `windrow run` takes it as it is.  Queries of LightSaber
are those of `windrow bench`.  After a change that is meant, WINDROW_WRITE_FIXTURES=1
writes queries, trees and plans anew; read the difference.
"""

import os
import re

import pytest
import workloads

import windrow as wr

pytestmark = pytest.mark.usefixtures("auto_lane")
NAMES = sorted(path.stem for path in workloads.FIXTURES.glob("*.cql"))
SIGNED = re.compile(r"\n-- tree\n(?:--.*\n)*\Z")


def explained(name):
    text = workloads.text_of(name)
    words = str(wr.explain_cql(text, **workloads.WORK[name].streams()))
    return "".join(f"-- {line}".rstrip() + "\n" for line in words.splitlines())


def test_every_fixture_has_a_workload_and_every_workload_a_fixture():
    assert sorted(workloads.WORK) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_tree_and_plan_are_those_in_the_fixture(name):
    query = workloads.WORK[name].text
    if os.environ.get("WINDROW_WRITE_FIXTURES"):
        write(name, query)
    text = workloads.text_of(name)

    actual = explained(name)

    assert text.startswith("-- ")
    assert text.endswith(f"{query or ';'}\n\n{actual}")


def write(name, query):
    """The title, the query (another, where it stands elsewhere), and what it means."""
    file = workloads.FIXTURES / f"{name}.cql"
    body = SIGNED.sub("\n", workloads.text_of(name)).rstrip("\n")
    if query:
        body = f"{body.partition(chr(10))[0]}\n\n{query}"
        file.write_text(body, "utf-8")
    file.write_text(f"{body}\n\n{explained(name)}", "utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_queries_of_a_fixture_are_one_pass(name):
    actual = explained(name).partition("-- plan")[2]

    assert "pass 1 for" in actual
    assert "pass 2 for" not in actual
