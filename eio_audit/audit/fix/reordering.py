"""Writes a dump in its new order, verified."""

from __future__ import annotations

from eio_audit.audit.dependence import Dependences
from eio_audit.audit.fix.reading_again import VerificationError
from eio_audit.audit.fix.verification import Orders, verify
from eio_audit.mlir.ir import IR
from eio_audit.mlir.rewriting.writer import reorder
from eio_audit.order.permutation import permuted_ranges


def reordered(ir: IR, orders: Orders, dependences: Dependences) -> bytes:
    """The dump's text with its blocks in ``orders``; values get other names only where theirs clash then.

    Raises:
        VerificationError: the text is not the same program (see ``verify``).
    """
    text = in_orders(ir, orders)
    try:
        verify(ir, orders, dependences, text)
    except VerificationError:
        from eio_audit.audit.fix.renumbering import with_names_apart

        renamed = with_names_apart(ir)
        if renamed is ir:
            raise
        text = in_orders(renamed, orders)
        verify(renamed, orders, dependences, text)
    return text


def in_orders(ir: IR, orders: Orders) -> bytes:
    """The dump's text with its blocks in ``orders``, not verified."""
    return reorder(ir, {block: permuted_ranges(order) for block, order in orders.items()})
