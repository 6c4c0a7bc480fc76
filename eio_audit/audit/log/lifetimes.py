"""Findings followed from dump to dump: an op that breaks a rule in many dumps of a log is one finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:  # a check of dumps in order does not import this
    from eio_audit.audit.gate.findings import Finding

Origin = TypeVar("Origin")


@dataclass(slots=True, eq=False)
class Lifetime(Generic[Origin]):
    """A finding of a log.

    Attributes:
        first: the finding in the first dump that has it.
        last: the finding in the last dump so far that has it.
        origin: what introduced it.
        until: the moment of the first dump without it; empty if there is none.
    """

    first: Finding
    last: Finding
    origin: Origin
    until: str = ""


@dataclass(frozen=True, slots=True)
class Succession(Generic[Origin]):
    """The findings of a dump compared with those of the dump before.

    Attributes:
        same: the findings in both dumps: as known so far, and as the dump has them.
        appeared: the findings that are new.
        vanished: the findings that the dump does not have.
    """

    same: Sequence[tuple[Lifetime[Origin], Finding]]
    appeared: Sequence[Finding]
    vanished: Sequence[Lifetime[Origin]]


_IDENTITIES: tuple[Callable[[Finding], Hashable], ...] = (
    lambda f: (f.rule, f.function, *((f.block,) if f.is_of_block else (f.op.name, f.op.index, f.origin))),
    lambda f: f.op.index is not None and (f.rule, f.function, f.op.index, f.origin),
    lambda f: f.op.index is not None and (f.rule, f.op.name, f.op.index, f.origin),
)
"""The keys that identify a finding in the next dump, the first one first; False matches nothing.

A conversion renames the op. Inlining and outlining change the function.
"""


def follow(there: Iterable[Lifetime[Origin]], found: Iterable[Finding]) -> Succession[Origin]:
    """Match the findings of a dump with those of the dump before. Equal findings are counted.

    Complexity: linear.
    """
    same: list[tuple[Lifetime[Origin], Finding]] = []
    vanished, appeared = list(there), list(found)
    for identity in _IDENTITIES:
        if not vanished or not appeared:
            break
        waiting: dict[Hashable, list[Lifetime[Origin]]] = defaultdict(list)
        for lifetime in reversed(vanished):
            waiting[identity(lifetime.last)].append(lifetime)
        rest = []
        for finding in appeared:
            key = identity(finding)
            if key and waiting.get(key):
                same.append((waiting[key].pop(), finding))
            else:
                rest.append(finding)
        known = {lifetime for lifetime, _ in same}
        vanished, appeared = [lifetime for lifetime in vanished if lifetime not in known], rest
    return Succession(same, appeared, vanished)
