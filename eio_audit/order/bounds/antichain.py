"""A heaviest antichain of a window, and a proof that none is heavier.

*u over v*: v depends on u, directly or not, and has the smaller key. Both conditions are transitive, and no
op is over itself, so "over" is a strict partial order. Each op can give to the ops that it is over and take
from the ops over it, both up to its weight. This is a *flow*, stored as links: a link (u, v, amount) means
that u gives ``amount`` to v.

- No antichain is heavier than the total weight minus the flow. Split each op into units of weight, and link
  each unit it gives to the unit that takes it. The units form as many chains as there are units minus links.
  Of two ops of a chain, one is over the other, so an antichain has at most one unit of each chain.
- If the flow is largest, an antichain has exactly that weight (Dilworth 1950, by König 1931). Start at the
  ops that have weight left to give. Go from a giver to the takers that it is over, and from a taker to the
  givers that it takes from. No taker reached has room left, or else the flow could grow. The antichain has
  the ops reached as givers and not as takers. Every other op gives or takes its whole weight.

The flow grows along augmenting paths (Berge 1957; Ford and Fulkerson 1956): an op gives to a taker, and
another giver of that taker gives elsewhere. There may be many pairs with u over v, so they are not listed. A
sweep goes down the dependences from each giver, the largest key first. A smaller key finds nothing new where
a larger key has been. So sweeps from many givers cost little more than one visit of each dependence. In
return, each op is reached from only one giver, and a round finds only some of the paths. On real dumps the
first sweep finds nearly all links, and a few rounds find the rest.

If the budget is spent first, a simpler search finds the antichain, and the links still prove a bound.

References:
    Dilworth, "A decomposition theorem for partially ordered sets", Annals of Mathematics 51, 1950.
    König, "Gráfok és mátrixok", Matematikai és Fizikai Lapok 38, 1931.
    Möhring, "Algorithmic aspects of comparability graphs and interval graphs", Graphs and Order, 1985.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from eio_audit.order.effort import Effort
from eio_audit.order.windows import LARGEST_KEY, Window

Link = tuple[int, int, int]

LAST_STEPS = 8  # budget per op and dependence of the simpler search
PASSED_ON = 8  # givers that an op passes on to its users in the first sweep
ROOT = -1


def outside_antichain(window: Window, weights: Sequence[int], effort: Effort) -> tuple[set[int], list[Link]]:
    """Return the indexed ops outside a heaviest antichain, and the links that prove it.

    Args:
        window: the ops and their keys.
        weights: per op, its weight, at least 1.
        effort: the budget. If it is spent, the links may amount to less than the weight of the ops.

    Returns:
        The ops, and the links as (u, v, amount) with u over v.

    Example:
        >>> from eio_audit.order.precedence import Precedence
        >>> chain = Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0, 1], [1, 2]))
        >>> outside_antichain(chain, weights=[1, 2, 1], effort=Effort())
        ({0, 2}, [(0, 1, 1), (1, 2, 1)])
    """
    flow = Links(window, weights)
    flow.fill()
    is_largest = flow.grow(effort)
    return flow.outside() if is_largest else _outside_quickly_found(window, weights, flow), list(flow)


def _outside_quickly_found(window: Window, weights: Sequence[int], down: Links) -> set[int]:
    """Return the ops outside an antichain that two sweeps find, down and up, extended by all ops that fit."""
    indexed = {op for op, own in enumerate(window.indexed) if own}
    found = [indexed]
    if down.spread(Effort(LAST_STEPS * window.extent)):
        found.append(down.outside())
    if (up := down.mirrored()).spread(Effort(LAST_STEPS * window.extent)):
        found.append({window.size - 1 - op for op in up.outside()})
    lightest = min(found, key=lambda ops: sum(map(weights.__getitem__, ops)))
    return indexed - with_what_fits(window, indexed - lightest)


def with_what_fits(window: Window, kept: set[int]) -> set[int]:
    """Return the antichain ``kept``, extended by all ops that fit, which are tried in textual order.

    Each indexed op that is left out is over an op of the result or under one.

    Complexity: O(n + m), two sweeps.

    Example:
        3 is over 1. 2 is between them in the text and depends on nothing.

        >>> from eio_audit.order.precedence import Precedence
        >>> with_what_fits(Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0], [2])), {0})
        {0, 1}
    """
    precedence, keys = window.precedence, window.keys
    fitting = set(kept)
    smallest = precedence.smallest_below(
        [keys[op] if op in kept else LARGEST_KEY for op in range(window.size)]
    )
    largest = [-1] * window.size
    for op in range(window.size):
        above = max(map(largest.__getitem__, precedence.predecessors(op)), default=-1)
        if op in kept or (window.indexed[op] and above <= keys[op] <= smallest[op]):
            fitting.add(op)
            above = max(above, keys[op])
        largest[op] = above
    return fitting


class Links:
    """The links among the ops of a window, and the ops that augmenting paths reach.

    A giver with weight left reaches the takers that it is over. A taker reaches the givers that it takes
    from, because it can take from another giver instead.

    Args:
        window: the ops.
        weights: per op, the most that it can give, and the most that it can take.
        links: the links to start from.

    Example:
        The link from 4 to 2 leaves the first 3 without a taker. 4 can give to the second 3 instead.

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
        self._taken: list[dict[int, int]] = [{} for _ in weights]  # per op, how much it takes from each giver
        for u, v, amount in links:
            self._supplies[u] -= amount
            self._take(u, v, amount)
        self._giver_from: dict[int, int] = {}  # per op reached as a giver, the taker before it on the path
        self._taker_from: dict[int, int] = {}  # per op reached as a taker, the giver before it on the path
        self._root: dict[int, int] = {}  # per giver reached, the giver with weight left that starts its path
        self._swept: list[int] = []  # per op, the largest key that has passed it, or else the smallest below

    def __iter__(self) -> Iterator[Link]:
        """Yield the links, sorted by taker."""
        for v, given in enumerate(self._taken):
            for u in sorted(given):
                yield u, v, given[u]

    def fill(self) -> None:
        """Add the links that one sweep finds.

        Each op takes from the givers above it, smallest key first. Then it passes on to its users the
        PASSED_ON givers with the largest keys that have weight left, which may include itself.

        Complexity: O(n + m), times PASSED_ON.
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
        """Make the flow largest; return False if the budget is spent first.

        Complexity: O(n + m) per round, times how often a larger key passes an op late, usually below 3.
        Usually there are fewer than 5 rounds.
        """
        while self._reach(effort, pushes=True) and not effort.is_spent:
            pass
        return not effort.is_spent

    def outside(self) -> set[int]:
        """Return the indexed ops outside the antichain that the links give.

        They weigh as much as the flow, plus the room of the takers reached, which is 0 if the flow is
        largest. Call this after ``grow`` or ``spread``.
        """
        keys = self._window.keys
        return set(self._taker_from) | {
            op
            for op, smallest in enumerate(self._smallest_below)
            if smallest < keys[op] and self._window.indexed[op] and op not in self._giver_from
        }

    def spread(self, effort: Effort) -> bool:
        """Find all ops that can be reached, without changing links; return False if the budget is spent."""
        self._reach(effort, pushes=False)
        return not effort.is_spent

    def mirrored(self) -> Links:
        """Return the links of the mirrored window: givers take, takers give."""
        last = self._window.size - 1
        links = [(last - v, last - u, amount) for u, v, amount in self]
        return Links(self._window.mirrored(), self._weights[::-1], links)

    def _reach(self, effort: Effort, *, pushes: bool) -> int:
        """Find the ops reached from givers with weight left, layer by layer; return the amount pushed."""
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

        Pushes along each path at once. The sweep ends when the root has no weight left. Returns the amount.
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
                    continue  # a larger key has passed, or nothing below has a smaller key
                swept[user] = key
                stack.append(user)
                if keys[user] >= key or not indexed[user] or user in taker_from:
                    continue
                taker_from[user] = giver
                if pushes and self._rooms[user]:
                    pushed += self._push(user)
                    if not self._supplies[root]:
                        for left in (op, *stack):  # other givers can continue from there
                            swept[left] = self._smallest_below[left]
                        return pushed
                for other in self._taken[user]:
                    if other not in self._giver_from:
                        self._giver_from[other], self._root[other] = user, root
                        following.append(other)
        return pushed

    def _push(self, taker: int) -> int:
        """Push as much as possible along the path that reached a taker; return the amount."""
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
