"""A dump as it is compared with another: the parts of its ops, their names in reports, what a form omits.

A printing form may omit ops that the other form shows. No pass added or removed these *implied* ops.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from enum import StrEnum
from functools import cached_property
from itertools import count, pairwise

from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.keyed_dump import KeyedDump
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.audit.locations.parsed_locations import Interned, LocationNumbers
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.reading.boundaries import locations_of_arguments
from eio_audit.mlir.reading.op_text import OpText, OpTexts
from eio_audit.mlir.source import Span, decoded


class Ignored(StrEnum):
    """A part of the ops that a diff ignores."""

    TYPES = "types"
    """All types: also those in attributes, and those of block arguments."""
    CONSTANTS = "constants"
    """The attributes of constants: of ops without operands that the op table calls pure or constant."""
    ATTRIBUTES = "attributes"
    """The attributes of all ops. In custom form, all text but the name and the types."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise ValueError(f"expected ignore to be some of {', '.join(cls)}, not {value!r}")


class Reduction:
    """Leaves out of texts what is ignored."""

    def __init__(self, ignored: Collection[Ignored]) -> None:
        self._drops_types = Ignored.TYPES in ignored
        self._drops_constants = Ignored.CONSTANTS in ignored
        self._drops_attributes = Ignored.ATTRIBUTES in ignored
        self.drops_metadata = self._drops_constants or self._drops_attributes  # the blobs of resources

    def texts(self, texts: Sequence[OpText], names: Sequence[str], constants: Sequence[int]) -> list[OpText]:
        """Return the texts of all ops. Equal objects stay one object."""
        drops = [self._drops_attributes or (self._drops_constants and is_one) for is_one in constants]
        keys = list(zip(map(id, texts), names, map(bool, drops), strict=True))
        known = {key: self._text(text, *key[1:]) for key, text in dict(zip(keys, texts, strict=True)).items()}
        return list(map(known.__getitem__, keys))

    def _text(self, text: OpText, name: str, drops_attributes: bool) -> OpText:
        own = text.text
        if drops_attributes:
            successors = b"^" * (b"^" in own)  # so that a reader of the text looks for them
            own = (b'"%b"(%b)' if text.is_generic else b"%b%b") % (name.encode(), successors)
            own += b"" if self._drops_types else b" : %b" % text.signature.encode()
        return OpText(self.header(own), text.is_generic, text.is_plain)

    def header(self, text: bytes) -> bytes:
        """Return a text, as that of a block's label, without the types that are ignored."""
        return OpText(text, False, False).without_types if self._drops_types else text


class ComparedOps:
    """The ops of one dump as they are compared with those of another."""

    def __init__(
        self, ir: IR, indices: OriginalIndices, functions: Sequence[str | None], interned: Interned
    ) -> None:
        self.ir = ir  # the dump
        self.interned = interned
        self.location_numbers = LocationNumbers(ir, indices.parsed.locations, interned)
        # By op, the number of its location, NO_LOCATION where unknown.
        self.locations = self.location_numbers.of_all()
        # By op, its parts as printed; then without what is ignored, which is what two ops are compared by.
        self.printed_texts: list[OpText] = OpTexts(ir, interned.texts).of_all()
        self.texts = self.printed_texts
        self.names = _full_names(ir)  # by op, its name with its dialect, which a custom form may leave out
        self.symbols = _symbols(ir)  # by op, the symbol it defines, or None
        self.functions = functions  # by block, the symbol of the function around it, or None
        # By op, the symbols in it that both dumps have by what they hold: with another one it is another op.
        self.followed: Mapping[int, tuple[str, ...]] = {}
        self.op_blocks: Sequence[int] = ir.op_block  # by op, the block it counts as in
        self.argument_counts: Counter[int] = Counter()  # by block, how many arguments it has
        values = []
        first_results = interned.first_results
        first_results.extend((op, 0) for op in range(len(first_results), len(ir)))
        for value, owner in enumerate(ir.value_owner):
            if owner >= 0:
                number = value - ir.first_result[owner]
                values.append((owner, number) if number else first_results[owner])
            else:
                values.append((owner, self.argument_counts[-1 - owner]))
                self.argument_counts[-1 - owner] += 1
        used = tuple(map(values.__getitem__, ir.operands))
        # By op and operand, the defining op and its result number; for a block argument `-1 - block` and the
        # argument's number.
        self.producers: list[tuple[tuple[int, int], ...]] = [
            used[start:end] for start, end in pairwise(ir.operand_start)
        ]
        for op, late in ir.late_operands.items():
            self.producers[op] += tuple(map(values.__getitem__, late))
        region_of_op = _numbered(ir.region_op)
        in_region = _numbered(ir.block_region)
        # By block, the place of its region in its op, and its own place in the region.
        self.region_places = [
            (region_of_op[region], place) for region, place in zip(ir.block_region, in_region, strict=True)
        ]
        self.blocks_of: dict[int, list[int]] = {}  # by op with regions, the blocks in them
        for block in range(ir.block_count):
            self.blocks_of.setdefault(ir.parent_op(block), []).append(block)

    def __len__(self) -> int:
        return len(self.ir)

    @cached_property
    def users(self) -> list[list[tuple[int, int]]]:
        """By op, its users with the place among their operands, in textual order."""
        users: list[list[tuple[int, int]]] = [[] for _ in self.producers]
        for (op, used), first in zip(enumerate(self.producers), self.interned.first_results, strict=False):
            for place, (owner, _) in enumerate(used):
                if owner >= 0:
                    users[owner].append((op, place) if place else first)
        return users

    @property
    def has_locations(self) -> bool:
        """Whether any op was printed with a location."""
        return any(start != NO_OFFSET for start in self.ir.location_start)


def _full_names(ir: IR) -> list[str]:
    """By op, its name; one printed without dialect is in an op of its dialect."""
    names = [ir.names[number] for number in ir.op_name]
    bare = {number for number, name in enumerate(ir.names) if "." not in name}
    for op, number in enumerate(ir.op_name) if bare else ():
        if number in bare and (parent := ir.parent_op(ir.op_block[op])) >= 0:
            names[op] = f"{ir.name(parent).partition('.')[0]}.{names[op]}"
    return names


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
    seen = defaultdict[int, Iterator[int]](count)
    return [next(seen[group]) for group in groups]


class ComparedDump(ComparedOps):
    """A dump with its ops as they are compared with those of dumps that share ``interned``."""

    def __init__(self, dump: KeyedDump, interned: Interned, ignored: Collection[Ignored] = ()) -> None:
        super().__init__(dump.ir, dump.indices, dump.functions, interned)
        self.dump = dump
        self.ignored = ignored
        self.reduction = Reduction(ignored)
        if ignored:
            self.texts = self.reduction.texts(self.printed_texts, self.names, dump.keys.constants_by_op)

    def with_names(
        self, names: Mapping[str, str], texts: list[OpText], scopes: Sequence[str | None]
    ) -> ComparedDump:
        """Return it with other names of symbols, as in these texts of its ops, which are compared.

        ``scopes`` has what counts as the function around each block.
        """
        other = copy(self)
        other.texts = texts
        other.symbols = [symbol and names.get(symbol, symbol) for symbol in self.symbols]
        other.functions = [symbol and names.get(symbol, symbol) for symbol in scopes]
        return other

    @cached_property
    def inversions(self) -> list[int | None]:
        """By op, the number of inversions that it is in. None for an op that does not count."""
        counts: list[int | None] = [None] * len(self)
        for number, ops in enumerate(self.ir.block_ops):
            for place, inversions in KeyedBlock(self.dump, number).inversions_at.items():
                counts[ops[place]] = inversions
        return counts

    def placed(self, dump: Dump) -> ComparedDump:
        """Return it as that of a dump with the same text in another place."""
        compared, keyed = copy(self), self.dump
        compared.ir = ir = self.ir.placed(dump.source)
        compared.dump = KeyedDump(
            dump, keyed.options, ir, keyed.keys, keyed.dependences, keyed.functions
        )  # an audit names its place
        return compared

    def place_of(self, op: int) -> int:
        """Return the 0-based place of an op in its block."""
        return bisect_left(self.ir.block_ops[self.ir.op_block[op]], op)

    def module_of(self, op: int) -> str | None:
        """Return the innermost module in the location of an op, or None."""
        place = self.dump.indices.parsed.places[op]
        return place.modules[-1] if place is not None and place.modules else None

    def block_name(self, block: int) -> str:
        """Return ``@main ^bb1``. A block of an op that is not a function is ``scf.for (line 8) in @main``.

        If the op has several regions, or the region several blocks, the name also says which one it is.
        """
        ir, function = self.ir, self.dump.functions[block]
        parent = ir.parent_op(block)
        if parent < 0:
            return "the top level"
        symbol = self.symbols[parent] and ir.symbol(parent)
        if symbol is not None and symbol == function:
            return f"{function} {ir.block_name(block)}"
        name = " ".join(filter(None, (ir.name(parent), symbol)))
        where = f"{name} (line {ir.source.line_at(ir.op_start[parent])})"
        regions, region = ir.regions_of[parent], ir.block_region[block]
        if len(regions) > 1:
            where = f"region {regions.index(region)} of {where}"
        if len(ir.region_blocks[region]) > 1:
            where = f"{ir.block_name(block)} of {where}"
        return f"{where} in {function}" if function else where

    def block_place(self, block: int) -> str:
        """Return the name of a block and its line, ``@main ^bb1 (line 8)``."""
        source = self.ir.source
        return f"{self.block_name(block)} (line {source.line_at(self.ir.block_offset(block))})"

    def values(self, producers: Sequence[tuple[int, int]], *, with_places: bool = False) -> str:
        """Return ``%3 ttir.permute, argument 2 of ^bb0``. An only block has ``argument 0 of scf.for``.

        ``with_places`` adds where the op is, or the block's op: ``%3 ttir.permute (passes.log:8)``.
        """
        return ", ".join(
            self._value(owner, number) + f" ({self._place_of(owner)})" * with_places
            for owner, number in producers
        )

    def _place_of(self, owner: int) -> str:
        ir = self.ir
        op = owner if owner >= 0 else ir.parent_op(-1 - owner)
        return f"{ir.source.name}:{ir.source.line_at(ir.op_start[op])}"

    def _value(self, owner: int, number: int) -> str:
        ir = self.ir
        if owner < 0:
            parent = ir.parent_op(-1 - owner)
            is_only_block = parent >= 0 and len(self.blocks_of[parent]) == 1
            is_of_op = is_only_block and self.symbols[parent] is None
            return f"argument {number} of {ir.name(parent) if is_of_op else ir.block_name(-1 - owner)}"
        return f"{ir.result_names(owner)[number]} {ir.name(owner)}"

    def location(self, op: int) -> str:
        """Return the op's location as printed. An alias is replaced by its definition."""
        ir = self.ir
        text = ir.location_text(op) or b""
        return decoded(ir.definition(text) or text).strip()

    def argument_locations(self, block: int) -> list[str]:
        """Return the location of each argument as printed; none where not each argument has one."""
        ir = self.ir
        span, parent = ir.header_span(block), ir.parent_op(block)
        if ir.block_label[block] == NO_OFFSET and parent >= 0:
            span = Span(ir.op_start[parent], ir.region_start[ir.block_region[block]])
        found = locations_of_arguments(ir, span) if self.argument_counts[block] else []
        if len(found) != self.argument_counts[block] or None in found:
            return []
        texts = (ir.alias_texts.expanded(ir.source.data[one.start : one.end].strip()) for one in found if one)
        return [decoded(text[text.index(b"(") + 1 : -1]).strip() for text in texts]


MODULE = "builtin.module"


def implied_ops(
    ops: Sequence[int], side: ComparedOps, other: ComparedOps, pairs: Mapping[int, int]
) -> set[int]:
    """Return the unmatched ops that the other dump's printing form omits or abbreviates."""
    implied: set[int] = set()
    for op in ops:
        parent = side.ir.parent_op(side.ir.op_block[op])
        if parent < 0:
            is_bare_module = side.names[op] == MODULE and side.symbols[op] is None
            if is_bare_module and MODULE not in other.names:
                implied.add(op)
        elif parent in implied:
            if side.names[parent] != MODULE:
                implied.add(op)
        elif parent in pairs and _is_left_out(op, side, other, pairs[parent]):
            implied.add(op)
    return implied


def _is_left_out(op: int, side: ComparedOps, other: ComparedOps, counterpart: int) -> bool:
    """Whether the custom form of its parent (the ``counterpart``, or the parent itself) omits an op."""
    ir = side.ir
    parent = ir.parent_op(ir.op_block[op])
    is_generic = side.texts[parent].is_generic
    if is_generic == other.texts[counterpart].is_generic:
        return False
    if not is_generic:
        return is_shorthand(side, op)
    contents = [
        inner for block in other.blocks_of.get(counterpart, ()) for inner in other.ir.block_ops[block]
    ]
    if counterpart not in other.blocks_of or any(is_shorthand(other, inner) for inner in contents):
        return True
    is_terminator = "terminator" in ir.op_table.flags(side.names[op])
    return is_terminator and not side.producers[op] and op == ir.block_ops[ir.op_block[op]][-1]


def is_shorthand(side: ComparedOps, op: int) -> bool:
    """Whether an op is short for a region with it and a terminator: ``linalg.map { arith.addf }``."""
    name = side.names[op]
    is_name_alone = side.printed_texts[op].text == name.encode() and side.ir.result_count(op) == 0
    return is_name_alone and "terminator" not in side.ir.op_table.flags(name)
