"""What two dumps are matched by: the parts of each op, and classes of ops whose surroundings are alike.

A class is a number that two ops share exactly when everything that it is made of is equal: the labels of all
ops an op is computed from, and of all that are computed from it, with result numbers and operand places. That
is colour refinement (Weisfeiler and Leman 1968) along the dataflow, in two sweeps per round instead of one
step per round, so that a change is felt at any distance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property

from eio_audit.audit.locations.location_numbers import NO_LOCATION, Interned, LocationNumbers
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.op_text import OpText, OpTexts


class ComparedOps:
    """The ops of one dump as they are compared with those of another.

    Attributes:
        ir: the dump.
        names: by op, its name with its dialect, which a custom form may leave out.
        locations: by op, the number of its location, NO_LOCATION where unknown.
        texts: by op, its parts as printed.
        symbols: by op, the symbol it defines, or None.
        functions: by block, the symbol of the function around it, or None.
        producers: by op and operand, the defining op and its result number; for a block argument ``-1 -
            block`` and the argument's number.
        users: by op, its users with the place among their operands.
        argument_counts: by block, how many arguments it has.
        region_places: by block, the place of its region in its op, and its own place in the region.
        blocks_of: by op with regions, the blocks in them.
        op_blocks: by op, the block it counts as in.
    """

    def __init__(
        self, ir: IR, indices: OriginalIndices, functions: Sequence[str | None], interned: Interned
    ) -> None:
        ops = range(len(ir))
        self.ir = ir
        self.interned = interned
        self.location_numbers = LocationNumbers(indices, interned)
        self.locations = list(map(self.location_numbers.of, ops))
        self.texts: list[OpText] = list(map(OpTexts(ir).of, ops))
        self.names = [_full_name(ir, op) for op in ops]
        self.symbols = _symbols(ir)
        self.functions = functions
        self.op_blocks: Sequence[int] = ir.op_block
        self.argument_counts: Counter[int] = Counter()
        numbers = []
        for value, owner in enumerate(ir.value_owner):
            numbers.append(value - ir.first_result[owner] if owner >= 0 else self.argument_counts[-1 - owner])
            if owner < 0:
                self.argument_counts[-1 - owner] += 1
        self.producers = [
            [(ir.value_owner[value], numbers[value]) for value in ir.operands_of(op)] for op in ops
        ]
        self.users: list[list[tuple[int, int]]] = [[] for _ in ops]
        for op, used in enumerate(self.producers):
            for place, (owner, _) in enumerate(used):
                if owner >= 0:
                    self.users[owner].append((op, place))
        region_of_op = _numbered(ir.region_op)
        in_region = _numbered(ir.block_region)
        self.region_places = [
            (region_of_op[region], place) for region, place in zip(ir.block_region, in_region, strict=True)
        ]
        self.blocks_of: dict[int, list[int]] = {}
        for block in range(ir.block_count):
            self.blocks_of.setdefault(ir.parent_op(block), []).append(block)

    def __len__(self) -> int:
        return len(self.ir)

    @property
    def has_locations(self) -> bool:
        """Whether any op was printed with a known location."""
        return any(location != NO_LOCATION for location in self.locations)


class RefinementClasses:
    """Classes of the ops of one dump; ``number`` gives equal things one number.

    Attributes:
        above: alike in all they are computed from.
    """

    def __init__(
        self,
        ops: ComparedOps,
        labels: Sequence[Hashable],
        scopes: Sequence[Hashable],
        number: Callable[[Hashable], int] | None = None,
    ) -> None:
        self._ops = ops
        self._scopes = scopes
        self._number = number or ops.interned.number
        self.above = self._sweep_down(labels)

    @cached_property
    def around(self) -> list[int]:
        """Alike in all they are computed from and all that is computed from them."""
        return self._sweep_up(self.above)

    @cached_property
    def exact(self) -> list[int]:
        """Two rounds: like ``around``, of ops that are themselves alike in that."""
        return self._sweep_up(self._sweep_down(self.around))

    def _sweep_down(self, labels: Sequence[Hashable]) -> list[int]:
        """Producers before users: classes of the label, the place in the tree and the operands."""
        ops, number = self._ops, self._number
        classes: list[int] = []
        contexts: dict[int, Hashable] = {}
        for op, (block, operands) in enumerate(zip(ops.op_blocks, ops.producers, strict=True)):
            if block not in contexts:
                contexts[block] = self._context(block, classes, labels)
            values = [
                (classes[owner], result) if 0 <= owner < op else self._outside(owner, result, classes, labels)
                for owner, result in operands
            ]
            classes.append(number((labels[op], contexts[block], tuple(values))))
        return classes

    def _outside(
        self, owner: int, number: int, classes: Sequence[int], labels: Sequence[Hashable]
    ) -> tuple[Hashable, int]:
        """A block argument, or a result of an op that comes after its user."""
        return (labels[owner] if owner >= 0 else self._context(-1 - owner, classes, labels), number)

    def _context(self, block: int, classes: Sequence[int], labels: Sequence[Hashable]) -> Hashable:
        """What is around a block; an op that names an argument of its own region has no class yet."""
        parent = self._ops.ir.parent_op(block)
        if parent < 0:
            return None
        above: Hashable = classes[parent] if parent < len(classes) else labels[parent]
        if self._ops.symbols[parent] is not None:
            above = self._scopes[block]
        return above, self._ops.region_places[block]

    def _sweep_up(self, labels: Sequence[int]) -> list[int]:
        """Users before producers: classes of the label, the users and the contents of the regions."""
        ops, number = self._ops, self._number
        classes = [-1] * len(ops)
        for op in range(len(ops) - 1, -1, -1):
            users = [(classes[user] if user > op else labels[user], place) for user, place in ops.users[op]]
            users.sort()
            inside: tuple[object, ...] = ()
            if op in ops.blocks_of and ops.symbols[op] is None:
                inside = tuple(
                    tuple(sorted(classes[inner] for inner in ops.ir.block_ops[block]))
                    for block in ops.blocks_of[op]
                )
            classes[op] = number((labels[op], tuple(users), inside))
        return classes


class MatchKeys:
    """What two ops are compared by, as far as both dumps show it.

    Attributes:
        same_form: names of ops that are printed in the same form on both sides.
        labels: by side and op, a number equal for equal names, locations and symbols.
        locations: by side and op, the location number; NO_LOCATION everywhere when the dumps have none in
            common.
        scopes: by side and block, the symbol of the function around it, a renamed function's under its old
            name.
        contents: by side and op, a number equal for equal texts; None where the printing forms differ.
        classes: by side, those of the ops.
    """

    def __init__(self, before: ComparedOps, after: ComparedOps) -> None:
        sides = (before, after)
        self.same_form = _names_of_one_form(before, after)
        shared = set(before.locations) & set(after.locations) - {NO_LOCATION}
        self.locations = [ops.locations if shared else [NO_LOCATION] * len(ops) for ops in sides]
        renamed = _renamed_functions(before, after)
        symbols = [before.symbols, [renamed.get(symbol, symbol) for symbol in after.symbols]]
        self.scopes = [before.functions, [renamed.get(symbol, symbol) for symbol in after.functions]]
        self.contents = [[self._content(ops, op) for op in range(len(ops))] for ops in sides]
        self.labels = [
            list(map(ops.interned.number, zip(ops.names, self.locations[side], symbols[side], strict=True)))
            for side, ops in enumerate(sides)
        ]
        self.classes = [
            RefinementClasses(ops, list(zip(self.labels[side], self.contents[side], strict=True)), scopes)
            for side, (ops, scopes) in enumerate(zip(sides, self.scopes, strict=True))
        ]

    def _content(self, ops: ComparedOps, op: int) -> int | None:
        if ops.names[op] in self.same_form:
            return ops.interned.number(ops.texts[op].text)
        if "constant" in ops.ir.op_table.flags(ops.names[op]):
            return ops.interned.number(ops.texts[op].literals)
        return None


def _names_of_one_form(before: ComparedOps, after: ComparedOps) -> frozenset[str]:
    forms: dict[str, set[bool]] = {}
    for ops in (before, after):
        for name, text in zip(ops.names, ops.texts, strict=True):
            forms.setdefault(name, set()).add(text.is_generic)
    return frozenset(name for name, seen in forms.items() if len(seen) == 1)


def _renamed_functions(before: ComparedOps, after: ComparedOps) -> dict[str | None, str | None]:
    """By new symbol, the old one of a function that was only renamed: most of its ops are in no other."""
    old = set(before.functions) - set(after.functions)
    new = set(after.functions) - set(before.functions)
    if not old or not new:
        return {}
    places: dict[Hashable, tuple[set[str | None], set[str | None]]] = {}
    for side, (ops, symbols) in enumerate(((before, old), (after, new))):
        for op in range(len(ops)):
            symbol = ops.functions[ops.ir.op_block[op]]
            if symbol in symbols:
                key = (ops.names[op], ops.locations[op], ops.texts[op].text)
                places.setdefault(key, (set(), set()))[side].add(symbol)
    sizes = Counter(symbol for was, _ in places.values() for symbol in was)
    votes = Counter((*was, *now) for was, now in places.values() if len(was) == len(now) == 1)
    renamed: dict[str | None, str | None] = {}
    taken = set()
    for (was, now), number in votes.most_common():
        if now not in renamed and was not in taken and number * 2 >= sizes[was]:
            renamed[now] = was
            taken.add(was)
    return renamed


def _full_name(ir: IR, op: int) -> str:
    """The op's name; one printed without dialect is in an op of its dialect."""
    name, parent = ir.name(op), ir.parent_op(ir.op_block[op])
    return name if "." in name or parent < 0 else f"{ir.name(parent).partition('.')[0]}.{name}"


def _symbols(ir: IR) -> list[str | None]:
    """By op, the symbol it defines: of a listed op by its traits, of others if it has regions."""
    rows = map(ir.op_table.rows.get, ir.names)
    defines = [row and bool(row.flags & {"symbol", "function", "symbol_table"}) for row in rows]
    return [
        ir.symbol(op) if (op in ir.regions_of if defines[name] is None else defines[name]) else None
        for op, name in enumerate(ir.op_name)
    ]


def _numbered(groups: Sequence[int]) -> list[int]:
    """By element, how many of its group come before it."""
    seen: Counter[int] = Counter()
    numbers = []
    for group in groups:
        numbers.append(seen[group])
        seen[group] += 1
    return numbers
