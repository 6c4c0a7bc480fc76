"""The pairs of ops out of order at the end of a log: their classes, the ops in them, and who made them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.keyed_block import FixedBlock
from eio_audit.audit.check.keyed_dump import AuditedDump, SharedWork
from eio_audit.audit.check.pair_classes import PairClass, PairClasses
from eio_audit.audit.gate.findings import Finding, find
from eio_audit.audit.gate.rules import AVOIDABLE, HOISTED, SPLIT, WRONG_INDEX
from eio_audit.audit.log.followed_pairs import FollowedPairs
from eio_audit.audit.log.inverted_pairs import INITIAL, InvertedPairs
from eio_audit.audit.op_label import OpLabel
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump

_RULES = (AVOIDABLE, WRONG_INDEX, HOISTED, SPLIT)
_CLASS_OF = {HOISTED: PairClass.HOISTED_CONSTANT, SPLIT: PairClass.SPLIT}

MOST_NAMED = 10
"""How many ops of a pass are named at most, those in the most pairs that it left."""


class LeftOp(NamedTuple):
    """An op in pairs that a pass left out of order."""

    op: OpLabel  # the op, in the last dump
    source: str  # the file of that dump
    function: str | None  # the symbol of the function around it, or None
    pairs: int  # in how many of the pairs it is


@dataclass(slots=True)
class LeftPairs:
    """The pairs of one program that are out of order at the end of a log."""

    # By origin, how many pairs of each class it left. Those in graph regions have none.
    classes: dict[int, Counter[PairClass]] = field(default_factory=lambda: defaultdict(Counter))
    # By origin, the ops in its pairs that `fix --relabel` changes, those in most of them first. In a
    # block that it leaves as it is, the displaced ops.
    ops: dict[int, list[LeftOp]] = field(default_factory=lambda: defaultdict(list))
    # The findings in the last dumps, each with the origin of most of its pairs.
    findings: list[tuple[Finding, int]] = field(default_factory=list)


def left_pairs(
    followed: FollowedPairs, shown_in: Mapping[str | None, Dump], options: AuditOptions
) -> LeftPairs:
    """Return the pairs at the end.

    Args:
        followed: the pairs of a program.
        shown_in: by function out of order, the last dump of it that can be judged.
        options: the options of the audits.
    """
    left, work = LeftPairs(), SharedWork(0)
    for dump in {id(dump): dump for dump in shown_in.values()}.values():
        audited = audit_dump(dump, options, work)
        functions = {function for function, last in shown_in.items() if last is dump}
        blocks: dict[tuple[int, int], _LeftBlock] = {}
        for number, figures in zip(audited.blocks, audited.audit.blocks, strict=True):
            if figures.inversions and figures.function in functions:
                block = FixedBlock(audited, number)
                ops = followed.ops_of(figures.function, block.indexed_keys)
                if ops is not None:
                    blocks[_position(audited, number)] = _LeftBlock(block, ops, followed.pairs)
        for one in blocks.values():
            one.add_to(left)
        for finding in find(audited, _RULES):
            if finding.function in functions:
                found = blocks.get((finding.block_line, finding.block_column))
                left.findings.append((finding, INITIAL if found is None else found.origin(finding)))
    for origin, named in left.ops.items():
        left.ops[origin] = sorted(named, key=lambda one: (-one.pairs, one.op.line))[:MOST_NAMED]
    return left


def _position(dump: AuditedDump, block: int) -> tuple[int, int]:
    position = dump.ir.source.position_at(dump.ir.block_offset(block))
    return position.line, position.column


class _LeftBlock:
    """A block with pairs out of order at the end.

    Args:
        block: the block.
        ops: the numbers of its ops that count.
        pairs: the pairs of its program.
    """

    def __init__(self, block: FixedBlock, ops: Sequence[int], pairs: InvertedPairs) -> None:
        self._block = block
        self._at = dict(zip(block.indexed, ops, strict=True))
        self._numbers = pairs.at_each(ops)
        self._classes: dict[PairClass, Counter[int]] = defaultdict(Counter)
        own = pairs.bits_of(ops)
        bits = [max(own) + 1] * len(block.ops)
        for place, bit in zip(block.indexed, own, strict=True):
            bits[place] = bit
        classes = PairClasses(block, bits)
        for place, op in self._at.items() if block.has_order else ():
            for origin, inverted in pairs.row(op).items():
                for one, divided in classes.divide(place, inverted).items():
                    self._classes[one][origin] += divided.bit_count()

    def add_to(self, left: LeftPairs) -> None:
        """Add its pairs and ops."""
        for one, numbers in self._classes.items():
            for origin, number in numbers.items():
                left.classes[origin][one] += number
        block, source, function = self._block, self._block.dump.dump.source.name, self._block.audit.function
        named = [p for p in self._at if p in block.moved or block.ops[p] in block.dump.donors]
        for place in named or block.displaced:
            for origin, number in self._numbers.get(self._at[place], {}).items():
                if number:
                    left.ops[origin].append(LeftOp(block.label(place), source, function, number))

    def origin(self, finding: Finding) -> int:
        """Return the origin of most pairs that a finding is about."""
        if finding.rule in _CLASS_OF:
            numbers = self._classes[_CLASS_OF[finding.rule]]
        else:
            places = self._places.get((finding.line, finding.column))
            numbers = Counter() if places is None else self._numbers.get(self._at[places], Counter())
        return max(numbers, key=lambda origin: (numbers[origin], origin), default=INITIAL)

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        """By line and column, the place of an op that counts."""
        ir = self._block.dump.ir
        positions = (ir.source.position_at(ir.op_start[self._block.ops[place]]) for place in self._at)
        return {(at.line, at.column): place for at, place in zip(positions, self._at, strict=True)}
