"""A dump that has been read, with the keys of its ops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eio_audit.audit.check.order_keys import OrderKeys
from eio_audit.audit.dependence import Dependences
from eio_audit.audit.functions import functions_around
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump, expect_dump
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir

if TYPE_CHECKING:
    from eio_audit.audit.op_label import OpLabel


@dataclass(frozen=True, slots=True)
class KeyedDump:
    """A dump that has been read.

    Attributes:
        dump: its text and marker.
        options: the options of the audit.
        ir: its structure.
        keys: the keys of its ops.
        dependences: the dependences of its blocks, computed on request.
        functions: per block, the symbol of the function around it, or None.
    """

    dump: Dump
    options: AuditOptions
    ir: IR
    keys: OrderKeys
    dependences: Dependences
    functions: Sequence[str | None]

    @property
    def indices(self) -> OriginalIndices:
        """The indices that the ops' locations carry."""
        return self.keys.indices

    def has_order(self, block: int) -> bool:
        """Return whether a block's ops have an order: it is not in a graph region."""
        return not self.ir.region_is_graph[self.ir.block_region[block]]

    def label(self, op: int) -> OpLabel:
        """Return an op as reports name it."""
        from eio_audit.audit.op_label import label

        return label(self.ir, self.indices, op)

    def line_of(self, block: int) -> int:
        """Return the 1-based line of a block's label, or of its first op."""
        return self.ir.source.line_at(self.ir.block_offset(block))


def read_dump(dump: Dump, options: AuditOptions, ir: IR | None = None) -> KeyedDump:
    """Read a dump, unless its ``ir`` is given, and find the keys of its ops.

    Raises:
        InputError: the dump cannot be read.
    """
    if ir is None:
        ir = read_ir(expect_dump(dump).source, dump.span, options.op_table)
    functions = functions_around(ir)
    indices = OriginalIndices(ir, options.pattern)
    if options.order_from is not None:
        given = options.order_from.indices_of(ir, indices, functions)
        indices = OriginalIndices(ir, options.pattern, given)
    keys, dependences = OrderKeys(ir, indices, options), Dependences(ir, options.assume_pure)
    return KeyedDump(dump, options, ir, keys, dependences, functions)
