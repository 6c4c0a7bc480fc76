"""Maximum antichains of weighted orders, by maximum flow, with the proof that none is heavier.

Given is a strict partial order: x over y, y over z, so x over z. An *antichain* is a set without two ops of
which one is over the other. Split each op in two: a *giver*, which may give to all ops that it is over, and a
*taker*, which may take from all that are over it, each no more than the op weighs. Amounts that are given and
taken so are a *flow*.

- No antichain is heavier than the total weight less the flow: link each unit of an op to a unit of the op
  that it is given to, and the units fall into chains, as many as there are units less links. Of a chain an
  antichain holds one unit at most, since all its ops are over each other.
- Where the flow is largest, there is an antichain of just that weight (Dilworth 1950, by König 1931): start
  at the givers that have something left, and go from giver to takers that it is over, from taker to givers
  that it takes from. No taker that is reached has room, else the flow could grow. An op whose giver is
  reached and whose taker is not is in the antichain; each other op weighs just what is given or taken at it.

The flow grows along shortest paths, all of one length at a time (Hopcroft and Karp 1973; Dinic 1970). Möhring
(1985) has heaviest antichains by flow, and much on orders that are given by a graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eio_audit.order.bitsets import bits, lowest_bit
from eio_audit.order.effort import Effort, width


class Flow:
    """What givers give to takers; it starts empty, and ``grow`` makes it as large as can be.

    Args:
        takers_of: per giver, the bitset of the takers that it may give to.
        supplies: how much each giver has.
        rooms: how much each taker may take, at least 1.

    Attributes:
        taken: per taker, by giver, how much it takes.
        supplies: how much each giver still has.
        rooms: how much each taker may still take.

    Example:
        Two givers want the only taker that the second one has.

        >>> flow = Flow([0b11, 0b01], supplies=[1, 1], rooms=[1, 1])
        >>> flow.grow(Effort())
        True
        >>> flow.taken
        [{1: 1}, {0: 1}]
    """

    def __init__(self, takers_of: Sequence[int], supplies: Sequence[int], rooms: Sequence[int]) -> None:
        self.taken: list[dict[int, int]] = [{} for _ in rooms]
        self.supplies = list(supplies)
        self.rooms = list(rooms)
        self._takers_of = takers_of
        self._width = width(len(rooms))
        self._with_room = (1 << len(rooms)) - 1
        self._level: dict[int, int] = {}  # per giver that the last search has reached: after how many takers
        self._levels: list[int] = []  # the takers reached, by the same
        self._unreached = 0  # the takers that it has not

    @property
    def links(self) -> Iterator[tuple[int, int, int]]:
        """Yield the flow as (giver, taker, amount), by taker."""
        for taker, given in enumerate(self.taken):
            for giver in sorted(given):
                yield giver, taker, given[giver]

    def give(self, giver: int, taker: int, amount: int) -> None:
        """Add to the flow what both ends have room for."""
        self.supplies[giver] -= amount
        self._take(giver, taker, amount)
        self._fill(taker, amount)

    def grow(self, effort: Effort) -> bool:
        """Make the flow as large as can be; return False where the effort is spent before.

        Args:
            effort: how many givers and takers may be looked at.

        Complexity: O(p * n) operations on bitsets of n bits; p, the number of different lengths of paths, is
        mostly below 20.
        """
        while not effort.is_spent and self._search(effort):
            for root in [giver for giver, level in self._level.items() if not level]:
                while self.supplies[root] and not effort.is_spent and (path := self._path(root, effort)):
                    self._push(path)
        return not effort.is_spent

    def reached(self) -> tuple[list[bool], int]:
        """Return, per giver, whether it is reached from one that has some left, and the takers that are not.

        To be asked when the flow has grown as large as can be. The takers are a bitset.
        """
        return [giver in self._level for giver in range(len(self.supplies))], self._unreached

    def _search(self, effort: Effort) -> bool:
        """Find how far all are from givers that have some left; return whether a taker with room is one."""
        givers = [giver for giver, supply in enumerate(self.supplies) if supply]
        self._level, self._levels = dict.fromkeys(givers, 0), []
        self._unreached = (1 << len(self.rooms)) - 1
        while givers:
            reached = 0
            for giver in givers:
                reached |= self._takers_of[giver] & self._unreached
            effort.left -= len(givers) * self._width
            if not reached:
                return False
            self._unreached ^= reached
            self._levels.append(reached)
            if reached & self._with_room:
                self._levels[-1] &= self._with_room
                return True
            effort.left -= reached.bit_count() * self._width
            if effort.is_spent:
                return False
            givers = []
            for taker in bits(reached):
                for giver in self.taken[taker]:
                    if giver not in self._level:
                        self._level[giver] = len(self._levels)
                        givers.append(giver)
        return False

    def _path(self, root: int, effort: Effort) -> list[int]:
        """Return a shortest path from a giver to a taker with room: giver, taker, giver, ..., taker.

        What turns out to lead nowhere is taken off the levels. The path is empty when the root leads nowhere.
        """
        path = [root]
        while path:
            depth = len(path) // 2
            effort.left -= self._width
            takers = self._takers_of[path[-1]] & self._levels[depth]
            while takers:
                taker = lowest_bit(takers)
                if depth + 1 == len(self._levels):
                    return [*path, taker]
                holders = (giver for giver in self.taken[taker] if self._level.get(giver) == depth + 1)
                if (holder := next(holders, None)) is not None:
                    path += [taker, holder]
                    break
                takers ^= 1 << taker
                self._levels[depth] ^= 1 << taker
                effort.left -= self._width
            else:
                del self._level[path.pop()]
                if path:
                    path.pop()
        return path

    def _push(self, path: Sequence[int]) -> None:
        """Let as much flow along a path as goes."""
        givers, takers = path[::2], path[1::2]
        moved_on = list(zip(takers[:-1], givers[1:], strict=True))
        amount = min(self.supplies[givers[0]], self.rooms[takers[-1]])
        for taker, giver in moved_on:
            amount = min(amount, self.taken[taker][giver])
        for taker, giver in moved_on:
            self._take(giver, taker, -amount)
        for giver, taker in zip(givers, takers, strict=True):
            self._take(giver, taker, amount)
        self.supplies[givers[0]] -= amount
        self._fill(takers[-1], amount)
        if not self._with_room >> takers[-1] & 1:
            self._levels[-1] &= ~(1 << takers[-1])

    def _take(self, giver: int, taker: int, amount: int) -> None:
        given = self.taken[taker]
        given[giver] = given.get(giver, 0) + amount
        if not given[giver]:
            del given[giver]

    def _fill(self, taker: int, amount: int) -> None:
        self.rooms[taker] -= amount
        if not self.rooms[taker]:
            self._with_room ^= 1 << taker
