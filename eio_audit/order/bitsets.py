"""Sets of ops as Python integers: bit i is set when op i is in the set."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence


def bits(bitset: int) -> Iterator[int]:
    """Yield the positions of the set bits, lowest first.

    Example:
        >>> list(bits(0b1001))
        [0, 3]
    """
    while bitset:
        lowest = bitset & -bitset
        yield lowest.bit_length() - 1
        bitset ^= lowest


def lowest_bit(bitset: int) -> int:
    """Return the position of the lowest set bit."""
    return (bitset & -bitset).bit_length() - 1


def prefix(ascending: Sequence[int], value: int) -> int:
    """Return a bitset with bit i set if ``ascending[i] < value``. These are its lowest bits.

    Example:
        >>> bin(prefix([10, 20, 30], 25))
        '0b11'
    """
    return (1 << bisect_left(ascending, value)) - 1
