"""The pairs of ops out of order in one program, followed from dump to dump by the numbers of its ops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from eio_audit.audit.check.keyed_dump import read_dump
from eio_audit.audit.diff.op_changes import Relation
from eio_audit.audit.locations.location_numbers import NO_LOCATION
from eio_audit.audit.log.inverted_pairs import InvertedPairs, KeyedOps
from eio_audit.audit.log.scope_steps import ScopeSide, ScopeStep
from eio_audit.audit.log.walk import Part
from eio_audit.audit.options import AuditOptions


class _Block(NamedTuple):
    """A block: the function around it, and its ops that have a key."""

    function: str | None
    ops: KeyedOps


class FollowedPairs:
    """The pairs of one program: ``take`` each comparison of a dump with the text before it.

    An op keeps its number. A removed op goes on as an added op that was made from it. If several modules have
    functions of one name, only the one that was shown last counts, as in the figures of a trace.

    Args:
        options: what counts as out of order.
    """

    def __init__(self, options: AuditOptions) -> None:
        self.pairs = InvertedPairs()  # the pairs, each with the change that put it out of order
        self._options = options
        self._disordered: dict[int, _Block] = {}  # by first op
        self._unjudged: dict[str | None, set[int]] = defaultdict(set)

    def take(self, found: ScopeStep, origin: Callable[[str | None], int]) -> None:
        """Take what a dump shows of the functions that have changed.

        Args:
            found: the comparison, with numbers of ops.
            origin: tells the number of the change that is charged with what is new in a function, or INITIAL.
        """
        if found.new is None:
            return
        keys = self._keys(found.new)
        self._let_go_on(found, keys)
        around = zip(_functions(found.new), found.new.ops.ops.ir.block_ops, strict=True)
        read = {function for function, ops in around if ops and function is not None}
        gone = _own_ops(found.old) | self._disordered_in(read)
        for function in self._unjudged.keys() & {*_functions(found.old), *_functions(found.new)}:
            gone |= self._unjudged.pop(function)
        self._update(gone, [*_blocks(found.new, keys, origin)])

    def pass_over(self, found: ScopeStep) -> None:
        """Take a dump that carries no index. What it shows counts as it was, until a dump can be judged."""
        if found.old is None or found.new is None:
            return
        functions, shown = found.old.ops.ops.functions, {*_functions(found.new)}
        gone = self.pairs.among(_own_ops(found.old))
        for op, number in enumerate(found.old.numbers):
            function = functions[found.old.ops.ops.ir.op_block[op]]
            if number in gone and function in shown:
                gone.discard(number)
                self._unjudged[function].add(number)
        self._update(gone, [])

    def end(self, judged: Iterable[Part], vanished: Collection[Part]) -> None:
        """End what was passed over in functions that a dump with indices shows, and all in vanished ones."""
        gone = self._disordered_in(vanished)
        for part in (*judged, *vanished):
            if not isinstance(part, int):
                gone |= self._unjudged.pop(part, set())
        self._update(gone, [])

    def _update(self, gone: set[int], blocks: Sequence[_Block]) -> None:
        for first in self._disordered.keys() & gone:
            del self._disordered[first]
        self._disordered |= {block.ops.ops[0]: block for block in blocks if not block.ops.is_in_order}
        self.pairs.update(gone, [block.ops for block in blocks])

    def _disordered_in(self, functions: Collection[Part]) -> set[int]:
        """Return the ops of the blocks of some functions that are out of order."""
        blocks = (block for block in self._disordered.values() if block.function in functions)
        return {op for block in blocks for op in block.ops.ops}

    def ops_of(self, function: str | None, keys: Sequence[int]) -> Sequence[int] | None:
        """Return the ops with keys of a block that is out of order now; None if it is not known."""
        blocks = (ops for around, ops in self._disordered.values() if around == function)
        return next((block.ops for block in blocks if block.keys == keys), None)

    def _keys(self, side: ScopeSide) -> Sequence[int | None]:
        dump = side.ops.dump
        if self._options.order_from is None:
            return dump.keys.by_op
        return read_dump(dump.dump, self._options).keys.by_op

    def _let_go_on(self, found: ScopeStep, keys: Sequence[int | None]) -> None:
        """Let removed ops that are in a pair go on as the added ops that were made from them."""
        old, new, comparison = found.old, found.new, found.comparison
        if old is None or new is None or comparison is None:
            return
        in_pairs, became = self.pairs.among(_own_ops(old)), comparison.became
        removed = {op for op, number in enumerate(old.numbers) if number in in_pairs and op not in became}
        if not removed:
            return
        was, now = comparison.location_numbers
        made = [
            (relation is not Relation.CONVERTED, now[op] != was[source], op, source)
            for op, (source, relation) in found.origins.items()
            if source in removed and keys[op] is not None
        ]
        for _, _, op, source in sorted(made):
            if source in removed:
                removed.remove(source)
                self.pairs.replace(old.numbers[source], new.numbers[op])
        # if only one op is left on each side of a location, the one became the other
        rest: dict[int, list[int]] = defaultdict(list)
        for op in comparison.added:
            if op not in found.origins and keys[op] is not None and now[op] != NO_LOCATION:
                rest[now[op]].append(op)
        sources: dict[int, list[int]] = defaultdict(list)
        for source in removed:
            sources[was[source]].append(source)
        for location, ops in rest.items():
            if len(ops) == len(sources.get(location, ())) == 1:
                self.pairs.replace(old.numbers[sources[location][0]], new.numbers[ops[0]])


def _functions(side: ScopeSide | None) -> Sequence[str | None]:
    return () if side is None else side.ops.ops.functions


def _own_ops(side: ScopeSide | None) -> set[int]:
    """Return the numbers of the ops of a side. The block of a single outermost op is not shown."""
    if side is None:
        return set()
    numbers, outermost = {*side.numbers}, side.ops.ops.ir.block_ops[0]
    return numbers - {side.numbers[outermost[0]]} if len(outermost) == 1 else numbers


def _blocks(
    side: ScopeSide, keys: Sequence[int | None], origin: Callable[[str | None], int]
) -> Iterator[_Block]:
    """Yield the blocks of a side that have ops with keys."""
    ir, functions = side.ops.ops.ir, side.ops.ops.functions
    for number, ops in enumerate(ir.block_ops):
        if number or len(ops) > 1:
            own = [(side.numbers[op], key) for op in ops if (key := keys[op]) is not None]
            if own:
                function = functions[number]
                keyed = KeyedOps([op for op, _ in own], [key for _, key in own], origin(function))
                yield _Block(function, keyed)
