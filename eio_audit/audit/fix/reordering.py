"""Write a dump in its new order, or with other value names. Both are verified."""

from __future__ import annotations

import re

from eio_audit.audit.dependence import Dependences
from eio_audit.audit.fix.reading_again import VerificationError, read_same
from eio_audit.audit.fix.verification import Orders, verify
from eio_audit.mlir.ir import IR
from eio_audit.mlir.rewriting.writer import reorder
from eio_audit.mlir.tokens import STRING
from eio_audit.order.permutation import permuted_ranges

_VALUE_NAME = re.compile(STRING + rb"|//[^\n]*|%(?P<name>[\w$.-]+)")


def reordered(ir: IR, orders: Orders, dependences: Dependences) -> bytes:
    """Return the dump's text with its blocks in ``orders``. Values are renamed only if names would clash.

    Raises:
        VerificationError: the text is not the same program (see ``verify``).
    """
    text = in_orders(ir, orders)
    try:
        verify(ir, orders, dependences, text)
    except VerificationError:
        from eio_audit.mlir.rewriting.value_names import ValueNames, names_apart

        renamed = _with_other_names(ir, names_apart(ValueNames(ir.source, ir.span, ir.op_table)))
        if renamed is ir:
            raise
        text = in_orders(renamed, orders)
        verify(renamed, orders, dependences, text)
    return text


def in_orders(ir: IR, orders: Orders) -> bytes:
    """Return the dump's text with its blocks in ``orders``, not verified."""
    return reorder(ir, {block: permuted_ranges(order) for block, order in orders.items()})


def renumbered(ir: IR, orders: Orders) -> IR:
    """Return the dump with the value names of its new order. Its ops do not move.

    The result is the same object if no name changes.

    Raises:
        VerificationError: the text is not the same program up to these names.
    """
    from eio_audit.mlir.rewriting.value_names import ValueNames, renumber

    return _with_other_names(ir, renumber(ValueNames(ir.source, ir.span, ir.op_table), orders))


def _with_other_names(ir: IR, text: bytes) -> IR:
    """Read the IR from a text in which only value names may differ."""
    if text == ir.dump_text:
        return ir
    before, after = (_VALUE_NAME.sub(lambda m: b"%" if m["name"] else m[0], t) for t in (ir.dump_text, text))
    if before != after:
        raise VerificationError("renumbering changed more than the names of values")
    return read_same(ir, text, "renumbered")
