"""Assigns keys to buckets, and numbers to buckets.

Spark sends a group to partition `pmod(hash(number), partitions)`.  With numbers
0, 1, 2, ... some partitions would get three buckets and others none; the numbers here
are the first whose hashes have the remainders 0, 1, 2, ..., so that each partition
gets as many as any other wherever the number of partitions divides that of buckets.
They depend on the number of buckets only: state is found again whatever the session
is set to.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pyspark.sql import Column
from pyspark.sql import functions as F

_SEED = 42
_WORD = 0xFFFFFFFF


def bucket_of(keys: Sequence[Column], buckets: int) -> Column:
    """The number of the bucket of a row."""
    if not keys or buckets == 1:
        return F.lit(bucket_numbers(1)[0])
    numbers = F.array(*(F.lit(number) for number in bucket_numbers(buckets)))
    return F.get(numbers, F.pmod(F.hash(*keys), F.lit(buckets)))


@lru_cache(maxsize=16)
def bucket_numbers(buckets: int) -> tuple[int, ...]:
    """The first number for each remainder of Spark's hash."""
    numbers: dict[int, int] = {}
    number = 0
    while len(numbers) < buckets:
        numbers.setdefault(hash_of(number) % buckets, number)
        number += 1
    return tuple(numbers[remainder] for remainder in range(buckets))


def hash_of(number: int) -> int:
    """Spark's hash of an int: Murmur3 with seed 42, as a signed word."""
    mixed = _rotated(number * 0xCC9E2D51 & _WORD, 15) * 0x1B873593 & _WORD
    word = _rotated(_SEED ^ mixed, 13) * 5 + 0xE6546B64 & _WORD
    word ^= 4  # bytes hashed
    word = (word ^ word >> 16) * 0x85EBCA6B & _WORD
    word = (word ^ word >> 13) * 0xC2B2AE35 & _WORD
    word ^= word >> 16
    return word - (1 << 32) if word >> 31 else word


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> 32 - by) & _WORD


__all__ = ["bucket_numbers", "bucket_of", "hash_of"]
