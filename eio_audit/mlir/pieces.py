"""A new order of a block, in pieces: ops that follow each other in it as they did in the text.

Where few ops move, pieces are few. What is said of pieces costs little then, however long they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, islice, pairwise, repeat
from operator import ne, sub


def pieces(order: Sequence[int]) -> Iterator[range]:
    """The ops of a block in a new order, as ranges of textual indices, each as long as can be.

    Args:
        order: ``order[k]`` is the textual index, within the block, of the op placed k-th.

    Example:
        >>> list(pieces([0, 2, 3, 1, 4]))
        [range(0, 1), range(2, 4), range(1, 2), range(4, 5)]
    """
    steps = map(sub, islice(order, 1, None), order)
    cuts = compress(range(1, len(order)), map(ne, steps, repeat(1)))
    bounds = [0, *cuts, len(order)] if order else []
    return (range(order[start], order[stop - 1] + 1) for start, stop in pairwise(bounds))


@dataclass(frozen=True, slots=True)
class Stretch:
    """A shortest stretch of a block that has the same ops in the new order, in another sequence.

    Attributes:
        places: where it stands, before as after.
        pieces: its ops in the new order, as ranges of textual indices.
    """

    places: range
    pieces: list[range]


def moved_stretches(order: Sequence[int]) -> Iterator[Stretch]:
    """What changes in a block, front to back; all else stays as it is.

    Args:
        order: as for ``pieces``.

    Complexity: linear, with little work but for each piece.

    Example:
        >>> list(moved_stretches([0, 2, 3, 1, 4]))
        [Stretch(places=range(1, 4), pieces=[range(2, 4), range(1, 2)])]
    """
    place = surplus = 0
    moved: list[range] = []
    for piece in pieces(order):
        length = len(piece)
        if moved or piece.start != place:
            moved.append(piece)
            # It is back at 0 where as much has moved down as up: where the ops so far are the first ones.
            surplus += (piece.start - place) * length
        place += length
        if moved and not surplus:
            yield Stretch(range(place - sum(map(len, moved)), place), moved)
            moved = []
