"""The ops that a pass left alone: those that are the same in themselves, in what they use and in their users.

Most ops of most dumps are found here, in one pass over arrays, and need no further evidence. A candidate is
the only op with its label and text in its function, in both dumps. It stays if its operands and its users are
candidates, too, and a change of its region drops it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from eio_audit.audit.diff.compared_dump import ComparedOps
from eio_audit.audit.locations.location_numbers import Numbers

if TYPE_CHECKING:
    from eio_audit.audit.diff.refinement import MatchKeys

NONE = -1  # stands for an op, block or value that has no partner
MANY = -2  # stands for several ops where one is sought


class SameOps:
    """The ops that a pass left alone.

    Complexity: linear in ops and operands.
    """

    def __init__(self, before: ComparedOps, after: ComparedOps, keys: MatchKeys) -> None:
        self._sides = (before, after)
        self._keys = keys
        self._numbers = Numbers()  # its own, since most ops have a token of their own
        self._partner = [NONE] * len(before)
        tokens = [self._tokens_of(side) for side in (0, 1)]
        for old, new in zip(*map(self._only_ops, tokens), strict=True):
            if old >= 0 <= new:
                self._partner[old] = new
        self._keep_confirmed()
        # By op of the dump before, the op it is.
        self.pairs = {old: new for old, new in enumerate(self._partner) if new != NONE}

    @cached_property
    def untouched(self) -> bytearray:
        """By op of the dump before, whether it and its producers are in pairs.

        Its operands are then the same, whatever other pairs there will be.
        """
        ir, functions = self._sides[0].ir, self._keys.functions
        is_safe = bytearray(new != NONE or old in functions for old, new in enumerate(self._partner))
        parents = [ir.parent_op(block) for block in range(ir.block_count)]
        is_safe_block = [parent >= 0 and is_safe[parent] for parent in parents]
        is_safe_value = bytes(
            is_safe[owner] if owner >= 0 else is_safe_block[-1 - owner] for owner in ir.value_owner
        )
        is_safe_use = bytes(map(is_safe_value.__getitem__, ir.operands))
        untouched = bytearray(
            new != NONE and is_safe_use.find(0, start, end) < 0
            for new, (start, end) in zip(self._partner, pairwise(ir.operand_start), strict=True)
        )
        for op, late in ir.late_operands.items():
            untouched[op] &= all(map(is_safe_value.__getitem__, late))
        return untouched

    def _tokens_of(self, side: int) -> list[int]:
        """Return, by op, a number for its function, label and text. NONE if its text cannot be compared."""
        ops, keys = self._sides[side], self._keys
        scopes = [keys.scopes[side][block] for block in ops.ir.op_block]
        contents = keys.contents[side]
        tokens = self._numbers.numbers(zip(scopes, keys.labels[side], contents, strict=True))
        pairs = zip(tokens, contents, strict=True)
        return tokens if None not in contents else [NONE if text is None else token for token, text in pairs]

    def _only_ops(self, tokens: Sequence[int]) -> array[int]:
        """Return, by token, the only op that has it; NONE or MANY if that is not one op."""
        only = array("i", [NONE]) * len(self._numbers)
        for op, token in enumerate(tokens):
            if token != NONE:
                only[token] = op if only[token] == NONE else MANY
        return only

    def _keep_confirmed(self) -> None:
        """Drop the pairs whose block, operands or users are not the same."""
        before, after = self._sides
        blocks = self._blocks()
        values = self._values(blocks)
        operands = [list(map(values.__getitem__, before.ir.operands)), list(after.ir.operands)]
        starts, others = before.ir.operand_start, after.ir.operand_start
        old_block, new_block = before.ir.op_block, after.ir.op_block
        dropped = [old for old, new in enumerate(self._partner) if new == NONE]
        for old, new in enumerate(self._partner):
            if new == NONE:
                continue
            if (
                blocks[old_block[old]] != new_block[new]
                or operands[0][starts[old] : starts[old + 1]] != operands[1][others[new] : others[new + 1]]
            ):
                self._partner[old] = NONE
                dropped.append(old)
        for op, late in before.ir.late_operands.items():
            new = self._partner[op]
            if new != NONE and [values[value] for value in late] != after.ir.late_operands.get(new, []):
                self._partner[op] = NONE
                dropped.append(op)
        if not dropped and len(before) == len(after):
            return
        found = set(self._partner)
        self._drop_near(dropped, [new for new in range(len(after)) if new not in found])

    def _blocks(self) -> list[int]:
        """Return, by block of the dump before, the block at the same place now."""
        before, after = self._sides
        holders = {op: new for op in before.blocks_of if op >= 0 and (new := self._partner[op]) != NONE}
        holders |= self._keys.functions
        at = {(after.ir.parent_op(block), place): block for block, place in enumerate(after.region_places)}
        blocks = []
        for block, place in enumerate(before.region_places):
            parent = before.ir.parent_op(block)
            holder = NONE if parent < 0 else holders.get(parent, len(after))
            blocks.append(at.get((holder, place), NONE))
        return blocks

    def _values(self, blocks: Sequence[int]) -> list[int]:
        """Return, by value of the dump before, the value it is now."""
        before, after = self._sides
        values = [NONE] * len(before.ir.value_owner)
        counts, firsts = after.ir.result_counts, (before.ir.first_result, after.ir.first_result)
        for old, (new, count) in enumerate(zip(self._partner, before.ir.result_counts, strict=True)):
            if new != NONE and counts[new] == count:
                first, other = firsts[0][old], firsts[1][new]
                if count == 1:
                    values[first] = other
                else:
                    values[first : first + count] = range(other, other + count)
        for block, was in before.ir.block_arguments.items():
            now = after.ir.block_arguments.get(blocks[block], [])
            if len(was) == len(now):
                for value, other in zip(was, now, strict=True):
                    values[value] = other
        return values

    def _drop_near(self, dropped: Iterable[int], added: Iterable[int]) -> None:
        """Drop the pairs next to what has no partner: producers, users, and the ops around it."""
        before, after = self._sides
        old, new = _near(before, dropped), _near(after, added)
        for op, other in enumerate(self._partner):
            if op in old or other in new:
                self._partner[op] = NONE


def _near(ops: ComparedOps, changed: Iterable[int]) -> set[int]:
    near: set[int] = set()
    around: set[int] = set()
    for op in changed:
        near.update(owner for owner, _ in ops.producers[op] if owner >= 0)
        near.update(user for user, _ in ops.users[op])
        for parent in ops.ir.enclosing_ops(ops.ir.op_block[op]):
            if parent in around or ops.symbols[parent] is not None:
                break
            around.add(parent)
    return near | around
