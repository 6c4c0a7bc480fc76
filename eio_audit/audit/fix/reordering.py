"""Writes a dump in its new order, verified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eio_audit.audit.dependence import Dependences
from eio_audit.audit.fix.verification import Reordering, VerificationError, verify
from eio_audit.mlir.ir import IR
from eio_audit.mlir.rewriting.writer import reorder


def reordered(before: Reordering) -> bytes:
    """The dump's text with its blocks in their orders; values get other names only where theirs clash then.

    Raises:
        VerificationError: the text is not the same program (see ``verify``).
    """
    try:
        return _verified(before)
    except VerificationError:
        from eio_audit.audit.fix.renumbering import with_names_apart

        ir = with_names_apart(before.ir)
        if ir is before.ir:
            raise
        return _verified(_Renamed(ir, before.dependences, before.orders))


@dataclass(frozen=True, slots=True)
class _Renamed:
    """The same with other names of values."""

    ir: IR
    dependences: Dependences
    orders: Mapping[int, Sequence[int]]


def _verified(before: Reordering) -> bytes:
    text = reorder(before.ir, before.orders)
    verify(before, text)
    return text
