"""The lower bound on the inversions of a window: where its parts come together.

- *Forced inversions* are in every order (forced.py).
- *Cycles*: each costs one inversion more (cycle_packing.py), in windows whose pairs are all looked at.
- *Squeezes* are the cycles around some of the forced inversions (squeeze.py), in larger windows.
- *Half of the footrule* (footrule.py) counts forced and other inversions together, so it is not added to
  these: the greater bound holds.

A search that stops early raises the bound too (search/exact_search.py).
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
    """What every order of a window has to pay.

    Attributes:
        forced: inverted pairs where one op depends on the other.
        total: no order has fewer inversions than this.
        forced_complete: False when counting forced pairs was cut short: ``forced`` is then too small.
        open_pairs: pairs of places that orders with ``total`` inversions may have either way round: for each
            place the bitset of those with larger keys. They have all other independent pairs in order of
            their keys. None where that is not known.
    """

    forced: int
    total: int
    forced_complete: bool
    open_pairs: Sequence[int] | None = field(default=None, repr=False, compare=False)

    def raised(self, total: int) -> LowerBound:
        """Return the bound with what else is proven: no order has fewer inversions than ``total``."""
        return replace(self, total=max(self.total, total))

    def with_cycles(self, packing: CyclePacking) -> LowerBound:
        """Return the bound raised by a packing. One that meets its order says which pairs are open."""
        raised = self.raised(self.forced + len(packing))
        if len(packing) < len(packing.broken):
            return raised
        return replace(raised, open_pairs=packing.open_pairs())


def forced_bound(window: Window, closure: TransitiveClosure | None, effort: Effort) -> LowerBound:
    """Return the bound that forced inversions prove; ``closure`` has counted them where there is one."""
    forced, is_complete = (closure.forced, True) if closure else count_forced(window, effort)
    return LowerBound(forced, forced, is_complete)
