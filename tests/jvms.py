"""Starts the JVMs of tests quickly: they live for seconds, and there are dozens.

    one compiler       what a better one saves, it does not earn in a short life
    room for its code  without it, 48 MB, code is thrown away and made again: that took
                       a quarter of the processor time of a long run
    an archive         of Spark's classes, made at the beginning of the first run of
                       several processes: with it a session takes half the processor
                       time to begin (5.3 s, not 11.0).  A JVM that finds none, or one
                       that does not fit, loads from jars

To make an archive takes half a minute of the processor, so it is kept in the virtual
environment, where the jars are.  It is good for one class path, so all JVMs have a
folder of settings of their own, which is empty, in place of the user's.

    plain files        Spark's usual writer of checkpoints starts a process to follow
                       each link and to set each permission, 350 in a stream of five
                       micro-batches: a third of the stream's processor time
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZipFile

_OPTIONS = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC "
    "-Xlog:disable"  # an archive that does not fit is passed over without a word
)
_SCRIPT = Path(__file__).parent / "spark" / "archive_classes.py"


def prepare(*, archive: bool) -> None:
    """Set up all JVMs that this process and those below it start from now on."""
    folder = _folder()
    (folder / "conf").mkdir(exist_ok=True)
    classes = folder / f"{_kind()}.jsa"
    os.environ["SPARK_CONF_DIR"] = str(folder / "conf")
    os.environ["SPARK_SUBMIT_OPTS"] = f"{_OPTIONS} -XX:SharedArchiveFile={classes}"
    if archive and not classes.exists():
        _begin_archive(classes)


def _folder() -> Path:
    """Where archives are kept, or for this run alone where nothing may be written."""
    kept = Path(sys.prefix, "share", "windrow-jvms")
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError:
        pass
    else:
        if os.access(kept, os.W_OK):
            return kept
    folder = Path(tempfile.mkdtemp(prefix="windrow-jvms-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _kind() -> str:
    """What an archive is good for: another Java or Spark has another one."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin" if home else None)
    java = Path(found or "none").resolve()
    spark = [one.version for one in importlib.metadata.distributions(name="pyspark")]
    facts = f"{java} {found and java.stat().st_mtime_ns} {spark} {_OPTIONS}"
    return hashlib.sha256(facts.encode()).hexdigest()[:16]


def _begin_archive(classes: Path) -> None:
    """Have it written by a process beside the tests; it is complete or not there."""
    half = classes.with_suffix(f".{os.getpid()}.half")
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


def plain_files() -> str:
    """Spark's class that writes checkpoints by plain calls, where this Spark has it."""
    spark = importlib.util.find_spec("pyspark")
    assert spark is not None
    assert spark.origin is not None
    (jar,) = Path(spark.origin).parent.glob("jars/spark-sql_*.jar")
    with ZipFile(jar) as classes:
        (name,) = (
            name
            for name in classes.namelist()
            if name.endswith("/FileSystemBasedCheckpointFileManager.class")
        )
    return name.removesuffix(".class").replace("/", ".")
