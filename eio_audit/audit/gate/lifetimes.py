"""The findings of a log from dump to dump: an op that breaks a rule in many dumps is one finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:  # a check of dumps in order finds nothing
    from eio_audit.audit.gate.findings import Finding

Origin = TypeVar("Origin")


@dataclass(slots=True, eq=False)
class Lifetime(Generic[Origin]):
    """A finding of a log.

    Attributes:
        first: as the dump shows it that it came in with.
        last: as the last dump shows it that has it.
        origin: what brought it in.
        until: the moment of the first dump without it; empty as long as it is there.
    """

    first: Finding
    last: Finding
    origin: Origin
    until: str = ""


@dataclass(frozen=True, slots=True)
class Succession(Generic[Origin]):
    """The findings of a dump compared with those of the dump before.

    Attributes:
        same: those that were there, each with what it is now.
        come: those that were not there.
        gone: those that are not there any more.
    """

    same: Sequence[tuple[Lifetime[Origin], Finding]]
    come: Sequence[Finding]
    gone: Sequence[Lifetime[Origin]]


_IDENTITIES: tuple[Callable[[Finding], Hashable], ...] = (
    lambda f: (f.rule, f.function, f.op.name, f.op.index, f.origin),
    lambda f: f.op.index is not None and (f.rule, f.function, f.op.index, f.origin),
    lambda f: f.op.index is not None and (f.rule, f.op.name, f.op.index, f.origin),
)
"""What a finding is known again by, in the next dump; False for nothing.

A conversion renames the op, inlining and outlining change the function.
"""


def follow(there: Iterable[Lifetime[Origin]], found: Iterable[Finding]) -> Succession[Origin]:
    """Tells which findings of a dump were there before. Findings alike are counted.

    Complexity: linear.
    """
    same: list[tuple[Lifetime[Origin], Finding]] = []
    gone, come = list(there), list(found)
    for identity in _IDENTITIES:
        if not gone or not come:
            break
        waiting: dict[Hashable, list[Lifetime[Origin]]] = defaultdict(list)
        for lifetime in reversed(gone):
            waiting[identity(lifetime.last)].append(lifetime)
        rest = []
        for finding in come:
            key = identity(finding)
            if key and waiting.get(key):
                same.append((waiting[key].pop(), finding))
            else:
                rest.append(finding)
        known = {lifetime for lifetime, _ in same}
        gone, come = [lifetime for lifetime in gone if lifetime not in known], rest
    return Succession(same, come, gone)
