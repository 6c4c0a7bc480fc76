"""Tell dumps of different programs from stages of one program.

Two dumps are *unlike* if both have locations, no name and no place in a source file occurs in the locations
of both, and no function of one has the same names of ops in the same order as a function of the other. Passes
keep locations, so stages of one program share some. Dumps without locations may be stages of one program.
"""

from __future__ import annotations

import re

from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError
from eio_audit.mlir.traits import OpTable

_LOCATION = re.compile(rb"\bloc\([^\n]*")
_NAME = re.compile(rb'"(?:[^"\\\n]|\\.)+"(?::[0-9]+:[0-9]+)?')


def are_unlike(one: Dump, other: Dump, op_table: OpTable) -> bool:
    """Whether two dumps have nothing in common, so that they are no stages of one program.

    Complexity: linear in their texts. They are only read as IR if they share no location.
    """
    names = _location_names(one)
    others = _location_names(other)
    if not (names and others and names.isdisjoint(others)):
        return False
    try:
        return _functions(one, op_table).isdisjoint(_functions(other, op_table))
    except InputError:  # the trace says so
        return False


def _location_names(dump: Dump) -> set[bytes]:
    return {name for line in _LOCATION.findall(dump.text) for name in _NAME.findall(line)}


def _functions(dump: Dump, op_table: OpTable) -> set[tuple[str, ...]]:
    """Return the names of the ops in each function, in textual order."""
    ir = read_ir(dump.source, dump.span, op_table)
    return {
        tuple(map(ir.name, ir.nested_ops(op)))
        for op in range(len(ir))
        if ir.name(op) in op_table.function_names and ir.nested_ops(op)
    }
