"""What a part of the experiments on Spark gives, and who takes turns in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from windrow_bench.measure.spark.case import OURS, SPARK, Case, Say

from ._report import Bar, Table


@dataclass
class Part:
    """Tables, bars and notes of one part of the experiment."""

    tables: list[Table] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


__all__ = ["OURS", "SPARK", "Case", "Part", "Say"]
