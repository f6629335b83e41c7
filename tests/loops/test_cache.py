"""Kernels as files: named by content, owned by the user, never trusted blindly."""

import os
import stat
import subprocess
import sys

import pytest

from windrow.loops import cache_folder, load

TEXT = '''"""A kernel."""


@njit(cache=CACHE)
def run(x):
    return x + 1
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path / "kernels"))
    load._on_disk.cache_clear()
    yield tmp_path / "kernels"
    load._on_disk.cache_clear()


def test_the_folder_belongs_to_the_user_alone(folder):
    made = cache_folder()

    assert made == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_kernel_is_a_file_named_by_its_content(folder):
    module = load.kernel(TEXT)

    assert module.run(1) == 2
    (file,) = folder.glob("kernel_*.py")
    assert TEXT in file.read_text()


def test_another_way_to_reach_memory_makes_another_file(folder, monkeypatch):
    load.kernel(TEXT)
    other = load._COMPILED.replace("# memory ", "# memory of another day ")
    monkeypatch.setattr(load, "_COMPILED", other)
    load._on_disk.cache_clear()

    module = load.kernel(TEXT)

    assert module.run(1) == 2
    assert len(list(folder.glob("kernel_*.py"))) == 2


def test_a_file_whose_content_was_changed_is_not_imported(folder):
    load.kernel(TEXT)
    (file,) = folder.glob("kernel_*.py")
    file.write_text(file.read_text().replace("x + 1", "x + 666"))
    load._on_disk.cache_clear()

    module = load.kernel(TEXT)

    assert module.run(1) == 2
    assert "666" not in file.read_text()


def test_a_folder_that_others_may_write_is_not_used(folder):
    folder.mkdir()
    folder.chmod(0o777)

    module = load.kernel(TEXT)

    assert cache_folder() is None
    assert module.run(1) == 2
    assert not list(folder.iterdir())


def test_without_any_folder_kernels_are_compiled_in_memory(tmp_path, monkeypatch):
    file = tmp_path / "not-a-folder"
    file.write_text("")
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(file / "kernels"))
    load._on_disk.cache_clear()

    assert cache_folder() is None
    assert load.kernel(TEXT).run(1) == 2


def test_numba_without_a_place_for_machine_code_falls_back(folder, monkeypatch):
    def refuse(path):
        raise OSError("no locator available")

    monkeypatch.setattr(load, "_import", refuse)

    assert load.kernel(TEXT).run(1) == 2


def test_a_second_process_loads_what_the_first_compiled(folder):
    script = (
        "import windrow as wr, numpy as np, numba;"
        "print(wr.slide(np.arange(9.0), wr.rows(4), 'max').tolist());"
        "from windrow.algorithms import *;"
        "from windrow.kernels import *;"
        "from windrow.aggregates import find as agg;"
        "p = product_of([Request(agg('max'), 'float', (0,))]);"
        "m = compile_kernel(find('recompute'), p, Shape('rows', 'regular'));"
        "s = m.run.stats;"
        "print(sum(s.cache_hits.values()), sum(s.cache_misses.values()))"
    )
    environment = {
        **os.environ,
        "WINDROW_CACHE_DIR": str(folder),
        "WINDROW_COMPILE": "always",
    }

    runs = [
        subprocess.run(
            [sys.executable, "-c", script],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for _ in range(2)
    ]

    assert runs[0] == ["[3.0, 4.0, 5.0, 6.0, 7.0, 8.0]", "0 1"]
    assert runs[1] == ["[3.0, 4.0, 5.0, 6.0, 7.0, 8.0]", "1 0"]


def test_interpreted_kernels_need_no_numba():
    with load.interpreting():
        module = load.kernel(TEXT)

    assert module.run(1) == 2
    assert not hasattr(module.run, "py_func")
