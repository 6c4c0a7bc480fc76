"""How many inversions came in with which origin: they add up, whatever ops a fix would move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Origin = TypeVar("Origin", bound=Hashable)


def take(ledger: Counter[Origin], number: int, first: Iterable[tuple[Origin, int]] = ()) -> Counter[Origin]:
    """Move inversions out of a ledger, as many as it has.

    Args:
        ledger: number of inversions per origin, none negative. It loses those taken.
        number: how many to take; nothing is taken if it is negative.
        first: origins to take first, each with the most to take.

    >>> take(Counter(a=3, b=1), 2, [("b", 5)])
    Counter({'b': 1, 'a': 1})
    """
    taken = Counter[Origin]()
    rest = max(number, 0)
    for origin, most in (*first, *ledger.most_common()):
        part = min(rest, most, ledger[origin])
        if part > 0:
            taken[origin] += part
            ledger[origin] -= part
            rest -= part
    return taken


def shares(findings: Sequence[tuple[Origin, int]], ledger: Counter[Origin]) -> list[Counter[Origin]]:
    """Divide a ledger among findings, each with an origin and a number of inversions.

    A finding gets the inversions of its own origin first. Its shares add up to its number, and all shares to
    the ledger, if the findings and the ledger have as many inversions. A finding with a negative number adds
    that many to its origin, which others get.

    >>> shares([("a", 2), ("b", 2)], Counter(a=3, b=1))
    [Counter({'a': 2}), Counter({'b': 1, 'a': 1})]
    """
    rest = +ledger
    for origin, number in findings:
        rest[origin] += max(-number, 0)
    own = [take(rest, min(number, rest[origin]), [(origin, number)]) for origin, number in findings]
    for (origin, number), share in zip(findings, own, strict=True):
        if number < 0:
            share[origin] = number
        else:
            share.update(take(rest, number - share.total()))
    return own
