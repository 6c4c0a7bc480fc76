"""The pairs of ops out of order in one program, followed from dump to dump by the numbers of its ops.

Those that are out of order at the end have their classes, the ops in them, and who made them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.keyed_block import FixedBlock, PairClass, PairClasses
from eio_audit.audit.check.keyed_dump import AuditedDump, SharedWork, read_dump
from eio_audit.audit.diff.op_changes import Relation
from eio_audit.audit.gate.findings import Finding, find
from eio_audit.audit.gate.rules import AVOIDABLE, HOISTED, SPLIT, WRONG_INDEX
from eio_audit.audit.locations.location_numbers import NO_LOCATION
from eio_audit.audit.log.inverted_pairs import INITIAL, InvertedPairs, KeyedOps
from eio_audit.audit.log.scope_steps import ScopeSide, ScopeStep
from eio_audit.audit.log.walk import Part
from eio_audit.audit.op_label import OpLabel
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump


class _Block(NamedTuple):
    """A block: the function around it, and its ops that have a key."""

    function: str | None
    ops: KeyedOps


class FollowedPairs:
    """The pairs of one program: ``take`` each comparison of a dump with the text before it.

    An op keeps its number. A removed op goes on as an added op that was made from it. If several modules have
    functions of one name, only the one that was shown last counts, as in the figures of a trace.
    """

    def __init__(self, options: AuditOptions) -> None:
        self.pairs = InvertedPairs()  # the pairs, each with the change that put it out of order
        self._options = options
        self._disordered: dict[int, _Block] = {}  # by first op
        self._unjudged: dict[str | None, set[int]] = defaultdict(set)

    def take(self, found: ScopeStep, origin: Callable[[str | None], int]) -> None:
        """Take what a dump shows of the functions that have changed.

        ``origin`` tells the number of the change that is charged with what is new in a function, or INITIAL.
        """
        if found.new is None:
            return
        keys = self._keys(found.new)
        self._let_go_on(found, keys)
        around = zip(_functions(found.new), found.new.ops.ops.ir.block_ops, strict=True)
        read = {function for function, ops in around if ops and function is not None}
        gone = _own_ops(found.old) | self._disordered_in(read)
        for function in self._unjudged.keys() & {*_functions(found.old), *_functions(found.new)}:
            gone |= self._unjudged.pop(function)
        self._update(gone, [*_blocks(found.new, keys, origin)])

    def pass_over(self, found: ScopeStep) -> None:
        """Take a dump that carries no index. What it shows counts as it was, until a dump can be judged."""
        if found.old is None or found.new is None:
            return
        functions, shown = found.old.ops.ops.functions, {*_functions(found.new)}
        gone = self.pairs.among(_own_ops(found.old))
        for op, number in enumerate(found.old.numbers):
            function = functions[found.old.ops.ops.ir.op_block[op]]
            if number in gone and function in shown:
                gone.discard(number)
                self._unjudged[function].add(number)
        self._update(gone, [])

    def end(self, judged: Iterable[Part], vanished: Collection[Part]) -> None:
        """End what was passed over in functions that a dump with indices shows, and all in vanished ones."""
        gone = self._disordered_in(vanished)
        for part in (*judged, *vanished):
            if not isinstance(part, int):
                gone |= self._unjudged.pop(part, set())
        self._update(gone, [])

    def _update(self, gone: set[int], blocks: Sequence[_Block]) -> None:
        for first in self._disordered.keys() & gone:
            del self._disordered[first]
        self._disordered |= {block.ops.ops[0]: block for block in blocks if not block.ops.is_in_order}
        self.pairs.update(gone, [block.ops for block in blocks])

    def _disordered_in(self, functions: Collection[Part]) -> set[int]:
        """Return the ops of the blocks of some functions that are out of order."""
        blocks = (block for block in self._disordered.values() if block.function in functions)
        return {op for block in blocks for op in block.ops.ops}

    def ops_of(self, function: str | None, keys: Sequence[int]) -> Sequence[int] | None:
        """Return the ops with keys of a block that is out of order now; None if it is not known."""
        blocks = (ops for around, ops in self._disordered.values() if around == function)
        return next((block.ops for block in blocks if block.keys == keys), None)

    def _keys(self, side: ScopeSide) -> Sequence[int | None]:
        dump = side.ops.dump
        if self._options.order_from is None:
            return dump.keys.by_op
        return read_dump(dump.dump, self._options).keys.by_op

    def _let_go_on(self, found: ScopeStep, keys: Sequence[int | None]) -> None:
        """Let removed ops that are in a pair go on as the added ops that were made from them."""
        old, new, comparison = found.old, found.new, found.comparison
        if old is None or new is None or comparison is None:
            return
        in_pairs, became = self.pairs.among(_own_ops(old)), comparison.became
        removed = {op for op, number in enumerate(old.numbers) if number in in_pairs and op not in became}
        if not removed:
            return
        was, now = comparison.location_numbers
        made = [
            (relation is not Relation.CONVERTED, now[op] != was[source], op, source)
            for op, (source, relation) in found.origins.items()
            if source in removed and keys[op] is not None
        ]
        for _, _, op, source in sorted(made):
            if source in removed:
                removed.remove(source)
                self.pairs.replace(old.numbers[source], new.numbers[op])
        # if only one op is left on each side of a location, the one became the other
        rest: dict[int, list[int]] = defaultdict(list)
        for op in comparison.added:
            if op not in found.origins and keys[op] is not None and now[op] != NO_LOCATION:
                rest[now[op]].append(op)
        sources: dict[int, list[int]] = defaultdict(list)
        for source in removed:
            sources[was[source]].append(source)
        for location, ops in rest.items():
            if len(ops) == len(sources.get(location, ())) == 1:
                self.pairs.replace(old.numbers[sources[location][0]], new.numbers[ops[0]])


def _functions(side: ScopeSide | None) -> Sequence[str | None]:
    return () if side is None else side.ops.ops.functions


def _own_ops(side: ScopeSide | None) -> set[int]:
    """Return the numbers of the ops of a side. The block of a single outermost op is not shown."""
    if side is None:
        return set()
    numbers, outermost = {*side.numbers}, side.ops.ops.ir.block_ops[0]
    return numbers - {side.numbers[outermost[0]]} if len(outermost) == 1 else numbers


def _blocks(
    side: ScopeSide, keys: Sequence[int | None], origin: Callable[[str | None], int]
) -> Iterator[_Block]:
    """Yield the blocks of a side that have ops with keys."""
    ir, functions = side.ops.ops.ir, side.ops.ops.functions
    for number, ops in enumerate(ir.block_ops):
        if number or len(ops) > 1:
            own = [(side.numbers[op], key) for op in ops if (key := keys[op]) is not None]
            if own:
                function = functions[number]
                keyed = KeyedOps([op for op, _ in own], [key for _, key in own], origin(function))
                yield _Block(function, keyed)


_RULES = (AVOIDABLE, WRONG_INDEX, HOISTED, SPLIT)
_CLASS_OF = {HOISTED: PairClass.HOISTED_CONSTANT, SPLIT: PairClass.SPLIT}

MOST_NAMED = 10  # how many ops of a pass are named at most, those in the most pairs that it left


class LeftOp(NamedTuple):
    """An op in pairs that a pass left out of order."""

    op: OpLabel  # the op, in the last dump
    source: str  # the file of that dump
    function: str | None  # the symbol of the function around it, or None
    pairs: int  # in how many of the pairs it is


@dataclass(slots=True)
class LeftPairs:
    """The pairs of one program, by the origin that is charged with them, at the end of a log."""

    made: Counter[int]  # how many it put out of order
    undone: Counter[int]  # how many it put in order
    left: Counter[int]  # how many of those that it made are out of order
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
    """Return the pairs at the end. ``shown_in`` has the last dump of each function that can be judged."""
    pairs, work = followed.pairs, SharedWork(0)
    left = LeftPairs(pairs.made, pairs.undone, pairs.left)
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
    """A block with pairs out of order at the end. ``ops`` are the numbers of its ops that count."""

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
