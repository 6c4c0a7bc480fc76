"""Reads the texts of a page's data, as its script does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any


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
    for source, numbers, ops, places, _ in data["states"]:
        texts = [lines[number] for number in accumulate(numbers)]
        yield data["sources"][source], texts, [op - 1 for op in accumulate(ops)], [*accumulate(places)]
