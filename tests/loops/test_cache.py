"""Kernels as files: named by content, owned by the user, never trusted blindly.

Whatever is wrong with the folder, the answer is right, and one warning says what it is.
"""

import errno
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import windrow as wr
from windrow.loops import Lane, Laned, cache, cache_folder, load, machine

TEXT = '''"""A kernel."""


@njit(nogil=True)
def run(x):
    return x + 1
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.setattr(cache, "_complaints", set())
    monkeypatch.setattr(cache, "_received", {})
    load._cached.cache_clear()
    yield tmp_path / "kernels"
    load._cached.cache_clear()


def _loop():
    """The kernel as a loop in two lanes, as a process sees it that knows nothing."""
    load._cached.cache_clear()
    name = cache.kernel_name(load.compiled_content(TEXT))
    return Laned(
        lambda: load.kernel(TEXT).run, lambda: lambda x: x + 1, lambda: f"{name}.run"
    )


def _compiled(folder):
    """The folder with the kernel's machine code for an int; its file."""
    _loop().compile((1,))
    (file,) = folder.glob("*.code")
    return file


def test_the_folder_belongs_to_the_user_alone(folder):
    made = cache_folder()

    assert made == str(folder)
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
    load._cached.cache_clear()

    module = load.kernel(TEXT)

    assert module.run(1) == 2
    assert len(list(folder.glob("kernel_*.py"))) == 2


def test_a_source_that_was_changed_is_not_run(folder):
    load.kernel(TEXT)
    (file,) = folder.glob("kernel_*.py")
    file.write_text(file.read_text().replace("x + 1", "x + 666"))
    load._cached.cache_clear()

    module = load.kernel(TEXT)

    assert module.run(1) == 2
    assert "666" not in file.read_text()


def test_machine_code_is_loaded_whatever_the_times_of_its_files(folder, tmp_path):
    file = _compiled(folder)
    copy = tmp_path / "image"
    shutil.copytree(folder, copy)
    for path in copy.iterdir():
        os.utime(path, (0, 0))
    shutil.rmtree(folder)
    copy.rename(folder)

    loop = _loop()

    assert loop.load((1,))
    assert list(loop.code((1,))) == [file.name]
    assert loop._machine()(1) == 2
    assert not loop._machine().stats.cache_misses


def test_machine_code_for_other_types_is_other_machine_code(folder):
    _compiled(folder)

    assert not _loop().load((1.0,))


def test_machine_code_from_a_driver_needs_no_folder(folder):
    code = {file.name: file.read_bytes() for file in [_compiled(folder)]}
    shutil.rmtree(folder)
    assert not _loop().load((1,))

    cache.receive(code)

    loop = _loop()
    assert loop.load((1,))
    assert loop._machine()(1) == 2


# --- folders and files that cannot be used ------------------------------------------


def _rewrite(file, change):
    magic, head, payload = file.read_bytes().split(b"\n", 2)
    facts = json.loads(head)
    payload = change(facts, payload)
    name = file.name
    if "processor" in facts["platform"]:
        *start, _ = name.split("-")
        digest = cache._digest(json.dumps(facts["platform"]))
        name = f"{'-'.join(start)}-{digest}.code"
        facts["name"] = name
    file.unlink()
    data = b"\n".join([magic, json.dumps(facts).encode(), payload])
    (file.parent / name).write_bytes(data)


def _other_processor(facts, payload):
    facts["platform"]["processor"] = "another"
    return payload


def _other_numpy(facts, payload):
    facts["platform"]["numpy"] = "0.1"
    return payload


def _other_content(_, payload):
    return payload[:-1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_other_processor, "it is for processor another and not "),
        (_other_numpy, "it is for numpy 0.1 and not "),
        (_other_content, "is not what it says"),
    ],
)
def test_a_kernel_of_another_machine_version_or_content_is_not_loaded(
    folder, monkeypatch, change, words
):
    _rewrite(_compiled(folder), change)
    monkeypatch.setenv("WINDROW_COMPILE", "auto")
    loop = _loop()

    with pytest.warns(wr.CacheWarning, match=words) as warned:
        answers = [loop(1), _loop()(1)]

    assert answers == [2, 2]
    assert loop.lane((1,)) is Lane.COLUMNS
    assert len(warned) == 1


def test_a_file_under_the_name_of_another_is_not_loaded(folder):
    file = _compiled(folder)
    other = file.with_name(machine.CodeCache(_loop().entry).name((int,)))
    file.rename(other)

    with pytest.warns(wr.CacheWarning, match="is not what it says"):
        assert cache.read_code(other.name, machine.platform()) is None


def test_a_file_that_is_no_machine_code_is_not_loaded(folder):
    file = _compiled(folder)
    file.write_bytes(b"no machine code")

    with pytest.warns(wr.CacheWarning, match="is not what it says"):
        assert not _loop().load((1,))


def test_a_folder_that_others_may_write_is_not_used(folder):
    folder.mkdir()
    folder.chmod(0o777)

    with pytest.warns(wr.CacheWarning) as warned:
        answers = [load.kernel(TEXT).run(1), load.kernel(TEXT).run(1.0)]

    assert answers == [2, 2.0]
    assert not list(folder.iterdir())
    assert "others may write to" in str(warned[0].message)
    assert len(warned) == 1


def test_a_folder_that_cannot_be_made_is_done_without(folder, tmp_path, monkeypatch):
    file = tmp_path / "not-a-folder"
    file.write_text("")
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(file / "kernels"))

    with pytest.warns(wr.CacheWarning, match="cannot be used: ") as warned:
        answers = [load.kernel(TEXT).run(1), load.kernel(TEXT).run(1.0)]

    assert cache_folder() is None
    assert answers == [2, 2.0]
    assert len(warned) == 1


def test_a_folder_that_vanishes_is_made_again(folder):
    _compiled(folder)
    loop = _loop()
    shutil.rmtree(folder)

    assert not loop.load((1,))
    assert loop._machine()(1) == 2
    assert list(folder.glob("*.code"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_full_or_read_only_folder_is_read_and_not_written(
    folder, monkeypatch, number
):
    _compiled(folder)
    before = sorted(path.name for path in folder.iterdir())

    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(cache, "_write_bytes", refuse)
    loop = _loop()
    assert loop.load((1,))

    with pytest.warns(wr.CacheWarning, match=os.strerror(number)) as warned:
        answers = [loop._machine()(1.5), loop._machine()(True)]

    assert answers == [2.5, 2]
    assert len(warned) == 1
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_disk_that_is_full_in_the_middle_leaves_nothing_behind(folder, monkeypatch):
    def write_half(path, data):
        Path(path).write_bytes(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(cache, "_write_bytes", write_half)

    with pytest.warns(wr.CacheWarning, match=os.strerror(errno.ENOSPC)):
        assert load.kernel(TEXT).run(1) == 2

    assert not list(folder.iterdir())


def test_slide_over_a_broken_folder_gives_the_same_answer(folder, monkeypatch):
    values = np.arange(50.0)
    expected = wr.slide(values, wr.rows(7), "mean")
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("WINDROW_COMPILE", "auto")

    with pytest.warns(wr.CacheWarning):
        actual = wr.slide(values, wr.rows(7), "mean")

    np.testing.assert_allclose(actual, expected)


# --- processes ------------------------------------------------------------------


def test_a_second_process_loads_what_the_first_compiled(folder):
    script = (
        "import windrow as wr, numpy as np, numba;"
        "print(wr.slide(np.arange(9.0), wr.rows(4), 'max').tolist());"
        "from windrow.algorithms import *;"
        "from windrow.kernels import *;"
        "from windrow.aggregates import find as agg;"
        "p = product_of([Request(agg('max'), 'float', (0,))]);"
        "m = compile_kernel(find('recompute'), p, Shape('rows', 'regular', fast=True));"
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
