"""The structure of one dump: operations, blocks and regions as parallel arrays over the source text.

An operation is a number, its index in textual pre-order. The operations nested in operation ``i`` are exactly
``i + 1 .. subtree_end[i] - 1``. There are no objects per operation and no copies of text, so a few arrays
hold a million operations.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, partial
from struct import pack
from typing import Literal, NamedTuple, TypeVar

from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import Source, Span, decoded
from eio_audit.mlir.tokens import (
    OR_FAIL,
    RESULT,
    STRING,
    SYMBOL,
    SYMBOL_NAME,
    AliasTexts,
    attribute_words,
    symbol_of,
    without_strings,
)
from eio_audit.mlir.traits import OpTable

_Cell = TypeVar("_Cell")
NO_OFFSET = -1
_MANY = 64  # from how many numbers on an array of them is packed
OPS_AT_ONCE = 1 << 13  # how many texts of ops are looked at together: a balance of speed and memory
_CUSTOM_SYMBOL = pattern(
    rb"(?:%[^=]*+=)?(?:[^\"@(\[{<=,:]++|" + STRING + OR_FAIL + rb")*+(?P<symbol>" + SYMBOL + rb")"
)
"""The symbol in a custom header. One in parentheses, an attribute or a type is a use of another symbol."""
_LABEL = pattern(rb"\^[\w$.-]+")


def packed(typecode: Literal["i", "q"], numbers: Sequence[int]) -> array[int]:
    """Return numbers as an array. Of many, it takes half the time of ``array(typecode, numbers)``."""
    if len(numbers) < _MANY:
        return array(typecode, numbers)
    return array(typecode, pack(f"{len(numbers)}{typecode}", *numbers))


class Fault(NamedTuple):
    """What makes the IR of a pass that failed invalid."""

    op: int  # the op that it is about; -1 for an argument outside all ops
    kind: str  # `use before definition`, `redefinition` or `undefined value`
    text: str  # all about it: `operand 0 of tensor.extract (line 47) uses %3, defined on line 48`


class IR:
    """Operations, blocks, regions, values and attribute aliases of one dump.

    Values are numbered in textual order, an op's results before values nested in the op.
    """

    def __init__(self, source: Source, span: Span, op_table: OpTable) -> None:
        self.source = source
        self.span = span
        self.op_table = op_table  # the table that the dump was read with
        self.names: list[str] = []  # the names of ops, each once
        # By operation.
        self.op_start = array("q")  # byte offset of its first result, or of its name
        self.op_end = array("q")  # byte offset of the end of its location, after its regions
        self.op_name = array("i")  # index into `names`
        self.op_is_generic = bytearray()  # whether it is printed in generic form (`"dialect.op"(...)`)
        self.op_block = array("i")  # the block that it is in
        self.location_start = array("q")  # of the text in `loc(...)`, to `op_end - 1`; or NO_OFFSET
        self.subtree_end = array("i")  # one past the last op nested in it
        self.first_result = array("i")  # the value number of result 0, or of the next value if it has none
        self.operand_start = array("q", [0])  # where its operands begin; one entry more than there are ops
        self.operands = array("i")  # value numbers
        self.late_operands: dict[int, list[int]] = {}  # operands after a region of their op: `} do (%x)`
        # Per op in custom assembly, the offset of the first name in it that nothing defines. Such a name
        # gets its meaning from the op's own syntax. It is no operand.
        self.undefined_names: dict[int, int] = {}
        self.faults: list[Fault] = []  # what makes it invalid; only in a dump read as that of a failed pass
        # The first use before its definition in each region of an unlisted op. It makes the region a graph
        # region. After a pass that failed, the dump may be invalid instead.
        self.forward_uses: list[Fault] = []
        self.regions_of: dict[int, list[int]] = {}  # per op with regions, these in textual order
        # By value.
        self.value_owner = array("i")  # the defining op, or `-1 - b` for an argument of block `b`
        self.argument_names = array("q")  # offsets of the names that mean only block arguments, ascending
        # By block.
        self.block_region = array("i")
        self.block_label = array("q")  # offset of `^name`, or NO_OFFSET
        self.block_depth = array("i")  # 0 at top level
        self.block_ops: list[array[int]] = []  # the ops directly in the block, in textual order
        self.unordered_blocks: set[int] = set()  # not reachable, with a use before its definition
        # By region.
        self.region_op = array("i")  # the parent op, -1 for the implicit top-level region
        self.region_start = array("q")  # offsets of its braces
        self.region_end = array("q")
        self.region_is_graph = bytearray()  # see `has_order`
        self.aliases: dict[bytes, Span] = {}  # where the values of aliases are
        self.repeats_names = False  # whether a name in a region means another value around it
        self._symbols: dict[int, str | None] = {}  # by op, the symbol it defines, once that was asked for

    def __len__(self) -> int:
        return len(self.op_block)

    def chunks(self) -> Iterator[range]:
        """Yield the ops, so many at a time that looking at their texts is fast."""
        for start in range(0, len(self), OPS_AT_ONCE):
            yield range(start, min(start + OPS_AT_ONCE, len(self)))

    @property
    def block_count(self) -> int:
        """The number of blocks."""
        return len(self.block_region)

    @cached_property
    def block_arguments(self) -> dict[int, list[int]]:
        """By block, its arguments, if it has any. Like ``region_blocks``, valid once the dump is read."""
        arguments: dict[int, list[int]] = {}
        for value, owner in enumerate(self.value_owner):
            if owner < 0:
                arguments.setdefault(-1 - owner, []).append(value)
        return arguments

    @cached_property
    def region_blocks(self) -> list[list[int]]:
        """By region, its blocks."""
        blocks: list[list[int]] = [[] for _ in self.region_op]
        for block, region in enumerate(self.block_region):
            blocks[region].append(block)
        return blocks

    def placed(self, source: Source) -> IR:
        """Return it as that of the same text in another place."""
        moved = copy(self)
        moved.source = source
        return moved

    def name(self, op: int) -> str:
        """Return the op's full name (``ttir.permute``), without dialect if it is unknown."""
        return self.names[self.op_name[op]]

    def count_names(self, ops: Iterable[int]) -> Counter[str]:
        """Return how many of the ops have each name."""
        numbers = Counter(map(self.op_name.__getitem__, ops))
        return Counter({self.names[name]: number for name, number in numbers.items()})

    def text(self, op: int) -> bytes:
        """Return the op's text, nested regions and location included."""
        return self.source.data[self.op_start[op] : self.op_end[op]]

    @property
    def dump_text(self) -> bytes:
        """The text of the whole dump."""
        return self.source.data[self.span.start : self.span.end]

    @property
    def dump_view(self) -> memoryview:
        """The text of the whole dump, not copied."""
        return memoryview(self.source.data)[self.span.start : self.span.end]

    def location_text(self, op: int) -> bytes | None:
        """Return the text inside the op's ``loc(...)``, or None."""
        start = self.location_start[op]
        return None if start == NO_OFFSET else self.source.data[start : self.op_end[op] - 1]

    def location_texts(self, ops: range) -> list[bytes]:
        """Return what ``location_text`` does for several ops, with an alias's value instead of its name.

        The text of an op without a location is empty.
        """
        data, chunk = self.source.data, slice(ops.start, ops.stop)
        spans = zip(self.location_start[chunk], self.op_end[chunk], strict=True)
        texts = [data[start : end - 1] if start != NO_OFFSET else b"" for start, end in spans]
        return [self.definition(text) or text for text in texts] if self.aliases else texts

    def definition(self, alias: bytes) -> bytes | None:
        """Return the value of an alias, for ``loc(...)`` the text inside. None if it is undefined."""
        return _definition(self.source, self.aliases, alias)

    @cached_property
    def alias_texts(self) -> AliasTexts:
        """What the aliases stand for. Each is expanded once."""
        return AliasTexts(partial(_definition, self.source, self.aliases))

    def expanded(self, text: bytes) -> bytes:
        """Return a part of the dump with its aliases expanded, and ``""`` for strings and comments."""
        return without_strings(self.alias_texts.expanded(text))

    def expanded_text(self, op: int) -> bytes:
        """Return ``bare_text``, expanded."""
        return self.expanded(self.bare_text(op))

    def attribute_text(self, op: int) -> bytes:
        """Return the same with the names of attributes in it, which may be in quotes."""
        return attribute_words(self.alias_texts.expanded(self.bare_text(op)))

    def results(self, op: int) -> list[str]:
        """Return the names of the op's results as printed. ``%0`` is the name of all results of ``%0:2``."""
        return [decoded(match["name"]) for match in self._results(op)]

    def first_result_name(self, op: int) -> str | None:
        """Return the first of these names; None for an op without results."""
        match = RESULT.match(self.source.data, self.op_start[op], self.op_end[op])
        return decoded(match["name"]) if match else None

    def result_names(self, op: int) -> list[str]:
        """Return the name of each result: ``%0#0``, ``%0#1`` and ``%a`` of ``%0:2, %a``."""
        return [
            name if size == 1 else f"{name}#{number}"
            for match in self._results(op)
            for name, size in [(decoded(match["name"]), int(match["count"] or 1))]
            for number in range(size)
        ]

    def name_start(self, op: int) -> int:
        """Return where the op's name begins, after its results."""
        offset = self.op_start[op]
        for match in self._results(op):
            offset = match.end()
        return offset

    def _results(self, op: int) -> Iterator[re.Match[bytes]]:
        """Yield each name of results as printed. The match ends where the next name begins."""
        offset = self.op_start[op]
        while match := RESULT.match(self.source.data, offset, self.op_end[op]):
            yield match
            offset = match.end()

    def result_values(self, op: int) -> range:
        """Return the values the op defines."""
        value = first = self.first_result[op]
        while value < len(self.value_owner) and self.value_owner[value] == op:
            value += 1
        return range(first, value)

    def result_count(self, op: int) -> int:
        """Return how many values the op defines."""
        return len(self.result_values(op))

    @cached_property
    def result_counts(self) -> array[int]:
        """By op, how many values it defines. Like ``region_blocks``, valid once the dump is read."""
        counts = array("i", bytes(4 * len(self)))
        for owner in self.value_owner:
            if owner >= 0:
                counts[owner] += 1
        return counts

    def operands_of(self, op: int) -> Sequence[int]:
        """Return the values the op itself uses, in textual order, repeats included."""
        direct = self.operands[self.operand_start[op] : self.operand_start[op + 1]]
        late = self.late_operands.get(op)
        return direct if late is None else [*direct, *late]

    def own_text(self, op: int) -> bytes:
        """Return the op's text, with ``{}`` for each region that holds ops."""
        if self.subtree_end[op] == op + 1:
            return self.text(op)
        return b"".join(self.source.data[start:end] for start, end in self.own_spans(op))

    def own_spans(self, op: int) -> list[Span]:
        """Return where the op's own text is: up to each region that holds ops, and after the last one."""
        spans, start = [], self.op_start[op]
        for region in self.regions_of.get(op, ()):
            if self._holds_op(region):
                spans.append(Span(start, self.region_start[region] + 1))
                start = self.region_end[region]
        return [*spans, Span(start, self.op_end[op])]

    def _holds_op(self, region: int) -> bool:
        op = self.region_op[region]
        stop = self.subtree_end[op]
        inside = bisect_left(self.op_start, self.region_start[region], op + 1, stop)
        return inside < stop and self.op_start[inside] < self.region_end[region]

    def own_texts(self, ops: Sequence[int]) -> list[bytes]:
        """Return ``own_text`` for several ops."""
        data, starts, ends, nested_end = self.source.data, self.op_start, self.op_end, self.subtree_end
        return [data[starts[op] : ends[op]] if nested_end[op] == op + 1 else self.own_text(op) for op in ops]

    def bare_text(self, op: int) -> bytes:
        """Return the op's own text without its location."""
        text = self.own_text(op)
        return text[: len(text) - (self.op_end[op] - self.bare_end(op))]

    def bare_end(self, op: int) -> int:
        """Return where the op's own text ends: at the ``loc`` of its location, or with the op."""
        start = self.location_start[op]
        return (
            self.op_end[op]
            if start == NO_OFFSET
            else self.source.data.rfind(b"loc", self.op_start[op], start)
        )

    def tail(self, op: int) -> bytes:
        """Return the op's text after its last region, location included. Empty for an op without regions."""
        end = self.op_end[op]
        start = self.region_end[self.regions_of[op][-1]] if op in self.regions_of else end
        return self.source.data[start:end]

    def nested_ops(self, op: int) -> range:
        """Return all ops inside the op's regions, at any depth."""
        return range(op + 1, self.subtree_end[op])

    def parent_op(self, block: int) -> int:
        """Return the op whose region holds the block, or -1."""
        return self.region_op[self.block_region[block]]

    def has_order(self, block: int) -> bool:
        """Return whether a block's ops have an order: not in a graph region, nor with early uses."""
        return not self.region_is_graph[self.block_region[block]] and block not in self.unordered_blocks

    def reachable_blocks(self, region: int) -> set[int]:
        """Return the blocks of a region, which has been read to its end, that control flow may reach."""
        ops = range(self.region_op[region] + 1, len(self))
        blocks = [*dict.fromkeys(b for op in ops if self.block_region[b := self.op_block[op]] == region)]
        by_name = {self.block_name(block).encode(): block for block in blocks}
        reached, pending = set[int](), blocks[:1]
        while pending:
            if (block := pending.pop()) not in reached:
                reached.add(block)
                successors = _LABEL.findall(without_strings(self.text(self.block_ops[block][-1])))
                pending += (by_name[name] for name in successors if name in by_name)
        return reached

    def block_of(self, value: int) -> int:
        """Return the block that the value is defined in."""
        owner = self.value_owner[value]
        return self.op_block[owner] if owner >= 0 else -1 - owner

    def enclosing_ops(self, block: int) -> Iterator[int]:
        """Yield the ops around a block, innermost first."""
        while (op := self.parent_op(block)) >= 0:
            yield op
            block = self.op_block[op]

    def symbol(self, op: int) -> str | None:
        """Return the symbol the op defines (``@main``), from its custom header or its ``sym_name``."""
        if op not in self._symbols:
            self._symbols[op] = self._found_symbol(op)
        return self._symbols[op]

    def _found_symbol(self, op: int) -> str | None:
        end, nested = self.op_end[op], op + 1
        if nested < self.subtree_end[op]:  # the header ends where the first region opens
            end = self.region_start[self.block_region[self.op_block[nested]]]
        header = self.source.data[self.op_start[op] : end]
        return symbol_in(header, self.tail(op) if self.op_is_generic[op] else b"")

    def of_block(self, block: int, by_op: Sequence[_Cell]) -> Sequence[_Cell]:
        """Return the entries for the ops of a block. Its ops usually have consecutive numbers."""
        ops = self.block_ops[block]
        if ops and ops[-1] - ops[0] == len(ops) - 1:
            return by_op[ops[0] : ops[-1] + 1]
        return list(map(by_op.__getitem__, ops))

    def block_name(self, block: int) -> str:
        """Return the block's label, or ``^bb0`` for an entry block without one."""
        offset = self.block_label[block]
        match = _LABEL.match(self.source.data, offset) if offset != NO_OFFSET else None
        return decoded(match[0]) if match else "^bb0"

    def block_header(self, block: int) -> bytes:
        """Return the block's label with its arguments, up to the first op. Empty without a label."""
        start, end = self.header_span(block)
        return self.source.data[start:end]

    def header_span(self, block: int) -> Span:
        """Return where the text of ``block_header`` is. An empty block ends with a label or its region."""
        label, ops = self.block_label[block], self.block_ops[block]
        if label == NO_OFFSET:
            return Span(0, 0)
        if ops:
            return Span(label, self.op_start[ops[0]])
        region = self.block_region[block]
        is_last = block + 1 == self.block_count or self.block_region[block + 1] != region
        return Span(label, self.region_end[region] if is_last else self.block_label[block + 1])

    def block_offset(self, block: int) -> int:
        """Return where the block begins: its label or its first op."""
        label = self.block_label[block]
        return label if label != NO_OFFSET else self.op_start[self.block_ops[block][0]]


def symbol_in(header: bytes, tail: bytes = b"") -> str | None:
    """Return the symbol that an op with this header defines. ``tail`` follows its regions in generic form."""
    if match := SYMBOL_NAME.search(header) or SYMBOL_NAME.search(tail):
        return symbol_of(match[1])
    match = _CUSTOM_SYMBOL.match(header)
    return symbol_of(match["symbol"]) if match else None


def _definition(source: Source, aliases: Mapping[bytes, Span], alias: bytes) -> bytes | None:
    span = aliases.get(alias)
    return None if span is None else source.data[span.start : span.end]
