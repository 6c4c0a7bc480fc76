"""Reversed dependences: two ops that touch one resource stand in the wrong order.

An inversion that a value forces is a wrong index: a pass gave a new op the location of another. Here no value
goes from the earlier op to the later, and one of the two changes what the other touches, as their rows in the
op table say. If the indices are right, the pass turned the two around, which no legal reorder does. From this
dump alone, a wrong index looks the same.

Only what is certain counts: the same memory, or the same state of the machine. Values that may share memory,
places that are apart, and ops of unknown effect do not.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Container, Sequence
from itertools import starmap
from operator import itemgetter
from typing import NamedTuple

from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.dependence import DependenceGraph, DependenceKind
from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.accesses import Touch
from eio_audit.mlir.source import decoded
from eio_audit.mlir.tokens import VALUE_NAME

MOST = 10_000  # the most pairs that are found in a block; the others are judged as other inversions


class _Keyed(NamedTuple):
    """A touch of an op."""

    key: int
    place: int
    touch: Touch


def find_reversed(block: KeyedBlock) -> dict[tuple[int, int], int | str]:
    """Return the reversed dependences of a block: the places of both ops, and the value or state they touch.

    The keys of the block are those that can be compared.

    Complexity: linear in the ops and dependences if no effect forces an inversion.
    """
    graph = block.graph
    if graph is None or not any(starmap(block.is_inverted, graph.by_kind(DependenceKind.EFFECT))):
        return {}
    effects, found = block.dump.dependences.effects, dict[tuple[int, int], int | str]()
    earlier = defaultdict[int | str, list[_Keyed]](list)  # by resource, in ascending order of keys
    for place, op in enumerate(block.ops):
        if (key := block.keys[place]) is None:
            continue
        touches = list(effects.certain_touches(op))
        pairs = {
            early: other.operand
            for touch in touches
            for _, early, other in _above(key, earlier[touch.resource])
            if touch.conflicts(other)
        }
        reached = _comes_from(graph, place, min(pairs)) if pairs else ()
        found |= {(early, place): operand for early, operand in pairs.items() if early not in reached}
        if len(found) > MOST:
            break
        for touch in touches:
            insort(earlier[touch.resource], _Keyed(key, place, touch), key=itemgetter(0))
    return found


def _above(key: int, ascending: Sequence[_Keyed]) -> Sequence[_Keyed]:
    return ascending[bisect_right(ascending, key, key=itemgetter(0)) :]


def name_of_resource(ir: IR, op: int, resource: int | str) -> str:
    """Return the name under which an op uses what it touches: ``%m``, ``files``, or ``one buffer``."""
    if isinstance(resource, str):
        return resource
    names = [decoded(name[0]) for name in VALUE_NAME.finditer(ir.own_text(op))]
    del names[: ir.result_count(op)]
    operands = list(ir.operands_of(op))
    place = operands.index(resource) if resource in operands else len(names)
    return names[place] if place < len(names) else "one buffer"


def _comes_from(graph: DependenceGraph, late: int, first: int) -> Container[int]:
    """Return the ops, from the first one on, that a value goes from to an op, directly or through others."""
    pending, found = [late], set[int]()
    while pending:
        for producer in graph.values.predecessors(pending.pop()):
            if producer >= first and producer not in found:
                found.add(producer)
                pending.append(producer)
    return found
