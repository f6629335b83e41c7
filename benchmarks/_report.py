"""What an experiment hands over: tables of plain numbers, notes, and bars."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Bar:
    """What was promised beforehand; `value` is the worst that was measured."""

    text: str
    value: float
    limit: float
    at_least: bool = True

    @property
    def passed(self) -> bool:
        """Whether the promise holds."""
        if self.at_least:
            return self.value >= self.limit
        return self.value <= self.limit

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        verdict = "pass" if self.passed else "FAIL"
        return f"{verdict}: {self.text}: {self.value:.2f} (bar {sign} {self.limit:g})"


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header; the first column names the row."""

    title: str
    header: list[str]
    rows: list[list[Any]]


@dataclass(frozen=True)
class Result:
    """One experiment's outcome."""

    name: str
    title: str
    tables: list[Table]
    bars: list[Bar] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """As it is kept in results.json."""
        plain = asdict(self)
        for kept, bar in zip(plain["bars"], self.bars, strict=True):
            kept.update(passed=bar.passed, line=str(bar))
        return plain
