"""Read a program: its structure and types from generic assembly, and its text as it was printed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain

from eio_audit.mlir.editing.program import (
    Block,
    Op,
    Place,
    Program,
    Template,
    Value,
    function_type,
    list_of_attributes,
    signature,
)
from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.builder import Mentions
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError, Source, Span
from eio_audit.mlir.tokens import (
    VALUE_NAME,
    dictionary_entries,
    list_parts,
    nesting,
    outermost_brackets,
    without_definitions,
)
from eio_audit.mlir.traits import OpTable

SPLIT = pattern(rb"(?m)^[ \t]*// -----[ \t]*\r?(?:\n|\Z)")
"""The line between two parts of a file."""
_RESOURCES = pattern(rb"(?m)^\{-#.*?#-\}", re.DOTALL)
_NUMBER = pattern(rb"#[0-9]+")
_ARGUMENT = pattern(rb"%[\w$.-]+\s*:\s*")


def read_program(
    printed: bytes, generic: bytes | None, name: str, table: OpTable, *, is_split: bool
) -> Program:
    """Read a program as it was printed, and in generic assembly with inline locations, if that is another.

    Args:
        printed: the program as it was printed.
        generic: the same, as a compiler printed it in generic assembly; None if ``printed`` is generic.
        name: what messages call it.
        table: the table of ops.
        is_split: whether lines ``// -----`` divide it.

    Raises:
        InputError: it cannot be read, or is not in generic assembly though it must be.
    """
    texts = SPLIT.split(printed) if is_split else [printed]
    generics = [None] * len(texts) if generic is None else SPLIT.split(generic) if is_split else [generic]
    if is_split:
        texts = [text for text in texts if without_definitions(text)[1].strip()]
        generics = [text for text in generics if text is None or text.strip()][: len(texts)]
    program = Program([], [], line_end=b"\r\n" if b"\r\n" in printed else b"\n")
    program.taken = {match[0][1:] for match in VALUE_NAME.finditer(printed)}
    found = _RESOURCES.search(printed)
    program.resources = b"" if found is None else found[0]
    if len(generics) != len(texts):
        raise InputError(name, None, "the compiler prints another number of parts (// -----) than it read")
    for text, other in zip(texts, generics, strict=True):
        program.aliases += [
            one for one in without_definitions(text)[0] if one[0] not in dict(program.aliases)
        ]
        shown = _Side(text, name, table)
        of_types = shown if other is None else _Side(other, f"{name}, in generic assembly", table)
        program.parts += _Reader(of_types, shown, program).parts()
    return program.numbered()


class _Side:
    """One text of a program, as read."""

    def __init__(self, text: bytes, name: str, table: OpTable) -> None:
        self.mentions = Mentions()
        source = Source(name, text)
        self.ir: IR = read_ir(source, Span(0, len(text)), table, mentions=self.mentions)
        self.offsets = sorted(self.mentions.values)

    def top_level(self) -> list[int]:
        return [*self.ir.block_ops[0]] if self.ir.block_count else []

    def regions(self, op: int) -> list[list[int]]:
        return [self.ir.region_blocks[region] for region in self.ir.regions_of.get(op, ())]


class _Reader:
    """Makes the objects of one part. The op of each text that is the same is found by its place."""

    def __init__(self, generic: _Side, shown: _Side, program: Program) -> None:
        self._generic, self._shown, self._program = generic, shown, program
        self._values: dict[int, Value] = {}  # by value of the generic text
        self._shown_values: dict[int, Value] = {}
        self._reshaped: set[int] = set()  # ops with a region that the text shows in another form
        self._misnamed: set[Value] = set()  # arguments that the text lists in another order
        self._partner: dict[int, int] = {}  # by op of the generic text, the same op of the other

    def parts(self) -> Iterator[Op]:
        """Yield the top-level ops."""
        tops, shown = self._generic.top_level(), self._shown.top_level()
        is_implied = _is_module(self._generic.ir, tops) and not _is_module(self._shown.ir, shown)
        if is_implied:
            blocks = self._generic.regions(tops[0])[0]
            self._pair_ops(self._generic.ir.block_ops[blocks[0]] if blocks else [], shown)
        else:
            self._pair_ops(tops, shown)
        for top in tops:
            op = self._op(top)
            for inner in op.walk():
                if any(self._misnamed & {*region[0].arguments} for region in inner.regions if region):
                    inner.edited()
            op.is_implied = is_implied
            if is_implied:
                op.template = (("region", 0, 0),)
            yield op

    def _pair_ops(self, ops: Sequence[int], shown: Sequence[int]) -> bool:
        """Pair the ops of two lists, if they are the same. The text may leave a terminator out."""
        generic, other = self._generic.ir, self._shown.ir
        if len(ops) not in {len(shown), len(shown) + 1}:
            return False
        pairs = [*zip(ops, shown, strict=False)]
        if any(_shape(generic, op) != _shape(other, one) for op, one in pairs):
            return False
        for op, one in pairs:
            self._partner[op] = one
            shown_regions = self._shown.regions(one)
            if shown_regions and not self._pair_regions(self._generic.regions(op), shown_regions):
                self._reshaped.add(op)
        return True

    def _pair_regions(self, regions: list[list[int]], shown: list[list[int]]) -> bool:
        generic, other = self._generic.ir, self._shown.ir
        while len(regions) > len(shown) and not any(generic.block_ops[block] for block in regions[-1]):
            regions = regions[:-1]  # as of an `scf.if` without `else`
        if [*map(len, regions)] != [*map(len, shown)]:
            return False
        blocks = [*zip(chain.from_iterable(regions), chain.from_iterable(shown), strict=True)]
        return all(self._pair_ops(generic.block_ops[block], other.block_ops[one]) for block, one in blocks)

    def _value(self, value: int) -> Value:
        """Return the object of a value, which may be used before its definition is reached."""
        if value not in self._values:
            self._values[value] = Value(b"", b"")
        return self._values[value]

    def _op(self, op: int) -> Op:
        ir, text = self._generic.ir, self._generic.ir.bare_text(op)
        if not ir.op_is_generic[op]:
            raise ir.source.error(
                ir.op_start[op], "expected an op in generic form, for its types: --printer COMMAND prints it"
            )
        start = ir.name_start(op) - ir.op_start[op]
        parts = _parts(text, start)
        results = [self._value(value) for value in ir.result_values(op)]
        for result, type_ in zip(results, parts.results, strict=True):
            result.type = type_
        partner = self._partner.get(op)
        regions = self._regions(op, None if op in self._reshaped else partner)
        made_op = Op(
            ir.name(op),
            [self._value(value) for value in ir.operands_of(op)],
            results,
            [Block(label, is_labelled=False) for label in parts.successors],
            parts.properties,
            parts.attributes,
            regions,
        )
        if made_op.is_function and regions[0]:
            inputs = regions[0][0].arguments[: len(signature(made_op)[0])]
            dictionaries = list_of_attributes(parts.properties.get(b"arg_attrs"), len(inputs))
            for argument, dictionary in zip(inputs, dictionaries, strict=True):
                argument.attributes = dictionary
        self._name_results(made_op, op)
        if partner is None:
            made_op.is_implied = not results and not regions
            made_op.location = None
        else:
            self._show(made_op, partner)
            if op not in self._reshaped:
                made_op.template = self._template(made_op, partner)
                made_op.hides_regions = bool(regions) and not self._shown.regions(partner)
        return made_op

    def _regions(self, op: int, partner: int | None) -> list[list[Block]]:
        ir, regions = self._generic.ir, []
        shown = [] if partner is None else self._shown.regions(partner)
        for number, region in enumerate(self._generic.regions(op)):
            others = shown[number] if number < len(shown) else [None] * len(region)
            made = [self._block(block, one) for block, one in zip(region, others, strict=True)]
            for block, object_ in zip(region, made, strict=True):
                object_.ops = [self._op(inner) for inner in ir.block_ops[block]]
            named = {ir.block_name(block).encode(): one for block, one in zip(region, made, strict=True)}
            for inner in (inner for block in made for inner in block.ops):
                inner.successors = [named[label.name] for label in inner.successors]
            regions.append(made)
        return regions

    def _name_results(self, op: Op, number: int) -> None:
        partner = self._partner.get(number)
        ir = self._shown.ir
        if partner is not None and ir.result_count(partner) == len(op.results):
            for value, name, shown in zip(
                op.results, ir.result_names(partner), ir.result_values(partner), strict=True
            ):
                value.name = name.encode()[1:]
                self._shown_values[shown] = value
            return
        self._program.rename(op.results)

    def _block(self, block: int, shown: int | None) -> Block:
        ir, other = self._generic.ir, self._shown.ir
        arguments = [self._value(value) for value in ir.block_arguments.get(block, ())]
        types = list(_argument_types(ir.block_header(block)))
        if len(types) != len(arguments):
            raise ir.source.error(ir.block_offset(block), "expected a type of each argument")
        for argument, type_ in zip(arguments, types, strict=True):
            argument.type = type_
        names = [] if shown is None else other.block_arguments.get(shown, [])
        is_named = len(names) == len(arguments)
        for place, argument in enumerate(arguments):
            if is_named and names[place] in self._shown.mentions.definitions:
                offset = self._shown.mentions.definitions[names[place]]
                match = VALUE_NAME.match(other.source.data, offset)
                assert match
                argument.name = match[0][1:]
                self._shown_values[names[place]] = argument
            else:
                self._program.rename([argument])
        is_labelled = shown is not None and other.block_label[shown] != NO_OFFSET
        name = other.block_name(shown) if shown is not None and is_labelled else ir.block_name(block)
        return Block(name.encode(), is_labelled, arguments)

    def _show(self, op: Op, shown: int) -> None:
        """Take the location and the text of an op from the text as printed."""
        ir = self._shown.ir
        op.location = ir.location_text(shown)
        op.is_custom = not ir.op_is_generic[shown]

    def _template(self, op: Op, shown: int) -> Template | None:
        ir = self._shown.ir
        pieces: list[bytes | Place] = []
        offset = ir.name_start(shown)
        for number, region in enumerate(ir.regions_of.get(shown, ())):
            start = ir.region_start[region] + 1
            if (header := self._pieces(op, Span(offset, start))) is None:
                return None
            pieces += [*header, ("region", number, 0)]
            offset = ir.region_end[region]
        rest = self._pieces(op, Span(offset, max(ir.bare_end(shown), offset)))
        if rest is None:
            return None
        return *pieces, *rest[:-1], rest[-1].rstrip() if isinstance(rest[-1], bytes) else rest[-1]

    def _pieces(self, op: Op, span: Span) -> list[bytes | Place] | None:
        """Return the pieces of a span of the op's own text; None if it names what is not the op's."""
        data, offsets = self._shown.ir.source.data, self._shown.offsets
        places: dict[Value, Place] = {}
        for r, region in enumerate(op.regions):
            for a, argument in enumerate(region[0].arguments if region else ()):
                places.setdefault(argument, ("argument", r, a))
        for number, operand in enumerate(op.operands):
            places.setdefault(operand, ("operand", number, 0))
        pieces: list[bytes | Place] = []
        done = span.start
        for offset in offsets[bisect_left(offsets, span.start) : bisect_left(offsets, span.end)]:
            match = VALUE_NAME.match(data, offset)
            assert match
            end, number = match.end(), 0
            if suffix := _NUMBER.match(data, end):
                end, number = suffix.end(), int(suffix[0][1:])
            value = self._shown_values.get(self._shown.mentions.meaning(offset) + number)
            if value is None or value not in places:
                self._misnamed |= {value} if value is not None else set()
                return None
            pieces += [data[done:offset], places[value]]
            done = end
        return [*pieces, data[done : span.end]]


def _is_module(ir: IR, ops: Sequence[int]) -> bool:
    return [ir.name(op).rpartition(".")[2] for op in ops] == ["module"]


def _shape(ir: IR, op: int) -> tuple[str, int]:
    return ir.name(op).rpartition(".")[2], ir.result_count(op)


class _Parts:
    """The parts of an op in generic assembly."""

    def __init__(self) -> None:
        self.successors: list[bytes] = []
        self.properties: dict[bytes, bytes] = {}
        self.attributes: dict[bytes, bytes] = {}
        self.results: list[bytes] = []


def _parts(text: bytes, start: int) -> _Parts:
    """Split the text of a generic op, in which regions are empty, from its name on."""
    parts = _Parts()
    for begin, end, opening in outermost_brackets(text[start:]):
        inner = text[start + begin + 1 : start + end - 1]
        if opening == b":":
            _, parts.results = function_type(text[start + end :].strip())
        elif opening == b"[":
            parts.successors = [*list_parts(inner)]
        elif opening == b"<":
            parts.properties = dict(dictionary_entries(inner[1:-1]))
        elif opening == b"{":
            parts.attributes = dict(dictionary_entries(inner))
    return parts


def _without_location(text: bytes) -> bytes:
    for token, depth in nesting(text):
        if depth == 1 and token[0] == b"(" and text[: token.start()].endswith(b"loc"):
            return text[: token.start() - 3].strip()
    return text.strip()


def _argument_types(label: bytes) -> Iterator[bytes]:
    """Yield the types in ``^bb1(%0: i32 loc("x"), %1: f32):``."""
    if b"(" in label:
        for part in list_parts(label, label.index(b"(") + 1):
            if match := _ARGUMENT.match(part):
                yield _without_location(part[match.end() :])
