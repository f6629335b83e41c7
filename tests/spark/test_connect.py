"""Connect sessions get the answers of classic ones: nothing reaches for the JVM."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scripts import run_script

import windrow

SOURCES = Path(windrow.__file__).parent


@pytest.mark.xdist_group("connect")  # two servers would ask for one port
def test_a_connect_session_gives_the_answers_of_the_engine(spark_environment):
    report = run_script("on_connect.py", spark_environment)

    assert [line for line in report if not line.startswith("ok ")] == []
    assert len(report) == 12


def test_the_library_never_reaches_for_the_jvm():
    reaching = re.compile(r"\b_(jdf|jvm|jsc|sc|jc)\b|\bsparkContext\b|\.rdd\b")
    files = [path for path in SOURCES.rglob("*.py") if "cli" not in path.parts]

    found = [
        f"{path.relative_to(SOURCES)}: {line.strip()}"
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if reaching.search(line)
    ]

    assert len(files) > 60
    assert found == []
