"""Gives the values of a dump the names that its new order asks for, and proves that only names changed."""

from __future__ import annotations

import re

from eio_audit.audit.fix.reading_again import VerificationError, read_same
from eio_audit.audit.fix.verification import Orders
from eio_audit.mlir.ir import IR
from eio_audit.mlir.rewriting.renumber import renumber
from eio_audit.mlir.rewriting.value_names import ValueNames, names_apart
from eio_audit.mlir.tokens import STRING

_VALUE_NAME = re.compile(STRING + rb"|//[^\n]*|%(?P<name>[\w$.-]+)")


def renumbered(ir: IR, orders: Orders) -> IR:
    """The dump, its ops where they were, with the names of values that its new order asks for.

    It is the same object where no name changes.

    Raises:
        VerificationError: read again, the text is not the same program but for these names.
    """
    return _with_other_names(ir, renumber(ValueNames(ir.source, ir.span, ir.op_table), orders))


def with_names_apart(ir: IR) -> IR:
    """The dump with other names where one is defined in a region and around it.

    It is the same object where no name changes.

    Raises:
        VerificationError: as for ``renumbered``.
    """
    return _with_other_names(ir, names_apart(ValueNames(ir.source, ir.span, ir.op_table)))


def _with_other_names(ir: IR, text: bytes) -> IR:
    """What is read from a text in which only names of values may be others; the same object where none is."""
    if text == ir.dump_text:
        return ir
    if _without_value_names(text) != _without_value_names(ir.dump_text):
        raise VerificationError("renumbering changed more than the names of values")
    return read_same(ir, text, "renumbered")


def _without_value_names(text: bytes) -> bytes:
    return _VALUE_NAME.sub(lambda match: match[0] if match["name"] is None else b"%", text)
