"""How many ops can stay: chains of ops of which only one can, and a largest set without two of one chain.

Say u stands before v in the text, and v is settled before u (implied_order.py). Then not both can stay: they
are *exchanged*. If v and w are exchanged too, so are u and w: being exchanged is a partial order. Of the ops
of a chain in it

    u, v, w in the text    ->    w, v, u in every minimal order

one can stay and the others move. So cut the ops into as few chains as possible: as many ops as there are
chains can stay at most, and that is a lower bound on those that move. By Dilworth's theorem (1950) there are
as many ops no two of which are exchanged. (Whether a minimal order keeps all of them is another question.)

Such a set is a maximum antichain (antichain.py), where each op weighs the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.order.effort import Effort
from eio_audit.order.wrong_labels.antichain import Flow


def largest_staying(exchanged: Sequence[int], effort: Effort | None = None) -> list[int] | None:
    """Return a largest set of ops no two of which are exchanged, ascending.

    Args:
        exchanged: for each op, the bitset of the later ones in the text that are settled before it.
        effort: how many ops may be looked at; None is returned when it is used up.

    Complexity: O(n * n) operations on bitsets of n bits, in practice near O(n).

    Example:
        The textual order of 3, 2, 1 and 4 is turned round, but for 4.

        >>> largest_staying([0b0110, 0b0100, 0, 0])
        [2, 3]
    """
    ones = [1] * len(exchanged)
    flow = Flow(exchanged, supplies=ones, rooms=ones)
    if not flow.grow(effort or Effort()):
        return None
    reached, unreached = flow.reached()
    return [op for op, is_reached in enumerate(reached) if is_reached and unreached >> op & 1]
