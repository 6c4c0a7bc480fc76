"""A new order of a block, in pieces: ops that follow each other in it as they did in the text.

Where few ops move, pieces are few. What is said of pieces costs little then, however long they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import overload


@dataclass(frozen=True, slots=True)
class Stretch:
    """A shortest stretch of a block that has the same ops in the new order, in another sequence.

    Attributes:
        places: where it stands, before as after.
        pieces: its ops in the new order, as ranges of textual indices.
    """

    places: range
    pieces: list[range]


class BlockOrder(Sequence[int]):
    """A new order of the ops of a block, with what is worked out from it, once.

    Args:
        order: ``order[k]`` is the textual index, within the block, of the op placed k-th.

    Example:
        >>> order = BlockOrder([0, 2, 3, 1, 4])
        >>> order.pieces
        [range(0, 1), range(2, 4), range(1, 2), range(4, 5)]
        >>> order.moved_stretches
        [Stretch(places=range(1, 4), pieces=[range(2, 4), range(1, 2)])]
    """

    def __init__(self, order: Sequence[int]) -> None:
        self._order = order

    @classmethod
    def of(cls, order: Sequence[int]) -> BlockOrder:
        """An order as one of this class, the same object if it is one already."""
        return order if isinstance(order, cls) else cls(order)

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[int]: ...
    def __getitem__(self, place: int | slice) -> int | Sequence[int]:
        return self._order[place]

    @cached_property
    def pieces(self) -> list[range]:
        """The ops in the new order, as ranges of textual indices, each as long as can be."""
        order = self._order
        following = zip(range(1, len(order)), order, islice(order, 1, None), strict=False)
        cuts = [place for place, op, behind in following if behind - op != 1]
        bounds = [0, *cuts, len(order)] if order else []
        return [range(order[start], order[stop - 1] + 1) for start, stop in pairwise(bounds)]

    @cached_property
    def moved_stretches(self) -> list[Stretch]:
        """What changes in a block, front to back; all else stays as it is.

        Complexity: linear, with little work but for each piece.
        """
        return list(self._stretches())

    def _stretches(self) -> Iterator[Stretch]:
        place = surplus = 0
        moved: list[range] = []
        for piece in self.pieces:
            length = len(piece)
            if moved or piece.start != place:
                moved.append(piece)
                # It is back at 0 where as much has moved down as up: where the ops so far are the first ones.
                surplus += (piece.start - place) * length
            place += length
            if moved and not surplus:
                yield Stretch(range(place - sum(map(len, moved)), place), moved)
                moved = []

    def holds_each_once(self, count: int) -> bool:
        """Whether the order is one of ``count`` ops, none of them missing or repeated."""
        # If pieces begin where others stop, but for the two ends, then one is open at each number from 0 to
        # ``count`` and none elsewhere.
        starts, stops = [piece.start for piece in self.pieces], [piece.stop for piece in self.pieces]
        return sorted([*starts, count]) == sorted([0, *stops])

    def places(self) -> list[int]:
        """By textual index, where the op is placed."""
        return sorted(range(len(self)), key=self._order.__getitem__)
