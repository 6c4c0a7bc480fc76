"""What each pass brought in, added up over all of its runs in one or several models."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from eio_audit.audit.log.trace import Trace


@dataclass(frozen=True, slots=True)
class PassTotal:
    """What all runs of a pass brought in.

    Attributes:
        pass_name: None for passes that the logs do not show.
        introduced: avoidable inversions that it added, function by function.
        models: in how many models it added some.
        left: those of them that are left at the end.
        mislabelled: op indices that contradict the dependences since the pass, function by function.
        lost: op indices that the program had before the pass and has no more.
    """

    pass_name: str | None
    introduced: int
    models: int
    left: int
    mislabelled: int
    lost: int

    @property
    def repaired(self) -> int:
        """Avoidable inversions that it added and later passes removed."""
        return self.introduced - self.left

    @property
    def is_clean(self) -> bool:
        """Whether the pass brought in nothing and lost nothing."""
        return not (self.introduced or self.left or self.mislabelled or self.lost)


def pass_totals(traces: Iterable[Trace]) -> tuple[PassTotal, ...]:
    """Return the totals of all passes, worst first; each trace is that of a model."""
    totals: dict[str | None, Counter[str]] = defaultdict(Counter)
    for trace in traces:
        introduced = Counter[str | None]()
        for traced in trace.passes:
            introduced[traced.pass_name] += traced.introduced
            totals[traced.pass_name].update(
                left=traced.left, mislabelled=traced.mislabelled, lost=traced.lost
            )
        for name, number in introduced.items():
            totals[name].update(introduced=number, models=int(number > 0))
    rows = (
        PassTotal(name, own["introduced"], own["models"], own["left"], own["mislabelled"], own["lost"])
        for name, own in totals.items()
    )
    return tuple(sorted(rows, key=_severity))


def initial_total(traces: Iterable[Trace]) -> PassTotal:
    """Return what was there from the start, as a row beside those of the passes."""
    kept = [trace for trace in traces if trace.initial]
    return PassTotal(
        None,
        introduced=sum(trace.initial for trace in kept),
        models=len(kept),
        left=sum(trace.initial_left for trace in kept),
        mislabelled=0,
        lost=0,
    )


def _severity(total: PassTotal) -> tuple[int, int, int, int, str]:
    return -total.left, -total.introduced, -total.mislabelled, -total.lost, total.pass_name or ""
