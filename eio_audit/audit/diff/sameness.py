"""Whether two dumps are the same program, and in what sense: the verdict of a diff.

The matching is taken as a claim and checked: nothing here depends on how the ops were found. Two dumps are
the same program where every op has a partner with the same text, operands, successors, regions and blocks.
Then each block of the one is an order of the other's ops. That order is legal if every dependence keeps its
direction and the effects seen in the new order hold back the same ops: what ``fix`` demands of its own
rewrites. In a graph region, only listed symbols may change places.

**Graph regions.** A graph region has no order for SSA values. For anything else its order may have a meaning:
initializers run in it, the last of two connections counts, members are laid out in it. So only symbols that
the op table lists may change places there, with each other, and none in a region of an op that the table does
not list. In its other regions the effects keep symbols in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from eio_audit.audit.check.keyed_dump import read_dump
from eio_audit.audit.dependence import Dependences
from eio_audit.audit.diff.compared_dump import MODULE, ComparedDump, ComparedOps
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.boundaries import meaning_outside_ops
from eio_audit.mlir.reading.op_text import OpTexts
from eio_audit.mlir.source import InputError, Source, Span, splice

_SECTION = pattern(rb'\bsection"?\s*+=')
"""A symbol in a section of its own. A linker puts what is in a section one after the other."""


class KeptOrder:
    """The ops in graph regions of one dump that keep their order."""

    def __init__(self, ops: ComparedOps) -> None:
        self._ops = ops
        self._ir = ops.ir

    def pairs(self, block: int) -> Iterator[tuple[int, int]]:
        """Yield pairs of places in a block, the earlier first, that keep their order. None if it is no graph.

        Pairs that follow from others are left out, so there are at most two for each op.
        """
        ir, holder = self._ir, self._ir.parent_op(block)
        if ir.has_order(block):
            return
        is_listed = holder < 0 or ir.name(holder) in ir.op_table.rows
        free = self._free_symbols(block) if is_listed else set()
        marked: int | None = None
        since: list[int] = []
        for place, op in enumerate(ir.block_ops[block]):
            if marked is not None:
                yield marked, place
            if op in free:
                since.append(place)
            else:  # stays on its side of all others
                yield from ((earlier, place) for earlier in since)
                marked, since = place, []

    def _free_symbols(self, block: int) -> set[int]:
        """Return the ops of a block that may change places with each other."""
        ops, symbols = self._ir.block_ops[block], self._ops.symbols
        times = Counter(symbols[op] for op in ops)
        return {op for op in ops if symbols[op] is not None and times[symbols[op]] == 1 and self._is_free(op)}

    def _is_free(self, symbol: int) -> bool:
        """Whether the table lists an op as a symbol whose place among the others has no meaning."""
        ir, pending = self._ir, [symbol]
        while pending:
            op = pending.pop()
            row = ir.op_table.rows.get(ir.name(op))
            if row is None or "placed" in row.flags or not (row.is_declaration or row.is_harmless):
                return False
            if row.is_declaration and _SECTION.search(ir.own_text(op)):
                return False
            if "function" not in row.flags:
                pending += [
                    inner for block in self._ops.blocks_of.get(op, ()) for inner in ir.block_ops[block]
                ]
        return True


class Sameness(StrEnum):
    """In what sense two dumps are the same, the strictest first."""

    BYTES = "bytes"
    """Identical texts."""
    NAMES = "names"
    """The same ops in the same order. Names, aliases, locations and layout may differ."""
    ORDER = "order"
    """The same ops, each block in a legal order of the other's."""
    NONE = "none"
    """Different programs, or not proven to be the same."""


class SamenessVerdict(NamedTuple):
    """In what sense two dumps are the same."""

    sameness: Sameness  # the strictest sense in which they are
    reason: str = ""  # for `NONE`, the first thing that differs; else empty
    # For `NONE`, the names of ops of unknown effect, if the dumps are the same where these have none.
    unknown_ops: tuple[str, ...] = ()

    def is_at_least(self, wanted: Sameness) -> bool:
        """Whether the dumps are the same in this sense or a stricter one."""
        senses = list(Sameness)
        return senses.index(self.sameness) <= senses.index(wanted)


def sameness(before: ComparedDump, after: ComparedDump, became: Mapping[int, int]) -> SamenessVerdict:
    """In what sense two dumps are the same program, if each op ``became`` what it is claimed to be."""
    if before.ir.dump_view == after.ir.dump_view:
        return SamenessVerdict(Sameness.BYTES)
    if _is_in_module(before) and (wrapped := _in_module(after)):
        after, became = wrapped, {op: other + 1 for op, other in became.items()} | {0: 0}
    elif _is_in_module(after) and (wrapped := _in_module(before)):
        before, became = wrapped, {op + 1: other for op, other in became.items()} | {0: 0}
    old = before.ir
    difference = next(_differences(before, after, became), None)
    if difference is not None:
        return SamenessVerdict(Sameness.NONE, difference)
    orders = {block: list(map(became.__getitem__, ops)) for block, ops in enumerate(old.block_ops)}
    orders = {block: order for block, order in orders.items() if order != sorted(order)}
    if not orders:
        return SamenessVerdict(Sameness.NAMES)
    kept = before.dump.dependences, after.dump.dependences
    difference = next(_broken_dependences(before, after, orders, *kept), None)
    if difference is None:
        return SamenessVerdict(Sameness.ORDER)
    unknown = _unknown_ops(before, orders)
    pure = (*before.dump.options.assume_pure, *unknown)
    kept = Dependences(before.ir, pure), Dependences(after.ir, pure)
    is_known = not unknown or next(_broken_dependences(before, after, orders, *kept), None) is not None
    return SamenessVerdict(Sameness.NONE, difference, () if is_known else unknown)


def _is_in_module(dump: ComparedDump) -> bool:
    return bool(dump.names) and dump.names[0] == MODULE and len(dump.ir.block_ops[0]) == 1


def _in_module(dump: ComparedDump) -> ComparedDump | None:
    """Return a dump without a module in one, as MLIR reads it; None if it has one or cannot be in one.

    The lines of its ops stay.
    """
    if not dump.names or MODULE in dump.names:
        return None
    ir, ops = dump.ir, dump.ir.block_ops[0]
    begin, end = ir.op_start[ops[0]], ir.op_end[ops[-1]]
    edits = [(Span(begin, begin), b"module {"), (Span(end, end), b"\n}")]
    text = splice(ir.source.data, ir.span, edits)
    first = ir.source.line_at(ir.span.start)
    whole = Dump(Source(ir.source.name, text, first_line=first), Span(0, len(text)), None, first)
    try:
        return ComparedDump(read_dump(whole, dump.dump.options), dump.interned, dump.ignored)
    except InputError:  # an alias that is defined between two ops
        return None


def _named(side: ComparedDump, op: int) -> str:
    label = side.dump.label(op)
    return f"{side.ir.source.name}:{label.line}: {label.result or label.name}"


def _differences(before: ComparedDump, after: ComparedDump, became: Mapping[int, int]) -> Iterator[str]:
    """The differences. Only the first counts: a check takes for granted that those before found nothing."""
    old, new = before.ir, after.ir
    come_from = {other: op for op, other in became.items()}
    for side, others in ((before, became), (after, come_from)):
        for op in range(len(side)):
            if op not in others:
                yield f"{_named(side, op)} has no counterpart"
    if len(come_from) != len(became):
        yield "two ops became one"
    if old.block_count != new.block_count:
        yield "the number of blocks differs"
    if _meaning_outside_ops(before) != _meaning_outside_ops(after):
        yield "the text outside the ops differs: metadata, or a line that may be an op"
    block_at = {(new.parent_op(block), place): block for block, place in enumerate(after.region_places)}
    block_of = {
        block: block_at[here]
        for block, place in enumerate(before.region_places)
        if (here := (became.get(old.parent_op(block), -1), place)) in block_at
    }
    yield from _different_blocks(before, after, block_of)
    texts = OpTexts(old), OpTexts(new)
    result_counts = old.result_counts, new.result_counts
    for op, other in became.items():
        if block_of[old.op_block[op]] != new.op_block[other]:
            yield f"{_named(before, op)} is in another block"
        a, b = before.texts[op], after.texts[other]
        if a.is_generic != b.is_generic:
            yield f"{_named(before, op)} is printed in another form, which does not show the same"
        if a.text != b.text or texts[0].own_location(op) != texts[1].own_location(other):
            yield f"{_named(before, op)} has another text"
        operands = tuple(
            (became[owner] if owner >= 0 else -1 - block_of[-1 - owner], number)
            for owner, number in before.producers[op]
        )
        if operands != after.producers[other]:
            yield f"{_named(before, op)} has other operands"
        if result_counts[0][op] != result_counts[1][other]:
            yield f"{_named(before, op)} has another number of results"
        if b"^" in a.text and texts[1].successors(other) != [
            block_of[block] for block in texts[0].successors(op)
        ]:
            yield f"{_named(before, op)} has other successors"


def _meaning_outside_ops(dump: ComparedDump) -> list[bytes]:
    found = meaning_outside_ops(dump.ir)
    return [text for text in found if not (dump.reduction.drops_metadata and text.startswith(b"{-#"))]


def _different_blocks(
    before: ComparedDump, after: ComparedDump, block_of: Mapping[int, int]
) -> Iterator[str]:
    """Blocks that are somewhere else, or have other arguments."""
    old, new = before.ir, after.ir
    texts = OpTexts(old), OpTexts(new)
    for block in range(old.block_count):
        if block not in block_of:
            yield f"{old.block_name(block)} is in another region"
        other = block_of[block]
        counts = before.argument_counts[block], after.argument_counts[other]
        headers = texts[0].header(block), texts[1].header(other)
        if len(set(map(before.reduction.header, headers))) > 1 or counts[0] != counts[1]:
            yield f"{old.block_name(block)} has other arguments"


def _unknown_ops(dump: ComparedDump, orders: Mapping[int, Sequence[int]]) -> tuple[str, ...]:
    """Return the names of ops in some blocks, at any depth, that may have any effect."""
    from eio_audit.mlir.semantics.effects import EffectSource

    ir, source_of = dump.ir, dump.dump.dependences.effects.source_of
    found = {
        ir.name(inner)
        for block in orders
        for op in ir.block_ops[block]
        for inner in (op, *ir.nested_ops(op))
        if source_of(inner) in {EffectSource.UNLISTED, EffectSource.UNKNOWN}
    }
    return tuple(sorted(found))


def _broken_dependences(
    before: ComparedDump,
    after: ComparedDump,
    orders: Mapping[int, Sequence[int]],
    dependences: Dependences,
    dependences_after: Dependences,
) -> Iterator[str]:
    """What an order does not keep: dependences, and in a graph region all but the order of symbols."""
    old, new = before.ir, after.ir
    kept = KeptOrder(before)
    for block, order in orders.items():
        for first, second in kept.pairs(block):
            if order[first] > order[second]:
                ops = old.block_ops[block]
                names = _named(before, ops[second]), _named(before, ops[first])
                yield f"{names[0]} is now before {names[1]}, and their order may have a meaning"
    ordered = [block for block in orders if old.has_order(block)]
    counterpart = {block: new.op_block[orders[block][0]] for block in ordered}
    graphs = dependences.of(ordered)
    others = dependences_after.by_effect(list(counterpart.values()))
    for block in ordered:
        graph = graphs[block]
        place_of = {op: k for k, op in enumerate(new.block_ops[counterpart[block]])}
        place = [place_of[op] for op in orders[block]]
        for producer, user in graph.violated_by(place):
            names = _named(before, graph.ops[user]), _named(before, graph.ops[producer])
            yield f"{names[0]} is now before {names[1]}, which it depends on"
        if not graph.same_effect_order(others[counterpart[block]], place):
            yield f"the ops of {old.block_name(block)} hold each other back in another way"
