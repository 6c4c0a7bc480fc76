"""Writes the corrected order, and proves on the written text that it is the same program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from eio_audit.audit.check import AuditedDump, DumpAudit, Summary, audit_dump, summarize
from eio_audit.audit.dependence import Dependences
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.audit.order_keys import OrderKeys
from eio_audit.mlir.dumps import Dump
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reader import read_ir
from eio_audit.mlir.renumber import renumber as renumber_values
from eio_audit.mlir.source import InputError, Source
from eio_audit.mlir.tokens import STRING
from eio_audit.mlir.writer import reorder
from eio_audit.order.displaced import displaced
from eio_audit.order.inversions import count_inversions

_VALUE_NAME = re.compile(STRING + rb"|//[^\n]*|%(?P<name>[\w$.-]+)")
_STRUCTURE = (
    "op_block",
    "subtree_end",
    "first_result",
    "operand_start",
    "operands",
    "late_operands",
    "value_owner",
    "block_region",
    "region_op",
)
"""What the names of values change nothing of."""


class VerificationError(Exception):
    """A rewrite did not pass its own verification; it must not be written."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A corrected text, verified.

    Attributes:
        text: the corrected bytes; the input's own where nothing is avoidable.
        dumps: the audits of the dumps as they were.
        moved: ops that stand elsewhere now, the fewest that explain the new order.
        renumbered: values have other names now.
    """

    text: bytes
    dumps: tuple[DumpAudit, ...]
    moved: int
    renumbered: bool = False

    @property
    def before(self) -> Summary:
        """The figures of the dumps as they were."""
        return summarize(self.dumps)

    @property
    def changed(self) -> bool:
        """Whether any inversion was avoidable."""
        return self.before.avoidable > 0


def fix(
    dumps: Iterable[Dump],
    options: AuditOptions = DEFAULT_OPTIONS,
    *,
    only_dumps: bool = False,
    renumber: bool = False,
) -> Fix:
    """Restores the original order of dumps of one source as far as dependences allow.

    Args:
        dumps: those of the source to fix, at least one, in order of appearance; the others stay as they are.
        options: as for ``check``.
        only_dumps: return the dumps alone, without what stands around them in the source.
        renumber: name values as MLIR's printer would in the new order, also where nothing moves.

    Raises:
        InputError: a dump cannot be read.
        VerificationError: the corrected text is not the same program in a better order.
        ValueError: there is no dump, or the dumps are of several sources.
    """
    audited = [audit_dump(dump, options) for dump in dumps]
    if len({id(dump.dump.source) for dump in audited}) != 1:
        raise ValueError("expected dumps of one source")
    source = audited[0].dump.source
    pieces, offset, moved, has_new_names = [], 0, 0, False
    for dump in audited:
        span = dump.dump.span
        named = renumbered(dump) if renumber else dump
        has_new_names |= named.ir.dump_text != dump.ir.dump_text
        text = corrected(named) if dump.orders else named.ir.dump_text
        if only_dumps:
            pieces.append(text.lstrip(b"\r\n"))
        else:
            pieces += [source.data[offset : span.start], text]
        offset = span.end
        moved += sum(_moved_count(order) for order in dump.orders.values())
    if not only_dumps:
        pieces.append(source.data[offset:])
    return Fix(b"".join(pieces), tuple(dump.audit for dump in audited), moved, has_new_names)


def corrected(dump: AuditedDump) -> bytes:
    """The dump's text in the orders found for it, verified by reading it again.

    Raises:
        VerificationError: see ``verify``.
    """
    text = reorder(dump.ir, dump.orders)
    verify(dump, text)
    return text


def renumbered(dump: AuditedDump) -> AuditedDump:
    """The dump, its ops where they were, with the names of values that its new order asks for.

    Raises:
        VerificationError: read again, the text is not the same program but for these names.
    """
    ir = dump.ir
    text = renumber_values(ir.source, ir.span, ir.op_table, dump.orders)
    if _without_value_names(text) != _without_value_names(ir.dump_text):
        raise VerificationError("renumbering changed more than the names of values")
    try:
        named = read_ir(Source("renumbered " + ir.source.name, text), None, ir.op_table)
    except InputError as error:
        raise VerificationError(f"the renumbered text cannot be read: {error}") from error
    if any(getattr(named, what) != getattr(ir, what) for what in _STRUCTURE):
        raise VerificationError("an op of the renumbered text uses or defines other values")
    return replace(dump, ir=named)


def _without_value_names(text: bytes) -> bytes:
    return _VALUE_NAME.sub(lambda match: match[0] if match["name"] is None else b"%", text)


def verify(before: AuditedDump, text: bytes) -> None:
    """Checks a rewritten dump against the one it was made from.

    The text is read anew. Every block must hold the same ops with the same text and the same operands, in the
    order that was found; every dependence must keep its direction, seen from the old text and from the
    new; and no block may have more inversions than it had.

    Raises:
        VerificationError: any of this does not hold.
    """
    try:
        after = read_ir(Source("rewritten " + before.ir.source.name, text), None, before.ir.op_table)
    except InputError as error:
        raise VerificationError(f"the rewritten text cannot be read: {error}") from error
    old_of = list(_expected_order(before.ir, before.orders))
    if len(after) != len(before.ir) or after.block_count != before.ir.block_count:
        raise VerificationError("the rewritten text has other operations or blocks")
    _Comparison(before, after, old_of).run()


class _Comparison:
    """An old dump and a new one, whose op ``i`` should be the old op ``old_of[i]``."""

    def __init__(self, before: AuditedDump, after: IR, old_of: list[int]) -> None:
        self.before = before
        self.old = before.ir
        self.new = after
        self.old_of = old_of
        self.new_of = sorted(range(len(old_of)), key=old_of.__getitem__)

    def run(self) -> None:
        for new_op, old_op in enumerate(self.old_of):
            if self.new.own_text(new_op) != self.old.own_text(old_op):
                raise self._failure("the text of an op changed", old_op)
            if self._operands(self.new, new_op) != self._operands(self.old, old_op, self.new_of):
                raise self._failure("an op uses other values", old_op)
        blocks = {old: self._new_block(old) for old in self.before.orders}
        self._compare_dependences(blocks)
        keys = OrderKeys(self.new, self.before.options)
        for old, new in blocks.items():
            if _inversions(keys, self.new, new) > _inversions(self.before.keys, self.old, old):
                raise VerificationError(f"more inversions than before in {self.old.block_name(old)}")

    def _compare_dependences(self, blocks: dict[int, int]) -> None:
        assume_pure = self.before.options.assume_pure
        old_graphs = Dependences(self.old, assume_pure).of(blocks)
        new_graphs = Dependences(self.new, assume_pure).of(blocks.values())
        for old, new in blocks.items():
            kept = {
                (self.new_of[d.producer], self.new_of[d.user], d.kind) for d in old_graphs[old].dependences()
            }
            found = {(d.producer, d.user, d.kind) for d in new_graphs[new].dependences()}
            for producer, user, _ in kept:
                if producer >= user:
                    raise self._failure("an op would stand before one it depends on", self.old_of[user])
            if {edge[:2] for edge in kept ^ found if edge[2] != "terminator"}:
                raise VerificationError(f"other dependences than before in {self.old.block_name(old)}")

    def _new_block(self, old_block: int) -> int:
        new_block = self.new.op_block[self.new_of[self.old.block_ops[old_block][0]]]
        if [self.old_of[op] for op in self.new.block_ops[new_block]] != [
            self.old.block_ops[old_block][k] for k in self.before.orders[old_block]
        ]:
            raise VerificationError(
                f"{self.old.block_name(old_block)} does not hold the same ops in the order found"
            )
        return new_block

    def _operands(self, ir: IR, op: int, new_of: list[int] | None = None) -> list[tuple[int, int]]:
        """The op's operands as (new defining op, result number); of block arguments the text says enough."""
        operands = []
        for value in ir.operands_of(op):
            owner = ir.value_owner[value]
            if owner >= 0:
                operands.append((new_of[owner] if new_of else owner, value - ir.first_result[owner]))
            else:
                operands.append((-1, -1))
        return operands

    def _failure(self, what: str, old_op: int) -> VerificationError:
        line = self.old.source.line_at(self.old.op_start[old_op])
        return VerificationError(f"{what}: {self.old.name(old_op)} at {self.old.source.name}:{line}")


def _expected_order(ir: IR, orders: dict[int, list[int]]) -> Iterator[int]:
    """The old ops in the textual pre-order of the rewritten dump."""
    blocks_in: dict[int, list[int]] = {}
    for block in range(ir.block_count):
        blocks_in.setdefault(ir.parent_op(block), []).append(block)
    pending = [
        op for block in reversed(blocks_in.get(-1, [])) for op in reversed(_ordered(ir, block, orders))
    ]
    while pending:
        op = pending.pop()
        yield op
        for block in reversed(blocks_in.get(op, [])):
            pending.extend(reversed(_ordered(ir, block, orders)))


def _ordered(ir: IR, block: int, orders: dict[int, list[int]]) -> list[int]:
    ops = ir.block_ops[block]
    return [ops[k] for k in orders[block]] if block in orders else list(ops)


def _inversions(keys: OrderKeys, ir: IR, block: int) -> int:
    return count_inversions([key for key in keys.of(ir.block_ops[block]) if key is not None])


def _moved_count(order: Sequence[int]) -> int:
    """The fewest ops whose removal leaves the others in textual order."""
    return len(displaced(order))
