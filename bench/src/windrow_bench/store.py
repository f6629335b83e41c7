"""Results on disk: a file of lines for each size, to which trials are added.

    quick.jsonl     {"experiment": ..., "under": ..., "planned": ["speed | 1", ...]}
                    {"experiment": ..., "trial": ..., "under": ..., "rows": [...]}
                    {...}

A line is a trial, whole: with its rows, when it ran, how long, on what machine, with
which versions, how busy others were; or it is a plan, the trials that an experiment
has there, so that whoever reads the file elsewhere sees what is missing.  Lines are
only ever added, the last one of a trial or of an experiment's plan counts, and half a
line (the machine went off) is as none.  A trial that was
measured `under` other versions or on another machine is not taken for this run's, and
does not hide this run's own.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .experiment import Row, Size
from .measure.machine import machine, versions


@dataclass(frozen=True)
class StoredTrial:
    """One trial as it stands on disk; `failed` says why it has no rows."""

    experiment: str
    trial: str
    size: str
    under: str
    date: str
    seconds: float
    load: float
    others: float
    busy: bool
    rows: tuple[Row, ...]
    failed: str = ""
    machine: Mapping[str, str] | None = None
    versions: Mapping[str, str] | None = None


class ResultStore:
    """The results of one size in a folder."""

    def __init__(self, folder: Path, size: Size) -> None:
        self.folder = folder
        self.path = folder / f"{size.name}.jsonl"
        self.machine, self.versions = machine(), versions()
        text = json.dumps([self.machine, self.versions], sort_keys=True)
        self.under = hashlib.sha256(text.encode()).hexdigest()[:12]

    def add(self, kept: StoredTrial) -> None:
        """Write a trial down, so that it is there whatever happens next."""
        self._write(asdict(kept))

    def plan(self, experiment: str, keys: Sequence[str]) -> None:
        """Write down which trials an experiment has here, unless that stands there."""
        if self.plans(self.under).get(experiment) != tuple(keys):
            told = {"experiment": experiment, "under": self.under}
            self._write({**told, "planned": list(keys)})

    def plans(self, under: str) -> dict[str, tuple[str, ...]]:
        """The newest plan of each experiment of one machine and its versions."""
        return {
            plain["experiment"]: tuple(plain["planned"])
            for plain in self._plain()
            if "planned" in plain and plain["under"] == under
        }

    def _write(self, plain: Mapping[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        cut = self._ends_in_half_a_line()
        with self.path.open("a", encoding="utf-8") as file:
            line = json.dumps(plain, default=float)
            file.write(("\n" if cut else "") + line + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _ends_in_half_a_line(self) -> bool:
        if not self.path.exists() or not self.path.stat().st_size:
            return False
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"

    def trials(self, under: str) -> dict[tuple[str, str], StoredTrial]:
        """The newest of each trial of one machine and its versions."""
        return {
            (one.experiment, one.trial): one
            for one in self._lines()
            if one.under == under
        }

    def measured(self) -> set[tuple[str, str]]:
        """Trials that this machine and these versions have done already."""
        return {key for key, one in self.trials(self.under).items() if not one.failed}

    def machines(self) -> dict[str, StoredTrial]:
        """The newest trial of each machine and versions; what is newest comes last."""
        found: dict[str, StoredTrial] = {}
        for one in self._lines():
            found.pop(one.under, None)
            found[one.under] = one
        return found

    def _lines(self) -> Iterator[StoredTrial]:
        for plain in self._plain():
            if "planned" not in plain:
                rows = tuple(Row(**row) for row in plain.pop("rows"))
                yield StoredTrial(**plain, rows=rows)

    def _plain(self) -> Iterator[dict[str, Any]]:
        """Every line that is whole."""
        if not self.path.exists():
            return
        for line in self.path.read_text("utf-8").splitlines():
            with contextlib.suppress(json.JSONDecodeError):  # half a line
                yield json.loads(line)
