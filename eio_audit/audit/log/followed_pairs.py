"""The pairs of ops out of order in one program, followed from dump to dump by the numbers of its ops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from eio_audit.audit.check.keyed_dump import read_dump
from eio_audit.audit.diff.op_changes import Relation
from eio_audit.audit.log.inverted_pairs import INITIAL, InvertedPairs, KeyedOps
from eio_audit.audit.log.pass_steps import origins_of
from eio_audit.audit.log.scope_steps import ScopeSide, ScopeStep
from eio_audit.audit.options import AuditOptions


class _Block(NamedTuple):
    """A block of a side: the function around it, its ops with a key, and their keys."""

    function: str | None
    ops: Sequence[int]
    keys: Sequence[int]


class FollowedPairs:
    """The pairs of one program: ``take`` each comparison of a dump with the text before it.

    An op keeps its number. A removed op goes on as the added op with its key that was made from it.

    Args:
        options: what counts as out of order.

    Attributes:
        pairs: the pairs, each with the change that put it out of order.
    """

    def __init__(self, options: AuditOptions) -> None:
        self.pairs = InvertedPairs()
        self._options = options
        self._disordered: dict[int, KeyedOps] = {}  # by first op
        self._unjudged: dict[str | None, set[int]] = defaultdict(set)

    def take(self, found: ScopeStep, origin: Callable[[str | None], int]) -> None:
        """Take what a dump shows of the functions that have changed.

        Args:
            found: the comparison, with numbers of ops.
            origin: tells the number of the change that is charged with what is new in a known function.
        """
        if found.new is None:
            return
        keys = self._keys(found.new)
        if found.old is not None and found.comparison is not None:
            self._go_on(found, keys)
        gone = _own_ops(found.old)
        shown = {found.new.function_of(op) for op in range(len(keys))}
        for function in [*self._unjudged]:
            if function in shown:
                gone |= self._unjudged.pop(function)
        blocks = [
            KeyedOps(block.ops, block.keys, self._origin(found, block.function, origin))
            for block in _blocks(found.new, keys)
        ]
        for first in self._disordered.keys() & gone:
            del self._disordered[first]
        self._disordered |= {block.ops[0]: block for block in blocks if not block.is_in_order}
        self.pairs.update(gone, blocks)

    def pass_over(self, found: ScopeStep, vanished: Collection[str | None]) -> None:
        """Take a dump that carries no index. The pairs stay as they are, but not in functions that vanished."""
        if found.old is None:
            return
        gone = set[int]()
        ...

    @staticmethod
    def _origin(found: ScopeStep, function: str | None, origin: Callable[[str | None], int]) -> int:
        is_known = found.before is not None and found.was_known(function)
        return origin(function) if is_known else INITIAL
