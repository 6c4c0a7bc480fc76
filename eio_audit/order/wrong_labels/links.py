"""A largest flow among ops of which one is over the other (contradictions.py), by sweeps.

A link (u, v, amount) says that u gives to v, which it is over. No op gives more than its weight, nor takes
more; antichain.py has what this proves. The flow grows along augmenting paths (Berge 1957; Ford and Fulkerson
1956): an op gives to one, which another one gave to and can give elsewhere.

There may be many pairs, so they are not listed. What an op is over is found by going down from it along the
dependences, from the ops with the largest key first: where a larger key has been on the way, nothing new is
to be found from a smaller one. So all that can be reached from many ops costs little more than to look at
each dependence once. The price is that each op is reached from one only, and a round finds only some of the
paths. On real dumps the first links are nearly all there are, and few rounds find the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from eio_audit.order.effort import Effort
from eio_audit.order.windows import Window

Link = tuple[int, int, int]

PASSED_ON = 8  # ops above that an op knows of when first links are made
ROOT = -1


class Links:
    """Links among the ops of a window, and which ops can be reached by giving on.

    From an op that has something left, all are reached that it is over; from an op that is reached so, those
    that it takes from, as it could take from another one instead.

    Args:
        window: the ops.
        weights: how much each may give, and may take.
        links: those to start from.

    Example:
        Of the links that 4 might have, that to 2 leaves 3 with none.

        >>> from eio_audit.order.precedence import Precedence
        >>> window = Window([4, 3, 2, 3], [True] * 4, Precedence.from_edges(4, [0, 1, 0], [2, 2, 3]))
        >>> links = Links(window, [1, 1, 1, 1], [(0, 2, 1)])
        >>> links.grow(Effort())
        True
        >>> list(links)
        [(1, 2, 1), (0, 3, 1)]
    """

    def __init__(self, window: Window, weights: Sequence[int], links: Iterable[Link] = ()) -> None:
        self._window = window
        self._weights = weights
        self._smallest_below = window.smallest_keys_below()
        self._supplies, self._rooms = list(weights), list(weights)
        self._taken: list[dict[int, int]] = [{} for _ in weights]  # per op, how much it takes, by who gives
        for u, v, amount in links:
            self._supplies[u] -= amount
            self._take(u, v, amount)
        self._giver_from: dict[int, int] = {}  # per op reached as a giver, the taker that it was reached from
        self._taker_from: dict[int, int] = {}  # per op reached as a taker, the giver
        self._root: dict[int, int] = {}  # per giver, the one with something left that it was reached from
        self._swept: list[int] = []  # per op, the largest key that has been on the way, or the smallest below

    def __iter__(self) -> Iterator[Link]:
        """Yield the links, by taker."""
        for v, given in enumerate(self._taken):
            for u in sorted(given):
                yield u, v, given[u]

    def fill(self) -> None:
        """Add the links that are found in one sweep.

        Each op takes from those above it, smallest key first, and passes on to its users the few with the
        largest keys that have something left, itself among them.

        Complexity: O(n + m), times the few.
        """
        keys, indexed, supplies = self._window.keys, self._window.indexed, self._supplies
        passed_on: list[list[int]] = []
        for op, key in enumerate(keys):
            known = {u for producer in self._window.precedence.predecessors(op) for u in passed_on[producer]}
            above = sorted((u for u in known if supplies[u]), key=lambda u: (keys[u], u))
            if indexed[op]:
                for u in above:
                    amount = min(supplies[u], self._rooms[op])
                    if amount and keys[u] > key:
                        supplies[u] -= amount
                        self._take(u, op, amount)
                above.append(op)
                above.sort(key=lambda u: (keys[u], u))
            least = self._smallest_below[op]
            passed_on.append([u for u in above if supplies[u] and keys[u] > least][-PASSED_ON:])

    def grow(self, effort: Effort) -> bool:
        """Make the flow the largest; return False where the effort does not suffice.

        Complexity: O(n + m) a round, times how often a larger key comes by late, mostly below 3. Mostly there
        are fewer than 5 rounds.
        """
        while self._reach(effort, pushes=True) and not effort.is_spent:
            pass
        return not effort.is_spent

    def outside(self) -> set[int]:
        """Return the indexed ops that are not in the antichain that the links lead to.

        They weigh as much as flows, plus what takers that are reached have room for: nothing where the flow
        is the largest. To be asked after ``grow`` or ``spread``.
        """
        keys = self._window.keys
        return set(self._taker_from) | {
            op
            for op, smallest in enumerate(self._smallest_below)
            if smallest < keys[op] and self._window.indexed[op] and op not in self._giver_from
        }

    def spread(self, effort: Effort) -> bool:
        """Find all that can be reached, and leave the links as they are; return False if effort is spent."""
        self._reach(effort, pushes=False)
        return not effort.is_spent

    def mirrored(self) -> Links:
        """Return the links read from the end: givers take, takers give."""
        last = self._window.size - 1
        links = [(last - v, last - u, amount) for u, v, amount in self]
        return Links(self._window.mirrored(), self._weights[::-1], links)

    def _reach(self, effort: Effort, *, pushes: bool) -> int:
        """Find what can be reached from ops with something left, layer by layer; return what was given on."""
        keys, supplies = self._window.keys, self._supplies
        rows = zip(keys, self._smallest_below, supplies, self._window.indexed, strict=True)
        givers = [op for op, (key, least, left, own) in enumerate(rows) if own and left and least < key]
        self._giver_from, self._taker_from = dict.fromkeys(givers, ROOT), {}
        self._root = {op: op for op in givers}
        self._swept = list(self._smallest_below)
        pushed = 0
        while givers and not effort.is_spent:
            layer, givers = sorted(givers, key=lambda op: -keys[op]), []
            for giver in layer:
                if supplies[self._root[giver]]:
                    pushed += self._sweep(giver, givers, effort, pushes=pushes)
        return pushed

    def _sweep(self, giver: int, following: list[int], effort: Effort, *, pushes: bool) -> int:
        """Go down from a giver; add the givers reached through takers to ``following``.

        What it gives on it gives at once, and the sweep ends when nothing is left to give.
        """
        keys, indexed = self._window.keys, self._window.indexed
        swept, taker_from = self._swept, self._taker_from
        key, root, pushed, stack = keys[giver], self._root[giver], 0, [giver]
        while stack:
            op = stack.pop()
            users = self._window.precedence.successors(op)
            effort.left -= 1 + len(users)
            for user in users:
                if swept[user] >= key:
                    continue
                swept[user] = key
                stack.append(user)
                if keys[user] >= key or not indexed[user] or user in taker_from:
                    continue
                taker_from[user] = giver
                if pushes and self._rooms[user]:
                    pushed += self._push(user)
                    if not self._supplies[root]:
                        for left in (op, *stack):  # others may go on from there
                            swept[left] = self._smallest_below[left]
                        return pushed
                for holder in self._taken[user]:
                    if holder not in self._giver_from:
                        self._giver_from[holder], self._root[holder] = user, root
                        following.append(holder)
        return pushed

    def _push(self, taker: int) -> int:
        """Give as much as can be along the path on which a taker was reached; return how much."""
        path = []  # (giver, taker) from the end
        while taker != ROOT:
            path.append((self._taker_from[taker], taker))
            taker = self._giver_from[path[-1][0]]
        root, end = path[-1][0], path[0][1]
        taken_back = [(giver, taker) for (giver, _), (_, taker) in pairwise(path)]
        rooms = (self._taken[taker].get(giver, 0) for giver, taker in taken_back)
        amount = min(self._supplies[root], self._rooms[end], *rooms)
        if not amount:
            return 0
        for giver, taker in taken_back:
            self._take(giver, taker, -amount)
        for giver, taker in path:
            self._take(giver, taker, amount)
        self._supplies[root] -= amount
        return amount

    def _take(self, giver: int, taker: int, amount: int) -> None:
        self._rooms[taker] -= amount
        given = self._taken[taker]
        given[giver] = given.get(giver, 0) + amount
        if not given[giver]:
            del given[giver]
