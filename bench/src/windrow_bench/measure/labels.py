"""Labels and payments, frozen: cards of very different activity over ninety days."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

import windrow as wr

DAYS = 90
DAY = 86_400
LENGTHS = ("10 minutes", "1 hour", "1 day", "7 days", "30 days")
MICROS = pa.timestamp("us", "UTC")


def payments(count: int, keys: int = 20_000, hot: float = 0.0) -> pa.Table:
    """Events of cards by Zipf; with `hot`, one card has that share of them."""
    dice = np.random.default_rng(1)
    card = dice.zipf(1.2, count) % keys
    card[dice.random(count) < hot] = keys
    return pa.table(
        {
            "ts": pa.array(_instants(dice, count), MICROS),
            "card": card,
            "amount": dice.integers(0, 10_000, count),
            "note": pa.array(["unread"] * count),
        }
    )


def labels(count: int, keys: int = 20_000, hot: float = 0.0) -> pa.Table:
    """As many instants of cards, of the same shape."""
    dice = np.random.default_rng(2)
    card = dice.zipf(1.2, count) % keys
    card[dice.random(count) < hot] = keys
    times = pa.array(_instants(dice, count), MICROS)
    return pa.table({"id": np.arange(count), "at": times, "card": card})


def ten_features(*lengths: str) -> dict[str, Any]:
    """A count and a maximum over each length."""
    calls: dict[str, Any] = {}
    for i, length in enumerate(lengths or LENGTHS):
        calls[f"n{i}"] = wr.count(last=length)
        calls[f"top{i}"] = wr.max("amount", last=length)
    return calls


def _instants(dice: np.random.Generator, count: int) -> Any:
    return np.sort(dice.integers(0, DAYS * DAY, count)) * 10**6
