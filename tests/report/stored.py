"""Reads the texts of a page's data, as its script does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def numbers_of(runs: Sequence[int], base: Sequence[int]) -> list[int]:
    """The numbers that runs stand for."""
    numbers: list[int] = []
    for start, length in zip(runs[::2], runs[1::2], strict=True):
        numbers += base[start : start + length] if start >= 0 else range(-1 - start, -1 - start + length)
    return numbers


def lines_of(data: dict[str, Any]) -> list[bytes]:
    """All lines."""
    lines: list[bytes] = []
    numbers, first = iter(data["numbers"]), 0
    for template in data["templateOf"]:
        head, *parts = data["templates"][template].split("\n")
        for place, part in enumerate(parts):
            number = next(numbers)
            first += number if place == 0 else 0
            head += f"{first if place == 0 else first - number}{part}"
        lines.append(head.encode("utf-8", "surrogateescape"))
    return lines


def texts_of(data: dict[str, Any]) -> Iterator[tuple[str, list[bytes], list[int], list[int]]]:
    """Of each text its file, its lines, their ops and their places."""
    lines = lines_of(data)
    known: list[tuple[list[int], ...]] = []
    for base, source, *runs in data["states"]:
        bases = known[base] if base >= 0 else ([], [], [], [])
        known.append(tuple(numbers_of(*pair) for pair in zip(runs, bases, strict=True)))
        numbers, ops, places, _ = known[-1]
        yield data["sources"][source], [lines[number] for number in numbers], [op - 1 for op in ops], places
