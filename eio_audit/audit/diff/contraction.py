"""The dataflow of two dumps with the ops passed over that passes add and remove freely.

Passes insert, move and cancel casts, permutes, reshapes and broadcasts, and then all types and neighbours of a
chain differ, though what is computed is the same. So an op with one operand and one result is *passed over* if
ops of its name are not equally many in both dumps: a user of its result counts as a user of its operand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

from eio_audit.audit.diff.refinement import ComparedOps


class Contraction:
    """The dataflow of one dump without the ops that are passed over.

    Attributes:
        is_passed_over: by op.
        producers: by op and operand, the first op above that is not passed over, and its result number; a block
            argument as in ``ComparedOps``.
        users: by op, the users that are not passed over, with the place among their operands.
    """

    def __init__(self, ops: ComparedOps, names: Container[str]) -> None:
        ir = ops.ir
        self.is_passed_over = [
            ops.names[op] in names and len(ops.producers[op]) == 1 and ir.result_count(op) == 1 and op not in ops.blocks_of
            for op in range(len(ops))
        ]
        self.producers: list[list[tuple[int, int]]] = []
        self.users: list[list[tuple[int, int]]] = [[] for _ in range(len(ops))]
        for op in range(len(ops)):
            found = []
            for owner, number in ops.producers[op]:
                # An op below its user (in a graph region) has not been looked at yet: it stays.
                if 0 <= owner < op and self.is_passed_over[owner]:
                    found.append(self.producers[owner][0])
                else:
                    found.append((owner, number))
            self.producers.append(found)
            if not self.is_passed_over[op]:
                for place, (owner, _) in enumerate(found):
                    if owner >= 0:
                        self.users[owner].append((op, place))


def contractions(before: ComparedOps, after: ComparedOps) -> tuple[Contraction, Contraction] | None:
    """The dataflow of both dumps, contracted; None if no op is passed over."""
    was, now = Counter(before.names), Counter(after.names)
    names = {name for name in was.keys() | now.keys() if was[name] != now[name]}
    both = Contraction(before, names), Contraction(after, names)
    return both if any(any(side.is_passed_over) for side in both) else None
