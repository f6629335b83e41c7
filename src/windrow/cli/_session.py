"""Starts a Spark session for one command, and stops it afterwards.

    with session("local[*]", "cannot run the query") as spark: ...

Java is checked before anything starts.  Python workers run on this very Python.
A session that is already there is used, and left running.  Errors of Spark within the
block become one sentence that begins with the fact.  Unless `verbose`, what the JVM
writes to stderr goes to a file, which is read when the start fails.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console

from windrow.errors import BadInput, WindrowError

from ._machine import find_java, memory
from ._spark_errors import plain_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OLDEST_SPARK = (3, 5)
_GIGABYTE = 1 << 30
# What every start says, and log lines: the exception itself follows on its own line.
_CHATTER = re.compile(
    r"^WARNING: |^Using Spark's default|^Setting default|^To adjust logging"
    r"| (INFO|WARN|ERROR) \w+: "
)
_CLASSES = re.compile(
    r'^(Exception in thread "\w+" |Error: |[\w.]+(Exception|Error): )+'
)


@contextlib.contextmanager
def session(
    master: str,
    fact: str,
    *,
    verbose: bool = False,
    settings: Mapping[str, str] | None = None,
) -> Iterator[SparkSession]:
    """The running session, or a new one for as long as the block lasts."""
    running = load_pyspark().SparkSession.getActiveSession()
    with (
        plain_errors(fact, verbose=verbose),
        contextlib.nullcontext(running)
        if running is not None
        else _started(master, settings or {}, verbose=verbose) as spark,
    ):
        yield spark


@contextlib.contextmanager
def _started(
    master: str, settings: Mapping[str, str], *, verbose: bool
) -> Iterator[SparkSession]:
    is_remote = master.startswith("sc://")
    if not is_remote:
        find_java()
    if master.startswith("local"):
        os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = load_pyspark().SparkSession.builder.appName("windrow")
    builder = builder.remote(master) if is_remote else builder.master(master)
    settings = {**({} if is_remote else _settings(master)), **settings}
    for name, value in settings.items():
        builder = builder.config(name, value)
    with tempfile.TemporaryFile() as log:
        spark = _start(builder, master, log, verbose=verbose or is_remote)
        try:
            if not is_remote and not verbose:
                spark.sparkContext.setLogLevel("ERROR")
            yield spark
        finally:
            spark.stop()


def load_pyspark() -> Any:
    """The module pyspark.sql, or an error that says how to get it."""
    try:
        pyspark = importlib.import_module("pyspark")
        sql = importlib.import_module("pyspark.sql")
    except ImportError as error:
        raise WindrowError.because(
            "cannot start Spark",
            f"pyspark cannot be imported ({error})",
            f"run {sys.executable} -m pip install 'pywindrow[spark]'",
        ) from error
    version = tuple(int(part) for part in pyspark.__version__.split(".")[:2])
    if version < OLDEST_SPARK:
        raise WindrowError.because(
            "cannot start Spark",
            f"pyspark is {pyspark.__version__}, and 3.5 or later is needed",
            f"run {sys.executable} -m pip install 'pyspark>=3.5'",
        )
    return sql


def parse_settings(texts: list[str] | None) -> dict[str, str]:
    """`name=value` texts as Spark's settings."""
    settings = {}
    for text in texts or ():
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise BadInput.because(
                f"cannot read setting {text!r}",
                "it is not a name, an equals sign and a value",
                "write --conf spark.driver.memory=8g",
            )
        settings[name.strip()] = value.strip()
    return settings


def _settings(master: str) -> dict[str, str]:
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Spark's default, INT96, has no time zone: other readers lose it
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    }
    if master.startswith("local"):
        # In local mode all is done in the driver, whose default is one gigabyte.
        share = max(1, min(16, (memory() or 0) // 4 // _GIGABYTE))
        settings |= {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": f"{share}g",
            "spark.sql.shuffle.partitions": str(max(4, 2 * (os.cpu_count() or 1))),
        }
    return settings


def _start(builder: Any, master: str, log: IO[bytes], *, verbose: bool) -> SparkSession:
    try:
        with contextlib.nullcontext() if verbose else _stderr_to(log):
            spark: SparkSession = builder.getOrCreate()
    except Exception as error:  # py4j's, pyspark's or the operating system's
        log.seek(0)
        output = log.read().decode(errors="replace")
        raise WindrowError.because(
            f"cannot start Spark on {master}",
            _reason(output) or str(error).strip().partition("\n")[0],
            "run windrow doctor; --verbose shows all that Spark says",
        ) from error
    return spark


@contextlib.contextmanager
def _stderr_to(log: IO[bytes]) -> Iterator[None]:
    """Processes started within write their stderr to the file, also later on."""
    sys.stderr.flush()
    with os.fdopen(os.dup(2), "w", encoding="utf-8") as screen:
        os.dup2(log.fileno(), 2)
        try:
            with Console(file=screen).status("starting Spark"):
                yield
        finally:
            os.dup2(screen.fileno(), 2)


def _reason(output: str) -> str:
    """The first of the JVM's own lines that tells what is wrong."""
    lines = (line.strip() for line in output.splitlines() if not _CHATTER.search(line))
    return _CLASSES.sub("", next(filter(None, lines), "")).rstrip(".")
