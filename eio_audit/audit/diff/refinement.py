"""What two dumps are matched by: per op its label, and classes of ops whose surroundings are alike.

A class is a number that two ops share exactly when everything that it is made of is equal: the labels of all
ops an op is computed from, and of all that are computed from it, with result numbers and operand places. That
is colour refinement (Weisfeiler and Leman 1968) along the dataflow, in two sweeps per round instead of one
step per round, so that a change is felt at any distance.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from eio_audit.audit.functions import functions_around
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
        texts: by op, what it says of itself.
        symbols: by op, the symbol it defines, or None.
        functions: by block, the symbol of the function around it, or None.
        producers: by op and operand, the defining op and its result number; for a block argument ``-1 -
            block`` and the argument's number.
        users: by op, its users with the place among their operands.
        argument_counts: by block, how many arguments it has.
    """

    def __init__(self, ir: IR, indices: OriginalIndices, interned: Interned) -> None:
        self.ir = ir
        self.interned = interned
        self.location_numbers = LocationNumbers(ir, indices, interned)
        self.locations = [self.location_numbers.of(op) for op in range(len(ir))]
        texts = OpTexts(ir)
        self.texts: list[OpText] = [texts.of(op) for op in range(len(ir))]
        self.names = [_full_name(ir, op) for op in range(len(ir))]
        self.symbols = _symbols(ir)
        self.functions = [None if symbol is None else _bare(symbol) for symbol in functions_around(ir)]
        numbers, self.argument_counts = _numbers_of_values(ir)
        owners = ir.value_owner
        self.producers = [
            [(owners[value], numbers[value]) for value in ir.operands_of(op)] for op in range(len(ir))
        ]
        self.users: list[list[tuple[int, int]]] = [[] for _ in range(len(ir))]
        for op, used in enumerate(self.producers):
            for place, (owner, _) in enumerate(used):
                if owner >= 0:
                    self.users[owner].append((op, place))
        self.region_places = _region_places(ir)
        self.blocks_of = _blocks_of(ir)

    def __len__(self) -> int:
        """The number of ops."""
        return len(self.ir)

    @property
    def has_locations(self) -> bool:
        """Whether any op was printed with a location that says something."""
        return any(location != NO_LOCATION for location in self.locations)


class RefinementClasses:
    """RefinementClasses of ops of one dump, from the surest to the vaguest.

    Attributes:
        exact: two rounds: like ``around``, of ops that are themselves alike in that.
        around: alike in all they are computed from and all that is computed from them.
        above: alike in all they are computed from.
    """

    def __init__(self, ops: ComparedOps, labels: Sequence[Hashable], scopes: Sequence[Hashable]) -> None:
        self._ops = ops
        self._scopes = scopes
        self.above = self._sweep_down(labels)
        self.around = self._sweep_up(self.above)
        self.exact = self._sweep_up(self._sweep_down(self.around))

    def _sweep_down(self, labels: Sequence[Hashable]) -> list[int]:
        """Producers before users: classes of the label, the place in the tree and the operands."""
        ops, number = self._ops, self._ops.interned.number
        classes: list[int] = []
        for op in range(len(ops)):
            block = ops.ir.op_block[op]
            operands = tuple(
                (classes[owner], result) if 0 <= owner < op else self._outside(owner, result, classes, labels)
                for owner, result in ops.producers[op]
            )
            classes.append(number((labels[op], self._context(block, classes, labels), operands)))
        return classes

    def _outside(
        self, owner: int, number: int, classes: Sequence[int], labels: Sequence[Hashable]
    ) -> tuple[Hashable, int]:
        """A block argument, or a result of an op that stands behind its user."""
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
        ops, number = self._ops, self._ops.interned.number
        classes = [-1] * len(ops)
        for op in range(len(ops) - 1, -1, -1):
            users = sorted(
                (classes[user] if user > op else labels[user], place) for user, place in ops.users[op]
            )
            inside: tuple[object, ...] = ()
            if op in ops.blocks_of and ops.symbols[op] is None:
                inside = tuple(
                    tuple(sorted(classes[inner] for inner in ops.ir.block_ops[block]))
                    for block in ops.blocks_of[op]
                )
            classes[op] = number((labels[op], tuple(users), inside))
        return classes


def _full_name(ir: IR, op: int) -> str:
    """The op's name; one printed without dialect stands in an op of its dialect."""
    name = ir.name(op)
    if "." in name:
        return name
    parent = ir.parent_op(ir.op_block[op])
    return name if parent < 0 else f"{ir.name(parent).partition('.')[0]}.{name}"


def _symbols(ir: IR) -> list[str | None]:
    """By op, the symbol it defines: of a listed op by its traits, of others if it has regions."""
    symbols: list[str | None] = []
    defines = [
        bool(row.flags & {"symbol", "function", "symbol_table"})
        if (row := ir.op_table.rows.get(name))
        else None
        for name in ir.names
    ]
    for op in range(len(ir)):
        may_define = defines[ir.op_name[op]]
        if may_define is None:
            may_define = op in ir.regions_of
        symbol = ir.symbol(op) if may_define else None
        symbols.append(None if symbol is None else _bare(symbol))
    return symbols


def _bare(symbol: str) -> str:
    """``@f`` also of ``@"f"``."""
    return "@" + symbol[1:].strip('"')


def _numbers_of_values(ir: IR) -> tuple[list[int], dict[int, int]]:
    """By value, its number among its op's results or its block's arguments; by block, its arguments."""
    numbers = []
    argument_counts: dict[int, int] = {}
    for value, owner in enumerate(ir.value_owner):
        if owner >= 0:
            numbers.append(value - ir.first_result[owner])
        else:
            number = argument_counts.get(-1 - owner, 0)
            numbers.append(number)
            argument_counts[-1 - owner] = number + 1
    return numbers, argument_counts


def _region_places(ir: IR) -> list[tuple[int, int]]:
    """By block, the place of its region in its op, and its own place in the region."""
    regions_seen: dict[int, int] = {}
    region_place = []
    for op in ir.region_op:
        region_place.append(regions_seen.get(op, 0))
        regions_seen[op] = region_place[-1] + 1
    blocks_seen: dict[int, int] = {}
    places = []
    for region in ir.block_region:
        place = blocks_seen.get(region, 0)
        blocks_seen[region] = place + 1
        places.append((region_place[region], place))
    return places


def _blocks_of(ir: IR) -> dict[int, list[int]]:
    """By op with regions, the blocks in them."""
    blocks: dict[int, list[int]] = {}
    for block in range(ir.block_count):
        blocks.setdefault(ir.parent_op(block), []).append(block)
    return blocks
