"""The lower bound on the inversions of a window, combined from its parts.

- *Forced inversions* are in every order (forced.py).
- *Cycles* cost one more inversion each (cycle_packing.py), in windows with a transitive closure.
- *Squeezes* are the cycles around some of the forced inversions (squeeze.py), in larger windows.
- *Half of the footrule* (footrule.py) counts forced and other inversions together. So it is not added to the
  other parts: the greater bound holds.

A search that stops early raises the bound, too (search/exact_search.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.bounds.forced import count_forced
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort
from eio_audit.order.windows import Window


@dataclass(frozen=True, slots=True)
class LowerBound:
    """A lower bound on the inversions of all orders of a window.

    Attributes:
        forced: number of inversions where one op depends on the other.
        total: no order has fewer inversions.
        forced_complete: whether all forced inversions were counted. If not, ``forced`` is a lower bound.
        open_pairs: the independent pairs that orders with ``total`` inversions may have in either order. Per
            place, the bitset of the places with larger keys. Such orders have all other independent pairs in
            order of their keys. None if unknown.
    """

    forced: int
    total: int
    forced_complete: bool
    open_pairs: Sequence[int] | None = field(default=None, repr=False, compare=False)

    def raised(self, total: int) -> LowerBound:
        """Return the bound raised to ``total``, if that is greater."""
        return replace(self, total=max(self.total, total))

    def with_cycles(self, packing: CyclePacking) -> LowerBound:
        """Return the bound raised by a packing, which gives the open pairs if it proves its order minimal."""
        raised = self.raised(self.forced + len(packing))
        if len(packing) < len(packing.broken):
            return raised
        return replace(raised, open_pairs=packing.open_pairs())


def forced_bound(window: Window, closure: TransitiveClosure | None, effort: Effort) -> LowerBound:
    """Return the bound from forced inversions, which ``closure`` has counted if there is one."""
    forced, is_complete = (closure.forced, True) if closure else count_forced(window, effort)
    return LowerBound(forced, forced, is_complete)
