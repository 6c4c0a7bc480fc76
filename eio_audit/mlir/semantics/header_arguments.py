"""What the header of an op in custom assembly says of the arguments of its region.

``scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<4xf32>) {`` shows no type of ``%i`` and
``%a``. But they have the types of ``%c0`` and ``%t``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from eio_audit.mlir.ir import IR
from eio_audit.mlir.tokens import STRING_OR_COMMENT

_VALUE = re.compile(rb"%[\w$.-]+(?:#\d+)?")
_AFTER_NAME = re.compile(rb"\s*(?:(?P<equals>=)\s*(?P<value>%)?|(?P<colon>:))?")


class HeaderArgument(NamedTuple):
    """An argument without a shown type.

    Attributes:
        initial: the value that it begins with, and whose type it has; -1 if the header names none.
        is_number: whether it begins with a number, such as the variable of ``affine.for %i = 0 to 4``.
    """

    initial: int = -1
    is_number: bool = False


def header_arguments(ir: IR, block: int) -> Sequence[HeaderArgument]:
    """Return what the header says of each argument of a block without a label. Empty if it does not fit."""
    holder, arguments = ir.parent_op(block), ir.block_arguments.get(block, [])
    if holder < 0 or not arguments or ir.regions_of[holder][0] != ir.block_region[block]:
        return ()
    start, end = ir.op_start[holder], ir.region_start[ir.block_region[block]]
    names = ir.argument_names[bisect_left(ir.argument_names, start) : bisect_left(ir.argument_names, end)]
    text = STRING_OR_COMMENT.sub(lambda match: b" " * len(match[0]), ir.source.data[start:end])
    shown = [start + match.start() for match in _VALUE.finditer(text)][len(ir.results(holder)) :]
    operands = dict(zip([at for at in shown if at not in set(names)], ir.operands_of(holder), strict=False))
    if len(names) != len(arguments):
        return ()
    found = []
    for name in names:
        after = _AFTER_NAME.match(text, _end_of_name(text, name - start))
        is_set = after is not None and after["equals"] is not None
        is_value = after is not None and after["value"] is not None
        initial = operands.get(start + after.start("value"), -1) if after is not None and is_value else -1
        found.append(HeaderArgument(initial, is_set and not is_value))
    return found


def _end_of_name(text: bytes, start: int) -> int:
    match = _VALUE.match(text, start)
    return match.end() if match else start
