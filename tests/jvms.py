"""Starts the JVMs of tests quickly: they live for seconds, and there are dozens.

    one compiler       what a better one saves, it does not earn in a short life
    room for its code  without it, 48 MB, code is thrown away and made again: that took
                       a quarter of the processor time of a long run
    an archive         of Spark's classes, made at the beginning of a run of several
                       processes: with it a session takes half the processor time to
                       begin (5.3 s, not 11.0).  A JVM that finds none loads from jars

An archive is good for one class path, so all JVMs have a folder of settings of their
own, which is empty, in place of the user's.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_OPTIONS = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC "
    "-Xlog:disable"  # an archive that does not fit is passed over without a word
)
_SCRIPT = Path(__file__).parent / "spark" / "archive_classes.py"


def prepare(*, archive: bool) -> None:
    """Set up all JVMs that this process and those below it start from now on."""
    folder = Path(tempfile.mkdtemp(prefix="windrow-jvms-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "conf").mkdir()
    classes = folder / "spark.jsa"
    os.environ["SPARK_CONF_DIR"] = str(folder / "conf")
    os.environ["SPARK_SUBMIT_OPTS"] = f"{_OPTIONS} -XX:SharedArchiveFile={classes}"
    if archive:
        _begin_archive(classes)


def _begin_archive(classes: Path) -> None:
    """Have it written by a process beside the tests; it is complete or not there."""
    half = classes.with_suffix(".half")
    options = f"{_OPTIONS} -XX:ArchiveClassesAtExit={half}"
    source = Path(__file__).parents[1] / "src"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(source), os.environ.get("PYTHONPATH", "")]),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": options,
    }
    making = subprocess.Popen(
        [sys.executable, str(_SCRIPT), str(half), str(classes)],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(making.wait)
