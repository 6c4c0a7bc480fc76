"""What happened between two dumps of a program, op by op."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from eio_audit.audit.check import AuditedDump, DumpAudit, OpLabel, audit_dump, label
from eio_audit.audit.matching import Fingerprints, Interned, match_ops
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.dumps import Dump
from eio_audit.order.displaced import displaced


@dataclass(frozen=True, slots=True)
class OpChange:
    """One op that is not what or where it was.

    Attributes:
        function: symbol of the function it stands in (stood in, for a removed op), or None.
        before: the op in the dump before; None when it was added.
        after: the op in the dump after; None when it was removed.
        place_before, place_after: 0-based place among the ops of its block; None where there is none.
        changed: what differs, of ``operands``, ``text`` (attributes or types) and ``location``.
        moved: it left its place relative to the ops around it.
        derived: a pass made it from another op, whose index it carries.
    """

    function: str | None
    before: OpLabel | None
    after: OpLabel | None
    place_before: int | None
    place_after: int | None
    changed: tuple[str, ...]
    moved: bool
    derived: bool


@dataclass(frozen=True, slots=True)
class Diff:
    """Two audits and the ops that differ; every op is in one of the five groups.

    Attributes:
        before: the audit of the dump before.
        after: the audit of the dump after.
        unchanged: ops that are the same in the same order.
        moved: ops that only stand elsewhere, the fewest that explain the new order.
        modified: ops with other operands, attributes, types or location, moved or not.
        added: ops that only the dump after has.
        removed: ops that only the dump before has.
    """

    before: DumpAudit
    after: DumpAudit
    unchanged: int
    moved: tuple[OpChange, ...]
    modified: tuple[OpChange, ...]
    added: tuple[OpChange, ...]
    removed: tuple[OpChange, ...]


def diff(before: Dump, after: Dump, options: AuditOptions = DEFAULT_OPTIONS) -> Diff:
    """Compares two dumps of one program.

    Raises:
        InputError: one of them cannot be read.
    """
    return _Comparison(audit_dump(before, options), audit_dump(after, options)).run()


class _Comparison:
    def __init__(self, before: AuditedDump, after: AuditedDump) -> None:
        self.before = before
        self.after = after
        interned = Interned()
        self.old = Fingerprints(before.ir, before.indices, interned).all
        self.new = Fingerprints(after.ir, after.indices, interned).all
        self.pairs = match_ops(self.old, self.new)
        self.place_before = _places(before)
        self.place_after = _places(after)

    def run(self) -> Diff:
        moved_ops = self._moved()
        moved: list[OpChange] = []
        modified: list[OpChange] = []
        for old, new in sorted(self.pairs.items(), key=lambda pair: pair[1]):
            changed = self._changed(old, new)
            if changed or new in moved_ops:
                change = self._change(old, new, changed, moved=new in moved_ops)
                (modified if changed else moved).append(change)
        matched = set(self.pairs.values())
        added = [self._change(None, op) for op in range(len(self.new)) if op not in matched]
        removed = [self._change(op, None) for op in range(len(self.old)) if op not in self.pairs]
        return Diff(
            before=self.before.audit,
            after=self.after.audit,
            unchanged=len(self.pairs) - len(moved) - len(modified),
            moved=tuple(moved),
            modified=tuple(modified),
            added=tuple(added),
            removed=tuple(removed),
        )

    def _moved(self) -> set[int]:
        """The new ops to move for the old order: per block the fewest, and those that changed blocks."""
        old_block, new_block = self.before.ir.op_block, self.after.ir.op_block
        came_from: dict[int, list[tuple[int, int]]] = {}
        for old, new in self.pairs.items():
            came_from.setdefault(new_block[new], []).append((new, old))
        moved: set[int] = set()
        for block_pairs in came_from.values():
            block_pairs.sort()
            home = _most_common([old_block[old] for _, old in block_pairs])
            stayed = [(new, old) for new, old in block_pairs if old_block[old] == home]
            moved.update(new for new, old in block_pairs if old_block[old] != home)
            moved.update(stayed[k][0] for k in displaced([old for _, old in stayed]))
        return moved

    def _changed(self, old: int, new: int) -> tuple[str, ...]:
        a, b = self.old[old], self.new[new]
        changed = []
        if self._operands_before(old) != self._operands_after(new):
            changed.append("operands")
        if a.text != b.text:
            changed.append("text")
        if a.location != b.location:
            changed.append("location")
        return tuple(changed)

    def _operands_before(self, op: int) -> list[tuple[int | None, int]]:
        """By operand: the op after that became its defining op, and the result number."""
        ir = self.before.ir
        return [
            (self.pairs.get(owner) if owner >= 0 else -1, value - ir.first_result[owner] if owner >= 0 else 0)
            for value in ir.operands_of(op)
            for owner in (ir.value_owner[value],)
        ]

    def _operands_after(self, op: int) -> list[tuple[int | None, int]]:
        ir = self.after.ir
        return [
            (owner if owner >= 0 else -1, value - ir.first_result[owner] if owner >= 0 else 0)
            for value in ir.operands_of(op)
            for owner in (ir.value_owner[value],)
        ]

    def _change(
        self, old: int | None, new: int | None, changed: Sequence[str] = (), *, moved: bool = False
    ) -> OpChange:
        before, after = self.before, self.after
        newest = self.new[new] if new is not None else self.old[old or 0]
        return OpChange(
            function=newest.function,
            before=None if old is None else label(before.ir, before.indices, old),
            after=None if new is None else label(after.ir, after.indices, new),
            place_before=None if old is None else self.place_before[old],
            place_after=None if new is None else self.place_after[new],
            changed=tuple(changed),
            moved=moved,
            derived=new is not None and after.indices.is_derived(new),
        )


def _places(dump: AuditedDump) -> dict[int, int]:
    return {op: place for ops in dump.ir.block_ops for place, op in enumerate(ops)}


def _most_common(blocks: Sequence[int]) -> int:
    """The block that occurs most often, the first such one on a tie."""
    return Counter(blocks).most_common(1)[0][0]
