"""The normal form of a dump: a text that does not depend on names, layout and aliases.

On request it does not depend on the order of the ops either. It serves to compare texts line by line, as
``git diff`` does. So names are local: the name of a value consists of the name of its op and a digest of the
text of that op and its producers. A change renames only the values near it.

The canonical order of a block is a depth-first walk from its last op up the dependences. Each op follows the
ops it depends on: operands in order, then other ops by digest. Every such order is legal. Ops with equal
digests and similar neighbours stay in textual order; ``undecided`` has them. In a graph region only symbols
are sorted, between ops that keep their places (``sameness.py``).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from hashlib import blake2b
from itertools import chain, groupby
from typing import NamedTuple

from eio_audit.audit.check.keyed_dump import read_dump
from eio_audit.audit.dependence import DependenceKind
from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.refinement import RefinementClasses
from eio_audit.audit.diff.sameness import KeptOrder, Sameness, sameness
from eio_audit.audit.fix.verification import VerificationError, in_new_order
from eio_audit.audit.locations.parsed_locations import Interned
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, expect_dump
from eio_audit.mlir.ir import NO_OFFSET
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.boundaries import argument_locations, meaning_outside_ops
from eio_audit.mlir.reading.op_text import OpTexts
from eio_audit.mlir.rewriting import ValueNames
from eio_audit.mlir.source import InputError, Source, Span, splice
from eio_audit.mlir.tokens import post_order

_NO_WORD = pattern(r"\W+|\A(?=[0-9])", re.ASCII)
_ANY_NAME = b"%_"  # stands for the name of any value in the shape of a text
LONGEST_SHAPE = 1 << 12
"""The most bytes of a shape that is kept. Longer ones are mostly constants, which do not repeat."""
KEPT_DIGESTS = 1 << 12  # the layers of a model repeat


class NormalForm(NamedTuple):
    """A dump in its normal form."""

    text: bytes  # the dump
    undecided: tuple[int, ...]  # lines of ops that stay in textual order because they equal another op


def normal_form(
    dump: Dump, options: AuditOptions = DEFAULT_OPTIONS, *, ordered: bool = False, located: bool = False
) -> NormalForm:
    """Return the normal form of a dump.

    Args:
        dump: the dump.
        options: only ``assume_pure`` and ``ops`` count.
        ordered: put the ops of each block in the canonical order.
        located: keep locations.

    Raises:
        InputError: the dump cannot be read.
        VerificationError: the normal form, read again, is not the same program.
    """
    values, interned = ValueNames(expect_dump(dump).source, dump.span, options.op_table), Interned()
    old = ComparedDump(read_dump(dump, options, values.ir), interned)
    form = _Normalized(old, values)
    text = form.text(ordered=ordered, located=located)
    read = replace(dump, source=Source(f"normal form of {dump.source.name}", text), span=Span(0, len(text)))
    try:
        new = ComparedDump(read_dump(read, options), interned)
    except InputError as error:
        raise VerificationError(f"the normal form cannot be read: {error}") from error
    found = sameness(old, new, form.numbers(ordered=ordered))
    if found.sameness is Sameness.NONE:
        raise VerificationError(f"the normal form is not the same program: {found.reason}")
    ir = values.ir
    lines = {ir.source.line_at(ir.op_start[op]) for op in form.undecided}
    return NormalForm(text, tuple(sorted(lines)))


def _digest(key: Hashable) -> int:
    """Return a number for a key that is the same in every process."""
    return int.from_bytes(blake2b(repr(key).encode(), digest_size=8).digest(), "big")


@cache
def _word_of(name: str) -> str:
    return _NO_WORD.sub("_", name.rpartition(".")[2])


class _Normalized:
    def __init__(self, dump: ComparedDump, values: ValueNames) -> None:
        self._ir = ir = values.ir
        self._values = values
        self._texts = OpTexts(ir)
        self._aliases = ir.alias_texts
        self._ops = dump
        self._op_labels = [(name, text.text) for name, text in zip(dump.names, dump.texts, strict=True)]
        self._digest = lru_cache(KEPT_DIGESTS)(_digest)
        self._near = [self._near_digest(op, self._op_labels) for op in range(len(dump))]
        self._dependences = dump.dump.dependences
        self.undecided: set[int] = set()
        self._orders = self._canonical_orders()
        self._names = {value: b"%" + name.encode() for value, name in self._value_names().items()}
        self._shapes: dict[tuple[bytes, bool], list[bytes]] = {}
        self._labels = {
            (ir.block_region[block], ir.block_name(block).encode()): b"^bb%d"
            % self._ops.region_places[block][1]
            for block in range(ir.block_count)
        }

    def _near_digest(self, op: int, labels: Sequence[Hashable]) -> int:
        """Return a digest of an op and its producers, but of nothing further away."""
        producers = tuple(
            (labels[owner], number) if owner >= 0 else ("argument", number)
            for owner, number in self._ops.producers[op]
        )
        return self._digest((labels[op], producers))

    def _canonical_orders(self) -> dict[int, list[int]]:
        """Return, by block, the places of its ops in the canonical order."""
        ir = self._ir
        has_order = [b for b, ops in enumerate(ir.block_ops) if ops and ir.has_order(b)]
        graphs = self._dependences.of(has_order)
        kept = KeptOrder(self._ops)
        orders: dict[int, list[int]] = {}
        for block, ops in enumerate(ir.block_ops):
            if block not in graphs:
                orders[block] = self._order_in_graph_region(ops, kept.pairs(block))
                continue
            waits_for: list[list[int]] = [[] for _ in ops]
            is_waited_for = bytearray(len(ops))
            for producer, user, kind in graphs[block].edges():
                is_waited_for[producer] = 1
                if kind is not DependenceKind.VALUE:
                    waits_for[user].append(producer)
            place = {op: k for k, op in enumerate(ops)}
            for k, op in enumerate(ops):
                operands = [place[owner] for owner, _ in self._ops.producers[op] if owner in place]
                others = self._sorted(set(waits_for[k]).difference(operands), ops)
                waits_for[k] = [*operands, *others][::-1]
            last = self._sorted([k for k in range(len(ops)) if not is_waited_for[k]], ops)
            order: dict[int, None] = {}
            for k in post_order(last[::-1], waits_for.__getitem__, order):
                order[k] = None
            orders[block] = list(order)
        return orders

    def _order_in_graph_region(self, ops: Sequence[int], kept: Iterable[tuple[int, int]]) -> list[int]:
        """Return the ops in textual order, with the symbols sorted that stand between two that stay."""
        stays_after = dict.fromkeys(range(len(ops)), -1)
        for first, second in kept:
            stays_after[second] = max(stays_after[second], first)
        runs = groupby(stays_after, key=stays_after.__getitem__)
        return [place for _, run in runs for place in self._sorted(run, ops)]

    @cached_property
    def _classes(self) -> list[int]:
        return RefinementClasses(self._ops, self._op_labels, self._ops.functions, self._digest).exact

    def _sorted(self, places: Iterable[int], ops: Sequence[int]) -> list[int]:
        keys: dict[int, tuple[str | int, ...]] = {}
        for place in sorted(places):
            op = ops[place]
            symbol = (self._ops.symbols[op] or "").replace('"', "")  # by name, whether in quotes or not
            keys[place] = symbol, self._ops.names[op], self._near[op]
        if len(set(keys.values())) < len(keys):
            keys = {place: (*key, self._classes[ops[place]]) for place, key in keys.items()}
        in_order = sorted(keys, key=keys.__getitem__)
        for _, alike in groupby(in_order, key=keys.__getitem__):
            first, *others = alike
            self.undecided.update(ops[place] for place in (first, *others) if others)
        return in_order

    def numbers(self, *, ordered: bool) -> dict[int, int]:
        ops = in_new_order(self._ir, self._orders)[0] if ordered else range(len(self._ops))
        return {op: number for number, op in enumerate(ops)}

    def _value_names(self) -> dict[int, str]:
        ir, seen, names = self._ir, dict[str, int](), dict[int, str]()

        def name_arguments(op: int, arguments: int) -> int:
            for block in self._ops.blocks_of.get(op, ()):
                for value in ir.block_arguments.get(block, ()):
                    names[value] = f"arg{arguments}"
                    arguments += 1
            return arguments

        arguments = name_arguments(-1, 0)
        outside = list[tuple[int, int]]()  # where such an op ends, and the number of arguments before it
        for place, op in enumerate(in_new_order(ir, self._orders)[0]):
            while outside and outside[-1][0] == place:
                arguments = outside.pop()[1]
            if self._may_number_anew(op):
                outside.append((place + ir.subtree_end[op] - op, arguments))
                arguments = 0
            arguments = name_arguments(op, arguments)
            if not ir.result_count(op):
                continue
            base = f"{_word_of(self._ops.names[op])}_{self._near[op] & 0xFFFF:04x}"
            number = seen[base] = seen.get(base, 0) + 1
            name = base if number == 1 else f"{base}.{number}"
            named = (value for value in ir.result_values(op) if value in self._values.names)
            names |= {value: f"{name}.r{number}" if number else name for number, value in enumerate(named)}
        return names

    def _may_number_anew(self, op: int) -> bool:
        """Whether an op defines a symbol, has regions, and stands in no region with arguments."""
        ir = self._ir
        if self._ops.symbols[op] is None or op not in self._ops.blocks_of:
            return False
        return not any(
            block in ir.block_arguments
            for around in ir.enclosing_ops(ir.op_block[op])
            for block in self._ops.blocks_of[around]
        )

    def text(self, *, ordered: bool, located: bool) -> bytes:
        """Return the text, with one line for each op, block label and end of a region."""
        lines: list[bytes] = []
        pending: list[Iterator[bytes | tuple[int, int]]] = [
            iter(
                [(op, 0) for block in self._ops.blocks_of.get(-1, ()) for op in self._placed(block, ordered)]
            )
        ]
        while pending:
            item = next(pending[-1], None)
            if item is None:
                pending.pop()
            elif isinstance(item, bytes):
                lines.append(item)
            elif item[0] in self._ops.blocks_of:
                pending.append(self._lines(*item, ordered=ordered, located=located))
            else:
                op, depth = item
                lines.append(self._last_line(op, depth, self._ir.op_start[op], located=located))
        return b"\n".join([*lines, *meaning_outside_ops(self._ir), b""])

    def _placed(self, block: int, ordered: bool) -> Sequence[int]:
        ops = self._ir.block_ops[block]
        return [ops[k] for k in self._orders[block]] if ordered else ops

    def _lines(
        self, op: int, depth: int, *, ordered: bool, located: bool
    ) -> Iterator[bytes | tuple[int, int]]:
        """Yield the lines of an op with regions. For an op inside, yield that op and its depth instead."""
        ir, indent = self._ir, b"  " * depth
        start, region = ir.op_start[op], ir.block_region[ir.op_block[op]]
        blocks = self._ops.blocks_of[op]
        with_ops = {ir.block_region[block] for block in blocks if ir.block_ops[block]}
        for inner, group in groupby(blocks, key=ir.block_region.__getitem__):
            if inner not in with_ops:
                continue
            yield indent + self._piece(op, start, ir.region_start[inner] + 1, region)
            for block in group:
                if ir.block_label[block] != NO_OFFSET:
                    yield indent + self._piece(op, *ir.header_span(block), inner)
                yield from ((child, depth + 1) for child in self._placed(block, ordered))
            start = ir.region_end[inner]
        yield self._last_line(op, depth, start, located=located)

    def _last_line(self, op: int, depth: int, start: int, *, located: bool) -> bytes:
        """Return the line of an op from ``start`` to its end, the only one of an op without regions."""
        ir, end, location = self._ir, self._ir.op_end[op], self._ir.location_text(op)
        if location is not None:
            end = ir.source.data.rfind(b"loc", start, ir.location_start[op])
        is_shown = located or self._texts.own_location(op) is not None
        place = b"" if location is None or not is_shown else b" loc(%b)" % self._aliases.expanded(location)
        return b"  " * depth + self._piece(op, start, end, ir.block_region[ir.op_block[op]]) + place

    def _piece(self, op: int, start: int, end: int, region: int) -> bytes:
        """Return a part of an op's text in normal form. Its block names belong to ``region``."""
        data, span = self._ir.source.data, Span(start, end)
        is_label = data[start : start + 1] == b"^"
        locations = (
            argument_locations(self._ir, span) if is_label else self._texts.argument_locations(op, span)
        )
        without = [(location, b"") for location in locations]
        named = self._values.named_in(span, self._names)
        shape = splice(data, span, [*without, *((place, _ANY_NAME) for place, _ in named)])
        keeps_numbers = self._texts.is_free_text(op)
        names = [self._names[value] for _, value in named]
        if len(shape) <= LONGEST_SHAPE and b"^" not in shape:
            pieces = self._between_names(shape, keeps_numbers)
            if len(pieces) == len(names) + 1:
                return b"".join(chain.from_iterable(zip(pieces, [*names, b""], strict=True)))
        edits = [*without, *((place, self._names[value]) for place, value in named)]
        return self._comparable(splice(data, span, edits), region, keeps_numbers=keeps_numbers)

    def _between_names(self, shape: bytes, keeps_numbers: bool) -> list[bytes]:
        """Return what stands between the names of a text without block names. Few texts differ in it.

        There are more pieces if ``_ANY_NAME`` stands for itself as well.
        """
        key = shape, keeps_numbers
        if key not in self._shapes:
            text = self._comparable(shape, -1, keeps_numbers=keeps_numbers)
            self._shapes[key] = max(text.split(_ANY_NAME), shape.split(_ANY_NAME), key=len)
        return self._shapes[key]

    def _comparable(self, text: bytes, region: int, *, keeps_numbers: bool) -> bytes:
        return self._texts.comparable(
            text,
            label=lambda name: self._labels.get((region, name), name),
            keeps_values=True,
            keeps_numbers=keeps_numbers,
        )
