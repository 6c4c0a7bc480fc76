"""Another dump as the original order, for ops whose locations carry no index."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from eio_audit.audit.diff.compared_dump import ComparedOps
from eio_audit.audit.diff.matching import match_ops
from eio_audit.audit.functions import functions_around
from eio_audit.audit.locations.location_numbers import Interned
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.input.dumps import Dump, expect_dump
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.traits import OpTable


class OriginalOrder:
    """The order of the ops in a dump before a pass.

    Args:
        before: the dump.
        op_table: to read it with.
        name: what a command line calls it; by default its file.

    Raises:
        InputError: the dump cannot be read.
    """

    def __init__(self, before: Dump, op_table: OpTable | None = None, name: str = "") -> None:
        self._made_from = before, op_table, name
        self.name = name or before.source.name
        self._interned = Interned()
        self._is_used = Lock()
        ir = read_ir(expect_dump(before).source, before.span, op_table)
        self._before = ComparedOps(ir, OriginalIndices(ir), functions_around(ir), self._interned)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the dump, which another process reads again."""
        return OriginalOrder, self._made_from

    @property
    def text(self) -> bytes:
        """The IR of the dump."""
        return self._made_from[0].text

    def indices_of(
        self, ir: IR, indices: OriginalIndices, functions: Sequence[str | None]
    ) -> list[int | None]:
        """Return, per op of another dump, its place in the dump before, from 0; None for a new op.

        Ops are matched as in a diff.
        """
        with self._is_used:  # several threads may check dumps with the same options
            known = len(self._interned)
            matching = match_ops(self._before, ComparedOps(ir, indices, functions, self._interned))
            while len(self._interned) > known:  # forget this dump: any number of others may follow
                self._interned.popitem()
        places: list[int | None] = [None] * len(ir)
        for old, new in matching.ops.items():
            places[new] = old
        return places
