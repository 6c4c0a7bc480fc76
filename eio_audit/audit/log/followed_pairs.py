"""The pairs of ops that are out of order, from dump to dump of a program.

An op keeps its number, and goes on as the op that takes its place. The pairs that are out of order at the end
have their classes, the ops in them, and who made them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from eio_audit.audit.check.keyed_block import FixedBlock, PairClasses
from eio_audit.audit.check.keyed_dump import AuditedDump, read_dump
from eio_audit.audit.diff.end_block import EndBlock
from eio_audit.audit.diff.successors import Successors
from eio_audit.audit.gate.findings import Finding, find
from eio_audit.audit.gate.rules import OF_BLOCKS, RULE_OF
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.audit.log.scope_steps import ScopeSide, ScopeStep
from eio_audit.audit.options import AuditOptions
from eio_audit.audit.pair_class import PairClass
from eio_audit.audit.programs.modules import FunctionOrModule
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.semantics.functions import runs_ahead
from eio_audit.order.inverted_pairs import INITIAL, NO_OPS, InvertedPairs, KeyedOps

MOST_OPS = 20_000  # of a block with more ops in inversions, only so many displaced ops are followed
MOST_NAMED = 10  # how many ops of a pass are named at most, those in the most pairs that it left
_RULES = frozenset(rule for one, rule in RULE_OF.items() if one.is_comparable)


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
        self.pairs = InvertedPairs(MOST_OPS)  # the pairs, each with the change that put it out of order
        self._options = options
        self._disordered: dict[int, _Block] = {}  # by first op
        # By function that has changed in dumps that could not be judged, its ops so far that are in a pair.
        self.unjudged: dict[str | None, set[int]] = {}

    def take(self, compared: ScopeStep, origin: Callable[[str | None], int]) -> None:
        """Take what a dump shows of the functions that have changed.

        ``origin`` tells the number of the change that is charged with what is new in a function, or INITIAL.
        """
        if compared.new is None:
            return
        keys = self._keys(compared.new)
        replaced = self._let_go_on(compared, keys)
        around = zip(_functions(compared.new), compared.new.ops.ir.block_ops, strict=True)
        read = {function for function, ops in around if ops and function is not None}
        gone = _own_ops(compared.old) | self._disordered_in(read)
        for function in self.unjudged.keys() & {*_functions(compared.old), *_functions(compared.new)}:
            gone |= self.unjudged.pop(function)
        self._update(gone, [*_blocks(compared.new, keys, origin)], replaced)

    def pass_over(self, compared: ScopeStep) -> None:
        """Take a dump that cannot be judged. What it shows counts as it was, until a dump can be judged."""
        if compared.new is None:
            return
        old, shown = compared.old, {*_functions(compared.new)}
        self.unjudged |= {function: set() for function in shown - self.unjudged.keys()}
        if old is None:
            return
        gone = self.pairs.among(_own_ops(old))
        for op, number in enumerate(old.numbers):
            if number in gone and (function := old.function_of(op)) in shown:
                gone.discard(number)
                self.unjudged[function].add(number)
        for function in (self.unjudged.keys() & {*_functions(old)}) - shown:  # it has vanished
            gone |= self.unjudged.pop(function)
        self._update(gone, [])

    def _update(
        self, gone: set[int], blocks: Sequence[_Block], replaced: Mapping[int, Collection[int]] = NO_OPS
    ) -> None:
        for first in self._disordered.keys() & gone:
            del self._disordered[first]
        self._disordered |= {block.ops.ops[0]: block for block in blocks if not block.ops.is_in_order}
        self.pairs.update(gone, [block.ops for block in blocks], replaced)

    def _disordered_in(self, functions: Collection[FunctionOrModule]) -> set[int]:
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

    def _let_go_on(self, compared: ScopeStep, keys: Sequence[int | None]) -> dict[int, set[int]]:
        """Let removed ops that are in a pair go on as the added ops in their place.

        Return the numbers of ops in a pair in whose place an op stands, too, by its number.
        """
        old, new, comparison = compared.old, compared.new, compared.comparison
        if old is None or new is None or comparison is None:
            return {}
        in_pairs = self.pairs.among(_own_ops(old))
        wanted = {op for op, number in enumerate(old.numbers) if number in in_pairs}
        is_replaced = comparison.added or not wanted <= comparison.became.keys()
        if not wanted or not is_replaced:
            return {}
        successors = Successors(comparison, compared.origins, (self._keys(old), keys))
        numbers = {op: old.numbers[op] for op in wanted}
        for op, successor in successors.of_removed.items():
            if op in wanted:
                self.pairs.replace(old.numbers[op], new.numbers[successor])
                numbers[op] = new.numbers[successor]
        return {
            new.numbers[op]: {*map(numbers.__getitem__, replaced)}
            for op, replaced in successors.replaced(wanted).items()
        }


def _functions(side: ScopeSide | None) -> Sequence[str | None]:
    return () if side is None else side.ops.functions


def _own_ops(side: ScopeSide | None) -> set[int]:
    """Return the numbers of the ops of a side. The block of a single outermost op is not shown."""
    if side is None:
        return set()
    numbers, outermost = {*side.numbers}, side.ops.ir.block_ops[0]
    return numbers - {side.numbers[outermost[0]]} if len(outermost) == 1 else numbers


def _blocks(
    side: ScopeSide, keys: Sequence[int | None], origin: Callable[[str | None], int]
) -> Iterator[_Block]:
    """Yield the blocks of a side that have ops with keys."""
    ir, functions = side.ops.ir, side.ops.functions
    for number, ops in enumerate(ir.block_ops):
        if number or len(ops) > 1:
            own = [(side.numbers[op], key) for op in ops if (key := keys[op]) is not None]
            if own:
                function = functions[number]
                keyed = KeyedOps([op for op, _ in own], [key for _, key in own], origin(function))
                yield _Block(function, keyed)


class LeftOp(NamedTuple):
    """An op in pairs that a pass left out of order."""

    op: OpLabel  # the op, in the last dump
    source: str  # the file of that dump
    function: str | None  # the symbol of the function around it, or None
    pairs: int  # in how many of the pairs it is


class LeftPairs:
    """The pairs of one program, by the origin that is charged with them, at the end of a log."""

    def __init__(self, pairs: InvertedPairs) -> None:
        self.made = pairs.made  # how many it put out of order
        self.multiplied = pairs.multiplied  # how many of them a later pass added, with ops in place of one
        self.undone = pairs.undone  # how many it put in order
        self.left = pairs.left  # how many of those that it made are out of order
        # By origin, how many pairs of each class it left. Those in graph regions have none.
        self.classes = defaultdict[int, Counter[PairClass]](Counter)
        # By origin, the ops in its pairs that `fix --relabel` changes, those in most of them first. In a
        # block that it leaves as it is, the displaced ops.
        self.ops = defaultdict[int, list[LeftOp]](list)
        self.ahead = Counter[int]()  # by origin, how many pairs it left in functions that run ahead
        # The findings in the last dumps, each with the origin of most of its pairs.
        self.findings = list[tuple[Finding, int]]()
        self.blocks = list[EndBlock]()  # those that are out of order


class LastAudit(NamedTuple):
    """The audit of some functions, for the dump that showed them last."""

    dump: Dump  # that dump
    functions: list[str | None]  # the functions; the audit may have others
    audited: AuditedDump  # the audit, maybe of an earlier dump with the same text of these functions
    lines: int  # how many lines further down they are in that dump


def left_pairs(followed: FollowedPairs, audits: Iterable[LastAudit]) -> LeftPairs:
    """Return the pairs at the end, by the audits of the functions that are out of order then."""
    left = LeftPairs(followed.pairs)
    for dump, functions, audited, lines in audits:
        blocks: dict[tuple[int, int], _LeftBlock] = {}
        for number, figures in zip(audited.blocks, audited.audit.blocks, strict=True):
            if figures.inversions and figures.function in functions:
                block = FixedBlock(audited, number)
                ops = followed.ops_of(figures.function, block.indexed_keys)
                if ops is not None:
                    place = audited.ir.source.position_at(audited.ir.block_offset(number))
                    blocks[place.line, place.column] = _LeftBlock(block, ops, followed.pairs)
        for one in blocks.values():
            one.add_to(left, dump.source.name, lines)
            left.blocks.append(one.at_end())
        for finding in find(audited, _RULES):
            if finding.function in functions:
                found = blocks.get((finding.block_line, finding.block_column))
                origin = INITIAL if found is None else found.origin(finding)
                left.findings.append((finding.at(dump.place, lines), origin))
    for maker, named in left.ops.items():
        left.ops[maker] = sorted(named, key=lambda one: (-one.pairs, one.op.line))[:MOST_NAMED]
    return left


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

    def add_to(self, left: LeftPairs, source: str, lines: int) -> None:
        for one, numbers in self._classes.items():
            for origin, number in numbers.items():
                left.classes[origin][one] += number
                left.ahead[origin] += number if runs_ahead(self._block.audit.function) else 0
        block, function = self._block, self._block.audit.function
        named = [p for p in self._at if p in block.moved or block.ops[p] in block.dump.donors]
        for place in named or block.displaced:
            for origin, number in self._numbers.get(self._at[place], {}).items():
                if number:
                    op = block.label(place).shifted(lines)
                    left.ops[origin].append(LeftOp(op, source, function, number))

    def at_end(self) -> EndBlock:
        """Return what an estimate needs of the block."""
        charged = defaultdict[int, set[int]](set)
        for place, op in self._at.items():
            for origin in +self._numbers.get(op, Counter[int]()):
                charged[origin].add(place)
        dump, number = self._block.dump, self._block.number
        return EndBlock(dump, number, dump.ir.of_block(number, dump.keys.by_op), dict(charged))

    def origin(self, finding: Finding) -> int:
        """Return the origin of most pairs that a finding is about."""
        if finding.rule in OF_BLOCKS:
            numbers = sum(
                (self._classes[one] for one, rule in RULE_OF.items() if rule == finding.rule), Counter[int]()
            )
        else:
            places = self._places.get((finding.line, finding.column))
            numbers = Counter() if places is None else self._numbers.get(self._at[places], Counter())
        return max(numbers, key=lambda origin: (numbers[origin], origin), default=INITIAL)

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        """By line and column, the place of an op that is in a pair."""
        ir, places = self._block.dump.ir, [place for place, op in self._at.items() if op in self._numbers]
        positions = (ir.source.position_at(ir.op_start[self._block.ops[place]]) for place in places)
        return {(at.line, at.column): place for at, place in zip(positions, places, strict=True)}
