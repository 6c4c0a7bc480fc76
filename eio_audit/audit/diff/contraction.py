"""The dataflow of two dumps without the ops that passes add and remove freely.

Passes insert, move and cancel casts, permutes, reshapes and broadcasts. Then the types and neighbours of a
whole chain differ, though the same is computed. So an op with one operand and one result is *passed over* if
ops of its name are not equally many in both dumps: a user of its result counts as a user of its operand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from copy import copy

from eio_audit.audit.diff.refinement import ComparedOps


def contracted(before: ComparedOps, after: ComparedOps) -> tuple[ComparedOps, ComparedOps] | None:
    """Both dumps with other ``producers`` and ``users``: each the first that is not passed over.

    An op that is passed over has none of either. The result is None if there is no such op.
    """
    was, now = Counter(before.names), Counter(after.names)
    names = {name for name in was.keys() | now.keys() if was[name] != now[name]}
    sides = _contracted(before, names), _contracted(after, names)
    is_same = all(side.producers == ops.producers for side, ops in zip(sides, (before, after), strict=True))
    return None if is_same else sides


def _contracted(ops: ComparedOps, names: Container[str]) -> ComparedOps:
    side = copy(ops)
    side.blocks_of = {}
    side.users = [[] for _ in range(len(ops))]
    side.producers = []
    passed_on: dict[int, tuple[int, int]] = {}  # by op that is passed over, the value that it hands on
    for op, operands in enumerate(ops.producers):
        found = [passed_on.get(owner, (owner, number)) for owner, number in operands]
        if ops.names[op] in names and len(found) == ops.ir.result_count(op) == 1 and op not in ops.blocks_of:
            passed_on[op] = found[0]
            found = []
        side.producers.append(found)
        for place, (owner, _) in enumerate(found):
            if owner >= 0:
                side.users[owner].append((op, place))
    return side
