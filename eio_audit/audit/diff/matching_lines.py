"""Match the common lines of two texts in which lines may have moved."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence

from eio_audit.order.permutation import displaced

ROUNDS = 4  # how often to search the gaps between matches again

Match = tuple[int, int]
"""The 0-based number of a line in the old text, and of the same line in the new text."""


def matching_lines(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Match]:
    """Return the lines of two texts that are equal and in the same order in both, ascending.

    The n-th of equal lines matches the n-th in the other text. Of these matches, a largest set in the same
    order counts. The gaps between them are searched again. So if no two lines of a text are equal, the fewest
    lines that explain the difference are left.

    Complexity: O(n log n). ``difflib`` takes quadratic time and more if many lines have moved.

    >>> matching_lines(["a", "b", "c", "}"], ["c", "a", "b", "}"])
    [(0, 1), (1, 2), (3, 3)]
    """
    matches: list[Match] = []
    for _ in range(ROUNDS):
        gaps = gaps_between(matches, len(old), len(new))
        found = [match for gap in gaps for match in _matches_in(*gap, old, new)]
        if not found:
            break
        matches = sorted([*matches, *found])
    return matches


def gaps_between(matches: Sequence[Match], old_count: int, new_count: int) -> Iterator[tuple[range, range]]:
    """Yield the gaps between the matches: ranges of old lines, and of the new lines that replace them."""
    old_start = new_start = 0
    for old_end, new_end in [*matches, (old_count, new_count)]:
        if old_end > old_start or new_end > new_start:
            yield range(old_start, old_end), range(new_start, new_end)
        old_start, new_start = old_end + 1, new_end + 1


def _matches_in(
    old_lines: range, new_lines: range, old: Sequence[Hashable], new: Sequence[Hashable]
) -> list[Match]:
    places: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for number in new_lines:
        places[new[number]].append(number)
    matches = [(number, places[old[number]].popleft()) for number in old_lines if places.get(old[number])]
    out_of_order = set(displaced([in_new for _, in_new in matches]))
    return [match for k, match in enumerate(matches) if k not in out_of_order]
