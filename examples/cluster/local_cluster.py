"""A cluster of Spark's own on this machine, and an environment that Spark ships to it.

archive = pack(folder)               a virtual environment with windrow, as a tar
cluster = Cluster(folder)            a master and two workers
connect(cluster.address, archive)    a session whose executors run that environment
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sysconfig
import tarfile
import venv
from importlib import metadata
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

import windrow

HERE = "127.0.0.1"
STATE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SHIPPED = ("numba", "numpy", "pandas", "protobuf", "pyarrow")  # and what these need


def pack(folder: Path) -> Path:
    """Make a virtual environment with the packages that are installed here, as a tar.

    With an index: `pip install pywindrow pandas protobuf` in it, then `venv-pack`.
    """
    environment = folder / "env"
    venv.create(environment, symlinks=False)
    paths = {"base": str(environment), "platbase": str(environment)}
    site = Path(sysconfig.get_path("purelib", "venv", paths))
    for name in sorted(requirements(SHIPPED)):
        for file in metadata.files(name) or ():
            if ".." not in file.parts:  # commands, which executors do not run
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file.locate(), site / file)
    shutil.copytree(Path(windrow.__file__).parent, site / "windrow")
    # From a plain .tar Spark unpacks bin/python without the right to run it.
    archive = folder / "env.tar.gz"
    with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
        for entry in environment.iterdir():  # no entry ./, which Spark 4.3 refuses
            tar.add(entry, entry.name)
    return archive


def requirements(names: tuple[str, ...]) -> set[str]:
    """Give these distributions and all that they require."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            lines = [n for n in metadata.requires(name) or () if "extra ==" not in n]
            waiting += [re.split(r"[^\w.-]", line)[0] for line in lines]
    return found


class Cluster:
    """A master and two workers with one core each: processes known by their ids."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        with socket.create_server((HERE, 0)) as probe:
            port = probe.getsockname()[1]
        self.address = f"spark://{HERE}:{port}"
        self._start("master.Master", "--port", str(port))
        self._workers = [self._add_worker(), self._add_worker()]

    def kill_worker(self) -> None:
        """End the oldest worker, whose executors end with it, and start another."""
        self._workers.pop(0).kill()
        self._workers.append(self._add_worker())

    def stop(self) -> None:
        """End all processes that were started, and wait for their end."""
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            process.wait(60)

    def _add_worker(self) -> subprocess.Popen[bytes]:
        size = ("--cores", "1", "--memory", "1g", "--work-dir", str(self._folder))
        return self._start("worker.Worker", *size, self.address)

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        home = Path(pyspark.__file__).parent
        command = [str(home / "bin/spark-class"), f"org.apache.spark.deploy.{kind}"]
        command += ["--host", HERE, "--webui-port", "0", *options]
        bare = {n: v for n, v in os.environ.items() if not n.startswith("PY")}
        bare |= {"SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m"}
        with (self._folder / "cluster.log").open("ab") as log:
            process = subprocess.Popen(command, env=bare, stdout=log, stderr=log)
        self._processes.append(process)
        return process


def connect(master: str, archive: Path) -> SparkSession:
    """Start a session whose executors run the Python of the archive."""
    os.environ["PYSPARK_PYTHON"] = "./env/bin/python"  # for spark-submit a setting
    settings = {
        "spark.archives": f"{archive}#env",
        "spark.driver.host": HERE,
        "spark.executor.memory": "700m",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.streaming.stateStore.providerClass": STATE,
        "spark.ui.enabled": "false",
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
