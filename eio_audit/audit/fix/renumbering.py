"""Gives the values of a dump the names that its new order asks for, and proves that only names changed."""

from __future__ import annotations

import re
from dataclasses import replace

from eio_audit.audit.check.check import AuditedDump
from eio_audit.audit.fix.reading_again import VerificationError, read_again
from eio_audit.mlir.ir import IR
from eio_audit.mlir.rewriting.names_apart import names_apart
from eio_audit.mlir.rewriting.renumber import renumber
from eio_audit.mlir.tokens import STRING

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


def renumbered(dump: AuditedDump) -> AuditedDump:
    """The dump, its ops where they were, with the names of values that its new order asks for.

    It is the same object where no name changes.

    Raises:
        VerificationError: read again, the text is not the same program but for these names.
    """
    ir = dump.ir
    text = renumber(ir.source, ir.span, ir.op_table, dump.orders)
    return dump if text == ir.dump_text else replace(dump, ir=_with_other_names(ir, text))


def with_names_apart(ir: IR) -> IR:
    """What is read from the dump with other names where one is defined in a region and around it.

    It is the same object where no name changes.

    Raises:
        VerificationError: as for ``renumbered``.
    """
    text = names_apart(ir.source, ir.span, ir.op_table)
    return ir if text == ir.dump_text else _with_other_names(ir, text)


def has_same_structure(one: IR, other: IR) -> bool:
    """Whether two dumps have the same ops in the same blocks, which define and use the same values.

    Names and texts may differ.
    """
    return all(getattr(one, what) == getattr(other, what) for what in _STRUCTURE)


def _with_other_names(ir: IR, text: bytes) -> IR:
    """What is read from a text in which only names of values may be others.

    Raises:
        VerificationError: more than that is.
    """
    if _without_value_names(text) != _without_value_names(ir.dump_text):
        raise VerificationError("renumbering changed more than the names of values")
    named = read_again(ir, text, "renumbered")
    if not has_same_structure(named, ir):
        raise VerificationError("an op of the renumbered text uses or defines other values")
    return named


def _without_value_names(text: bytes) -> bytes:
    return _VALUE_NAME.sub(lambda match: match[0] if match["name"] is None else b"%", text)
