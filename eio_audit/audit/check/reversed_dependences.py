"""Reversed dependences: two ops that touch one resource stand in the wrong order.

An inversion that a value forces is a wrong index: a pass gave a new op the location of another. Here no value
goes from the earlier op to the later, and one of the two changes what the other touches, as their rows in the
op table say. If the indices are right, the pass turned the two around, which no legal reorder does. From this
dump alone, a wrong index looks the same.

Only what is certain counts: the same value, or the same state of the machine. Values that may share memory,
elements of a memref at different constant indices, and ops of unknown effect do not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import starmap

from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.dependence import VALUES, DependenceGraph, DependenceKind
from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.effects import Touch
from eio_audit.mlir.tokens import VALUE

MOST = 10_000  # the most pairs that are found in a block; the others are judged as other inversions


def find_reversed(block: KeyedBlock) -> dict[tuple[int, int], int | str]:
    """Return the reversed dependences of a block: the places of both ops, and the value or state they touch.

    The keys of the block are those that can be compared.

    Complexity: linear in the ops and dependences if no effect forces an inversion.
    """
    graph = block.graph
    if graph is None or not any(starmap(block.is_inverted, graph.by_kind(DependenceKind.EFFECT))):
        return {}
    effects, found = block.dump.dependences.effects, dict[tuple[int, int], int | str]()
    earlier = defaultdict[int | str, list[tuple[int, Touch]]](list)
    for place, op in enumerate(block.ops):
        touches = list(effects.certain_touches(op)) if block.keys[place] is not None else []
        pairs = {
            early: touch.resource
            for touch in touches
            for early, other in earlier[touch.resource]
            if block.is_inverted(early, place) and touch.conflicts(other)
        }
        for early, resource in pairs.items():
            if not _goes_value(graph, early, place):
                found[early, place] = resource
        if len(found) > MOST:
            break
        for touch in touches:
            earlier[touch.resource].append((place, touch))
    return found


def name_of_resource(ir: IR, op: int, resource: int | str) -> str:
    """Return the name under which an op uses what it touches: ``%m``, ``files``, or ``one buffer``."""
    if isinstance(resource, str):
        return resource
    names = [name[0].decode("utf-8", "replace") for name in re.finditer(VALUE, ir.own_text(op))]
    del names[: ir.result_count(op)]
    operands = list(ir.operands_of(op))
    place = operands.index(resource) if resource in operands else len(names)
    return names[place] if place < len(names) else "one buffer"


def _goes_value(graph: DependenceGraph, early: int, late: int) -> bool:
    """Return whether a value goes from one op to another, directly or through others."""
    pending, seen = [early], {early}
    while pending:
        for user, kind in graph.users_of(pending.pop()):
            if kind in VALUES and user == late:
                return True
            if kind in VALUES and user < late and user not in seen:
                seen.add(user)
                pending.append(user)
    return False
