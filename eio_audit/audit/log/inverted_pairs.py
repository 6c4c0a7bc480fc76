"""Since which change each pair of ops has been out of order without a break.

A pair of ops is out of order if both are in one block, and the earlier one has the greater key. The change
that put it out of order is its origin until the pair is in order again, or ends: an op that is gone, that has
lost its key or that is in another block than the other op is in no pair with it.

Pairs are the bits of integers. Each op that is in a pair has a bit among those of its function, and a row: by
origin, the bits of the ops that it should follow.

The pairs of a program are followed from dump to dump by the numbers of its ops. Those that are out of order
at the end have their classes, the ops in them, and who made them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import accumulate, chain, compress, groupby, islice
from operator import gt, itemgetter, lt, or_
from typing import NamedTuple

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.keyed_block import FixedBlock, PairClasses
from eio_audit.audit.check.keyed_dump import SharedWork, read_dump
from eio_audit.audit.diff.homes import used_in_block
from eio_audit.audit.gate.findings import Finding, find
from eio_audit.audit.gate.rules import OF_BLOCKS, RULE_OF
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.audit.log.end_block import EndBlock
from eio_audit.audit.log.scope_steps import ScopeSide, ScopeStep
from eio_audit.audit.log.successors import Successors
from eio_audit.audit.log.walk import FunctionOrModule
from eio_audit.audit.options import AuditOptions
from eio_audit.audit.pair_class import PairClass
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.semantics.functions import runs_ahead
from eio_audit.order.permutation import displaced

MOST_OPS = 20_000  # of a block with more ops in inversions, only so many displaced ops are followed
MOST_NAMED = 10  # how many ops of a pass are named at most, those in the most pairs that it left
NO_OPS: Mapping[int, Collection[int]] = {}
INITIAL = -1  # the origin of pairs that no change made: the first state of their function has them
_RULES = frozenset(rule for one, rule in RULE_OF.items() if one.is_comparable)


class KeyedOps(NamedTuple):
    """The ops of a block that have a key, in textual order."""

    ops: Sequence[int]  # their numbers
    keys: Sequence[int]  # their keys
    origin: int  # what is charged with its pairs that are new: the number of a change, or INITIAL

    @property
    def is_in_order(self) -> bool:
        """Whether no pair is out of order."""
        return not any(map(gt, self.keys, islice(self.keys, 1, None)))

    def inverted(self) -> list[int]:
        """Return the places of the ops that are in a pair out of order.

        >>> KeyedOps([5, 6, 7, 8], [1, 3, 2, 4], INITIAL).inverted()
        [1, 2]
        """
        greatest, least = accumulate(self.keys, max), accumulate(reversed(self.keys), min)
        is_early, is_late = map(gt, self.keys, [*least][::-1]), map(lt, self.keys, greatest)
        return [*compress(range(len(self.keys)), map(or_, is_early, is_late))]

    def chosen(self, places: Iterable[int]) -> KeyedOps:
        """Return only the ops at some places."""
        places = list(places)
        return KeyedOps([self.ops[k] for k in places], [self.keys[k] for k in places], self.origin)


@dataclass(slots=True, eq=False)
class _Bits:
    ops: list[int] = field(default_factory=list)  # by bit, its op
    free: list[int] = field(default_factory=list)  # the bits that no op has now
    # By the bit of an op, by origin, the bits of the ops after it in the block with lesser keys.
    rows: dict[int, dict[int, int]] = field(default_factory=dict)

    def give(self, op: int) -> int:
        if self.free:
            bit = self.free.pop()
            self.ops[bit] = op
            return bit
        self.ops.append(op)
        return len(self.ops) - 1


class InvertedPairs:
    """The pairs of ops of one program that are out of order, each with its origin."""

    def __init__(self) -> None:
        self.made = Counter[int]()  # by origin, how many pairs it put out of order
        # By origin, how many of these came later, when ops took the place of one in such a pair.
        self.multiplied = Counter[int]()
        self.undone = Counter[int]()  # by origin, how many pairs out of order it put in order
        self.is_partial = False  # whether some block had too many ops to follow all of its pairs
        self._bit_of: dict[int, tuple[_Bits, int]] = {}

    def among(self, ops: Collection[int]) -> set[int]:
        """Return those of some ops that are in a pair."""
        return self._bit_of.keys() & ops

    def replace(self, op: int, successor: int) -> None:
        """Let an op that is in a pair go on under another number."""
        bits, bit = self._bit_of[successor] = self._bit_of.pop(op)
        bits.ops[bit] = successor

    def update(
        self,
        ops: Collection[int],
        blocks: Iterable[KeyedOps],
        replaced: Mapping[int, Collection[int]] = NO_OPS,
    ) -> None:
        """Take the next state of some functions.

        Args:
            ops: all ops of these functions so far. Those that are in none of the blocks are gone.
            blocks: the blocks in which they and new ops are now.
            replaced: by op, other ops so far in whose place it stands. A new pair of it has the origin of the
                pair that one of them was in, the first of several.

        Complexity: linear in the ops; for those that are or were in a pair, times their number, on bits.
        """
        known = self.among(ops)
        all_members = [members for block in blocks if (members := self._followed(block)).ops]
        before = {*chain.from_iterable([*replaced.values(), *(block.ops for block in all_members)])}
        places = {op: self._bit_of[op] for op in self.among(before)} if replaced else {}
        placed = [self._placed(members) for members in all_members]
        released = [*chain.from_iterable(more for _, _, more in placed)]
        inherited = [self._inherited(members, bits, places, replaced) for members, bits, _ in placed]
        for (members, bits, _), origins in zip(placed, inherited, strict=True):
            known.difference_update(members.ops)
            released += self._compare(members, bits, origins)
        for op in known:
            released.append(self._bit_of.pop(op))
        for bits, bit in released:  # only now, as rows of other ops had them
            bits.rows.pop(bit, None)
            bits.free.append(bit)

    def _followed(self, block: KeyedOps) -> KeyedOps:
        """Return the ops of a block that are in a pair, or were in one before."""
        if block.is_in_order:
            return block.chosen(place for place, op in enumerate(block.ops) if op in self._bit_of)
        inverted = block.inverted()
        if len(inverted) > MOST_OPS:
            self.is_partial = True
            block = block.chosen(inverted)
            return block.chosen(displaced(block.keys)[:MOST_OPS])
        is_inverted = {*inverted}
        return block.chosen(
            place for place, op in enumerate(block.ops) if place in is_inverted or op in self._bit_of
        )

    def _placed(self, members: KeyedOps) -> tuple[KeyedOps, _Bits, list[tuple[_Bits, int]]]:
        """Give the ops of a block bits of one function, that of most. Return the bits they had in others."""
        known = [(op, *self._bit_of[op]) for op in members.ops if op in self._bit_of]
        numbers = Counter(id(bits) for _, bits, _ in known)
        most = max(numbers, key=numbers.__getitem__, default=0)
        home = next((bits for _, bits, _ in known if id(bits) == most), _Bits())
        moved = [(op, bits, bit) for op, bits, bit in known if bits is not home]
        rows = {op: [*_decoded(bits, bit)] for op, bits, bit in moved}
        came_from = {op: bits for op, bits, _ in moved}
        for op in members.ops:
            if op not in self._bit_of or op in came_from:
                self._bit_of[op] = home, home.give(op)
        for op, row in rows.items():
            pairs = Counter[int]()
            for origin, other in row:
                if came_from.get(other) is came_from[op]:
                    pairs[origin] |= 1 << self._bit_of[other][1]
            if pairs:
                home.rows[self._bit_of[op][1]] = {**pairs}
        return members, home, [(bits, bit) for _, bits, bit in moved]

    def _inherited(
        self,
        members: KeyedOps,
        home: _Bits,
        places: Mapping[int, tuple[_Bits, int]],
        replaced: Mapping[int, Collection[int]],
    ) -> dict[int, dict[int, int]]:
        """Return, as in rows, the pairs of the ops that stand in another one's place as it was in them.

        ``places`` has the bits of the ops so far.
        """
        found: dict[int, dict[int, int]] = defaultdict(dict)
        if replaced.keys().isdisjoint(members.ops):
            return found
        # by bit so far, the bits that ops have now of which it is the place
        now: dict[int, tuple[_Bits, dict[int, int]]] = {}
        for op in members.ops:
            for one in (op, *replaced.get(op, ())):
                if one in places:
                    bits, bit = places[one]
                    at = now.setdefault(id(bits), (bits, {}))[1]
                    at[bit] = at.get(bit, 0) | 1 << self._bit_of[op][1]
        for bits, at in now.values():
            stayed = reduce(or_, (one for bit, one in at.items() if bits is home and one == 1 << bit), 0)
            other = reduce(or_, (1 << bit for bit in at), 0) & ~stayed
            for bit, firsts in at.items():
                for origin, pairs in bits.rows.get(bit, {}).items():
                    if pairs & other or not stayed >> bit & 1:
                        seconds = reduce(or_, (at[place] for place in _places(pairs & other)), pairs & stayed)
                        for first in _places(firsts):
                            found[first][origin] = found[first].get(origin, 0) | seconds
        return found

    def _compare(
        self, members: KeyedOps, bits: _Bits, inherited: Mapping[int, Mapping[int, int]]
    ) -> list[tuple[_Bits, int]]:
        """Follow the pairs of a block. Return the bits of the ops that are in no pair now.

        Of ``inherited`` pairs those that are new have the origin given there, the first of several.
        """
        numbers = [self._bit_of[op][1] for op in members.ops]
        lesser, same = _by_key(members.keys, numbers)
        here = reduce(or_, (1 << number for number in numbers))
        after = in_pairs = undone = 0
        made: dict[int, int] = {}
        turned: list[tuple[int, int, int]] = []  # now first, now second, origin
        for number, key in zip(reversed(numbers), reversed(members.keys), strict=True):
            now = after & lesser[key]
            row = bits.rows.pop(number, {})
            was = reduce(or_, row.values(), 0)
            if ended := was & here & ~now:  # the order of an op and its key may change together
                still = ended & ~(after | lesser[key] | same.get(key, 0))
                undone += (ended ^ still).bit_count()
                for origin, pairs in row.items() if still else ():
                    turned += ((first, number, origin) for first in _places(pairs & still))
            if kept := {origin: pairs & now for origin, pairs in row.items() if pairs & now}:
                bits.rows[number] = kept
            if now & ~was:
                made[number] = now & ~was
            if now:
                in_pairs |= now | 1 << number
            after |= 1 << number
        for first, second, origin in turned:
            made[first] ^= 1 << second
            row = bits.rows.setdefault(first, {})
            row[origin] = row.get(origin, 0) | 1 << second
        for number, pairs in made.items():
            for origin, known in (*sorted(inherited.get(number, {}).items()), (members.origin, pairs)):
                if own := pairs & known:
                    row = bits.rows.setdefault(number, {})
                    row[origin] = row.get(origin, 0) | own
                    self.made[origin] += own.bit_count()
                    self.multiplied[origin] += own.bit_count() if origin != members.origin else 0
                    pairs ^= own  # noqa: PLW2901  (what is left for the origins after it)
        self.undone[members.origin] += undone
        freed = [op for op, number in zip(members.ops, numbers, strict=True) if not in_pairs >> number & 1]
        return [self._bit_of.pop(op) for op in freed]

    @property
    def left(self) -> Counter[int]:
        """By origin, how many of its pairs are out of order."""
        numbers = Counter[int]()
        for bits in {id(bits): bits for bits, _ in self._bit_of.values()}.values():
            for row in bits.rows.values():
                for origin, pairs in row.items():
                    numbers[origin] += pairs.bit_count()
        return numbers

    def bits_of(self, ops: Sequence[int]) -> list[int]:
        """Return the bits of the ops of a block. Ops in no pair have a bit that no other op has."""
        known = [self._bit_of[op] for op in ops if op in self._bit_of]
        spare = len(known[0][0].ops) if known else 0
        return [self._bit_of[op][1] if op in self._bit_of else spare for op in ops]

    def row(self, op: int) -> Mapping[int, int]:
        """Return, by origin, the bits of the ops that come after an op and have lesser keys."""
        bits, bit = self._bit_of.get(op, (_Bits(), 0))
        return bits.rows.get(bit, {})

    def at_each(self, ops: Iterable[int]) -> dict[int, Counter[int]]:
        """Return, by op of a block that is in a pair, by origin, in how many pairs it is."""
        found = {op: Counter[int]() for op in ops if op in self._bit_of}
        sums: dict[int, list[int]] = {}
        for op, numbers in found.items():
            for origin, pairs in self.row(op).items():
                numbers[origin] += pairs.bit_count()
                _add(sums.setdefault(origin, []), pairs)
        for origin, digits in sums.items():
            texts = [f"{digit:b}"[::-1] for digit in digits]
            for op, numbers in found.items():
                bit = self._bit_of[op][1]
                numbers[origin] += sum(1 << k for k, text in enumerate(texts) if text[bit : bit + 1] == "1")
        return found

    def of(self, op: int) -> Counter[int]:
        """Return, by origin, in how many pairs an op is."""
        numbers = Counter({origin: pairs.bit_count() for origin, pairs in self.row(op).items()})
        bits, bit = self._bit_of.get(op, (_Bits(), 0))
        for row in bits.rows.values():
            for origin, pairs in row.items():
                numbers[origin] += pairs >> bit & 1
        return numbers


def _add(digits: list[int], bits: int) -> None:
    """Add 1 to the numbers at some bits. ``digits`` has their binary digits, least first."""
    for place, digit in enumerate(digits):
        digits[place], bits = digit ^ bits, digit & bits
    if bits:
        digits.append(bits)


def _decoded(bits: _Bits, bit: int) -> Iterator[tuple[int, int]]:
    """Yield the origin and the second op of each pair with a first op."""
    for origin, pairs in bits.rows.get(bit, {}).items():
        yield from ((origin, bits.ops[place]) for place in _places(pairs))


def _places(bits: int) -> Iterator[int]:
    return (place for place, digit in enumerate(reversed(f"{bits:b}")) if digit == "1")


def _by_key(keys: Sequence[int], numbers: Sequence[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Return, by key, the bits of all ops with lesser keys, and those with the same, if several have it."""
    lesser, same, below = {}, {}, 0
    for key, group in groupby(sorted(zip(keys, numbers, strict=True), key=itemgetter(0)), itemgetter(0)):
        equal = [1 << number for _, number in group]
        lesser[key] = below
        if len(equal) > 1:
            same[key] = reduce(or_, equal)
        below |= reduce(or_, equal)
    return lesser, same


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
        replaced = self._let_go_on(found, keys)
        around = zip(_functions(found.new), found.new.ops.ir.block_ops, strict=True)
        read = {function for function, ops in around if ops and function is not None}
        gone = _own_ops(found.old) | self._disordered_in(read)
        for function in self._unjudged.keys() & {*_functions(found.old), *_functions(found.new)}:
            gone |= self._unjudged.pop(function)
        self._update(gone, [*_blocks(found.new, keys, origin)], replaced)

    def pass_over(self, found: ScopeStep) -> None:
        """Take a dump that carries no index. What it shows counts as it was, until a dump can be judged."""
        if found.old is None or found.new is None:
            return
        functions, shown = found.old.ops.functions, {*_functions(found.new)}
        gone = self.pairs.among(_own_ops(found.old))
        for op, number in enumerate(found.old.numbers):
            function = functions[found.old.ops.ir.op_block[op]]
            if number in gone and function in shown:
                gone.discard(number)
                self._unjudged[function].add(number)
        self._update(gone, [])

    def end(self, judged: Iterable[FunctionOrModule], vanished: Collection[FunctionOrModule]) -> None:
        """End what was passed over in functions that a dump with indices shows, and all in vanished ones."""
        gone = self._disordered_in(vanished)
        for part in (*judged, *vanished):
            if not isinstance(part, int):
                gone |= self._unjudged.pop(part, set())
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

    def _let_go_on(self, found: ScopeStep, keys: Sequence[int | None]) -> dict[int, set[int]]:
        """Let removed ops that are in a pair go on as the added ops in their place.

        Return the numbers of ops in a pair in whose place an op stands, too, by its number.
        """
        old, new, comparison = found.old, found.new, found.comparison
        if old is None or new is None or comparison is None:
            return {}
        in_pairs = self.pairs.among(_own_ops(old))
        wanted = {op for op, number in enumerate(old.numbers) if number in in_pairs}
        is_replaced = comparison.added or not wanted <= comparison.became.keys()
        if not wanted or not is_replaced:
            return {}
        successors = Successors(comparison, found.origins, (self._keys(old), keys))
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


@dataclass(slots=True)
class LeftPairs:
    """The pairs of one program, by the origin that is charged with them, at the end of a log."""

    made: Counter[int]  # how many it put out of order
    multiplied: Counter[int]  # how many of these came when a later pass put ops in the place of one
    undone: Counter[int]  # how many it put in order
    left: Counter[int]  # how many of those that it made are out of order
    # By origin, how many pairs of each class it left. Those in graph regions have none.
    classes: dict[int, Counter[PairClass]] = field(default_factory=lambda: defaultdict(Counter))
    # By origin, how many pairs it left in functions that run ahead.
    ahead: Counter[int] = field(default_factory=Counter)
    # By origin, the ops in its pairs that `fix --relabel` changes, those in most of them first. In a
    # block that it leaves as it is, the displaced ops.
    ops: dict[int, list[LeftOp]] = field(default_factory=lambda: defaultdict(list))
    # The findings in the last dumps, each with the origin of most of its pairs.
    findings: list[tuple[Finding, int]] = field(default_factory=list)
    blocks: list[EndBlock] = field(default_factory=list)  # those that are out of order


def left_pairs(
    followed: FollowedPairs, shown_in: Mapping[str | None, Dump], options: AuditOptions
) -> LeftPairs:
    """Return the pairs at the end. ``shown_in`` has the last dump of each function that can be judged."""
    pairs, work = followed.pairs, SharedWork(0)
    left = LeftPairs(pairs.made, pairs.multiplied, pairs.undone, pairs.left)
    for dump in {id(dump): dump for dump in shown_in.values()}.values():
        audited = audit_dump(dump, options, work)
        functions = {function for function, last in shown_in.items() if last is dump}
        blocks: dict[tuple[int, int], _LeftBlock] = {}
        for number, figures in zip(audited.blocks, audited.audit.blocks, strict=True):
            if figures.inversions and figures.function in functions:
                block = FixedBlock(audited, number)
                ops = followed.ops_of(figures.function, block.indexed_keys)
                if ops is not None:
                    place = audited.ir.source.position_at(audited.ir.block_offset(number))
                    blocks[place.line, place.column] = _LeftBlock(block, ops, followed.pairs)
        for one in blocks.values():
            one.add_to(left)
            left.blocks.append(one.at_end())
        for finding in find(audited, _RULES):
            if finding.function in functions:
                found = blocks.get((finding.block_line, finding.block_column))
                left.findings.append((finding, INITIAL if found is None else found.origin(finding)))
    for origin, named in left.ops.items():
        left.ops[origin] = sorted(named, key=lambda one: (-one.pairs, one.op.line))[:MOST_NAMED]
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

    def add_to(self, left: LeftPairs) -> None:
        for one, numbers in self._classes.items():
            for origin, number in numbers.items():
                left.classes[origin][one] += number
                left.ahead[origin] += number if runs_ahead(self._block.audit.function) else 0
        block, source, function = self._block, self._block.dump.dump.source.name, self._block.audit.function
        named = [p for p in self._at if p in block.moved or block.ops[p] in block.dump.donors]
        for place in named or block.displaced:
            for origin, number in self._numbers.get(self._at[place], {}).items():
                if number:
                    left.ops[origin].append(LeftOp(block.label(place), source, function, number))

    def at_end(self) -> EndBlock:
        """Return what an estimate needs of the block."""
        charged = defaultdict[int, set[int]](set)
        for place, op in self._at.items():
            for origin in +self._numbers.get(op, Counter[int]()):
                charged[origin].add(place)
        ops = self._block.ops
        place_of = {op: place for place, op in enumerate(ops)}
        used = used_in_block(self._block.dump.ir, ops)
        return EndBlock(
            self._block.dump.ir.of_block(self._block.number, self._block.dump.keys.by_op),
            [tuple(map(place_of.__getitem__, used[op])) for op in ops],
            dict(charged),
        )

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
