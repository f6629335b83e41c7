"""How large an experiment is, and how patient."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """`patience` is in seconds: what a contender may take for one table entry."""

    n: int = 8_000_000
    windows: tuple[int, ...] = (16, 256, 4_096, 65_536, 1_048_576)
    long_windows: tuple[int, ...] = (131_072, 524_288, 1_048_576)
    rounds: int = 7
    patience: float = 20.0
    table_rows: int = 10_000_000
    table_rounds: int = 3
    spark_rows: int = 2_000_000
    spark_over_rows: int = 4_000_000
    spark_growth: tuple[int, ...] = (1_000_000, 4_000_000, 16_000_000)
    spark_rounds: int = 5
    spark_patience: float = 60.0
    stream_rows: int = 2_000_000
    stream_batches: int = 100
    quick: bool = False


FULL = Settings()
QUICK = Settings(
    n=400_000,
    windows=(16, 256, 4_096, 65_536),
    long_windows=(16_384, 131_072),
    rounds=3,
    patience=2.0,
    table_rows=500_000,
    table_rounds=1,
    spark_rows=100_000,
    spark_over_rows=100_000,
    spark_growth=(25_000, 50_000, 100_000),
    spark_rounds=1,
    spark_patience=5.0,
    stream_rows=100_000,
    stream_batches=20,
    quick=True,
)
