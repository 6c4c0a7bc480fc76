"""The ops that a pass left alone: those that are the same in themselves, in what they use and in their users.

Most ops of most dumps are found here, in one pass over arrays, and need no further evidence. A candidate has
the same label and text in the same function. It is the only such op, or it follows or precedes another
candidate. It stays if its operands and its users are candidates, too, and a change of its region drops it.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from eio_audit.audit.diff.compared_dump import ComparedOps
from eio_audit.audit.locations.location_numbers import Numbers

if TYPE_CHECKING:
    from eio_audit.audit.diff.refinement import MatchKeys

NONE = -1
"""Stands for an op, block or value that has no partner."""

MANY = -2
"""Stands for several ops where one is sought."""

FAR = -3
"""Comes next to no op."""


class SameOps:
    """The ops that a pass left alone.

    Attributes:
        pairs: by op of the dump before, the op it is.
        untouched: by op of the dump before, whether it and its producers are in pairs. Its operands are then
            the same, whatever other pairs there will be.

    Complexity: linear in ops and operands.
    """

    def __init__(self, before: ComparedOps, after: ComparedOps, keys: MatchKeys) -> None:
        candidates = _Candidates(before, after, keys)
        candidates.keep_confirmed()
        self.pairs = {old: new for old, new in enumerate(candidates.partner) if new != NONE}
        functions = keys.functions
        is_safe = bytearray(new != NONE or old in functions for old, new in enumerate(candidates.partner))
        ir = before.ir
        parents = [ir.parent_op(block) for block in range(ir.block_count)]
        is_safe_block = [parent >= 0 and is_safe[parent] for parent in parents]
        is_safe_value = bytes(
            is_safe[owner] if owner >= 0 else is_safe_block[-1 - owner] for owner in ir.value_owner
        )
        is_safe_use = bytes(map(is_safe_value.__getitem__, ir.operands))
        self.untouched = bytearray(
            new != NONE and is_safe_use.find(0, start, end) < 0
            for new, (start, end) in zip(candidates.partner, pairwise(ir.operand_start), strict=True)
        )
        for op, late in ir.late_operands.items():
            self.untouched[op] &= all(map(is_safe_value.__getitem__, late))


class _Candidates:
    """Pairs that may be the same op. ``partner`` has them by op of the dump before."""

    def __init__(self, before: ComparedOps, after: ComparedOps, keys: MatchKeys) -> None:
        self._sides = (before, after)
        self._keys = keys
        self._numbers = Numbers()  # its own, since most ops have a token of their own
        self._tokens = [self._tokens_of(side) for side in (0, 1)]
        self.partner = [NONE] * len(before)
        self._taken = bytearray(len(after))
        self._is_unique = bytearray(len(before))
        self._pair_unique(self._tokens)
        if NONE in self.partner and not all(self._taken):
            numbers = [self._with_operands(side) for side in (0, 1)]
            self._pair_unique(numbers)
            self._pair_next(range(len(before)), 1)
            self._pair_next(range(len(before) - 1, -1, -1), -1)
            self._uncross(numbers[0])

    def _tokens_of(self, side: int) -> list[int]:
        """Return, by op, a number for its function, label and text. NONE if its text cannot be compared."""
        ops, keys = self._sides[side], self._keys
        scopes = [keys.scopes[side][block] for block in ops.ir.op_block]
        contents = keys.contents[side]
        tokens = self._numbers.numbers(zip(scopes, keys.labels[side], contents, strict=True))
        if None in contents:
            return [
                NONE if content is None else token for token, content in zip(tokens, contents, strict=True)
            ]
        return tokens

    def _with_operands(self, side: int) -> list[int]:
        """Return, by op without a partner, a number for its token and its operands. NONE for others."""
        ops, tokens = self._sides[side], self._tokens[side]
        numbers = [NONE] * len(ops)
        is_paired = self._taken if side else bytearray(new != NONE for new in self.partner)
        for op, token in enumerate(tokens):
            if token != NONE and not is_paired[op]:
                operands = (
                    (tokens[owner], number) if owner >= 0 else number for owner, number in ops.producers[op]
                )
                numbers[op] = self._numbers.number((token, *operands))
        return numbers

    def _pair_unique(self, tokens: Sequence[Sequence[int]]) -> None:
        for old, new in zip(*(self._only_ops(side) for side in tokens), strict=True):
            if old >= 0 <= new and self._pair(old, new):
                self._is_unique[old] = 1

    def _only_ops(self, tokens: Sequence[int]) -> array[int]:
        """Return, by token, the only op that has it; NONE or MANY if that is not one op."""
        only = array("i", [NONE]) * len(self._numbers)
        for op, token in enumerate(tokens):
            if token != NONE:
                only[token] = op if only[token] == NONE else MANY
        return only

    def _pair(self, old: int, new: int) -> bool:
        if self._taken[new] or self.partner[old] != NONE:
            return False
        self.partner[old] = new
        self._taken[new] = 1
        return True

    def _pair_next(self, ops: range, step: int) -> None:
        """Pair each op that comes after (``step`` 1) or before (-1) a pair with what comes there now."""
        tokens, others = self._tokens
        new = NONE if step == 1 else len(others)
        for old in ops:
            new += step
            if self.partner[old] == NONE and 0 <= new < len(others) and tokens[old] == others[new] != NONE:
                self._pair(old, new)
            new = self.partner[old] if self.partner[old] != NONE else FAR

    def _uncross(self, numbers: Sequence[int]) -> None:
        """Pair equal ops of a block in order. No user tells them apart, and their order may have a meaning.

        Args:
            numbers: by op of the dump before, a number for its token and operands. NONE for a unique op.
        """
        before, after = (side.ir.op_block for side in self._sides)
        equal: dict[tuple[int, int, int], list[int]] = {}
        for op, number in enumerate(numbers):
            new = self.partner[op]
            if NONE not in (number, new) and not self._is_unique[op]:
                equal.setdefault((number, before[op], after[new]), []).append(op)
        for ops in equal.values():
            partners = [self.partner[op] for op in ops]
            in_order = sorted(partners)
            if partners != in_order and not any(self._sides[0].users[op] for op in ops):
                for op, new in zip(ops, in_order, strict=True):
                    self.partner[op] = new

    def keep_confirmed(self) -> None:
        """Drop the pairs whose block, operands or users are not the same."""
        before, after = self._sides
        blocks = self._blocks()
        values = self._values(blocks)
        operands = [list(map(values.__getitem__, before.ir.operands)), list(after.ir.operands)]
        starts, others = before.ir.operand_start, after.ir.operand_start
        old_block, new_block = before.ir.op_block, after.ir.op_block
        dropped = [old for old, new in enumerate(self.partner) if new == NONE]
        for old, new in enumerate(self.partner):
            if new == NONE:
                continue
            if (
                blocks[old_block[old]] != new_block[new]
                or operands[0][starts[old] : starts[old + 1]] != operands[1][others[new] : others[new + 1]]
            ):
                self.partner[old] = NONE
                dropped.append(old)
        for op, late in before.ir.late_operands.items():
            new = self.partner[op]
            if new != NONE and [values[value] for value in late] != after.ir.late_operands.get(new, []):
                self.partner[op] = NONE
                dropped.append(op)
        if not dropped and len(before) == len(after):
            return
        found = set(self.partner)
        self._drop_near(dropped, [new for new in range(len(after)) if new not in found])
        if not all(self._is_unique):
            self._drop_unfounded()

    def _blocks(self) -> list[int]:
        """Return, by block of the dump before, the block at the same place now."""
        before, after = self._sides
        holders = self._holders()
        at = {(after.ir.parent_op(block), place): block for block, place in enumerate(after.region_places)}
        blocks = []
        for block, place in enumerate(before.region_places):
            parent = before.ir.parent_op(block)
            holder = NONE if parent < 0 else holders.get(parent, len(after))
            blocks.append(at.get((holder, place), NONE))
        return blocks

    def _holders(self) -> dict[int, int]:
        """Return, by op with regions, what holds them now: the only one with its label, if it has changed."""
        before = self._sides[0]
        holders = {op: new for op in before.blocks_of if op >= 0 and (new := self.partner[op]) != NONE}
        holders |= self._keys.functions
        places: dict[Hashable, tuple[list[int], list[int]]] = {}
        taken = set(holders.values())
        for side, ops in enumerate(self._sides):
            for op in ops.blocks_of:
                if op >= 0 and op not in (taken if side else holders):
                    key = self._keys.scopes[side][ops.ir.op_block[op]], self._keys.labels[side][op]
                    places.setdefault(key, ([], []))[side].append(op)
        return holders | {old[0]: new[0] for old, new in places.values() if len(old) == len(new) == 1}

    def _values(self, blocks: Sequence[int]) -> list[int]:
        """Return, by value of the dump before, the value it is now."""
        before, after = self._sides
        values = [NONE] * len(before.ir.value_owner)
        counts, firsts = after.ir.result_counts, (before.ir.first_result, after.ir.first_result)
        for old, (new, count) in enumerate(zip(self.partner, before.ir.result_counts, strict=True)):
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
        for op, other in enumerate(self.partner):
            if op in old or other in new:
                self.partner[op] = NONE

    def _drop_unfounded(self) -> None:
        """Drop the pairs that nothing connects with a unique pair: another layer may be like theirs."""
        partner, ops = self.partner, self._sides[0]
        pending = {op for op, new in enumerate(partner) if new != NONE and not self._is_unique[op]}
        found = [
            op for op in pending if any(partner[o] != NONE and o not in pending for o in _beside(ops, op))
        ]
        while found:
            op = found.pop()
            if op in pending:
                pending.remove(op)
                found += [other for other in _beside(ops, op) if other in pending]
        for op in pending:
            partner[op] = NONE


def _beside(ops: ComparedOps, op: int) -> Iterator[int]:
    """The producers and users of an op, the op around it and those in it, but no op with a symbol."""
    ir = ops.ir
    for other in (ir.parent_op(ir.op_block[op]), *(owner for owner, _ in ops.producers[op])):
        if other >= 0 and ops.symbols[other] is None:
            yield other
    if ops.symbols[op] is None:
        yield from (user for user, _ in ops.users[op])
        for block in ops.blocks_of.get(op, ()):
            yield from ir.block_ops[block]


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
