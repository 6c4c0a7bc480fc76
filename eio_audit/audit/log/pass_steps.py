"""What a pass did to the ops: those that it added, removed, modified and moved."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from eio_audit.audit.log.scope_steps import ScopeSide, ScopeStep
from eio_audit.audit.log.scope_text import ScopeText
from eio_audit.audit.log.walk import PassRun, ShownT, Step
from eio_audit.mlir.input.dumps import DumpPlace


@dataclass(frozen=True, slots=True)
class TracedPlace(DumpPlace):
    """Where a dump of a trace is."""

    occurrence: int = 0  # 0-based number among the dumps of that file before, or after, that pass


@dataclass(frozen=True, slots=True)
class ChangedOp:
    """What a pass did to one op.

    Attributes:
        before, after: the 0-based line where it begins in each text; None if it is not there.
    """

    status: str  # `moved`, `modified`, `added` or `removed`
    name: str  # its name, in the later dump if it has it
    function: str | None  # the symbol of the function around it; None outside functions
    before: int | None
    after: int | None
    number: int = -1  # the number of the op in its program
    origin: int = -1  # the number of the op that it was made from, for an added op; -1 if that is not known


@dataclass(frozen=True, slots=True)
class PassStep:
    """A dump that shows changes, and the text before it."""

    before: ScopeText  # the last known text of what the dump shows
    after: ScopeText  # the text of the dump
    # Per pass, what it is charged with, in the order of the later text.
    changes: Mapping[PassRun | None, Sequence[ChangedOp]]


@dataclass(frozen=True, slots=True)
class OpCounts:
    """How many ops a pass added, removed, modified, and moved without a modification."""

    added: int = 0
    removed: int = 0
    modified: int = 0
    moved: int = 0

    @property
    def total(self) -> int:
        """How many ops changed."""
        return self.added + self.removed + self.modified + self.moved

    def plus(self, other: OpCounts) -> OpCounts:
        """Return the sums."""
        return OpCounts(
            self.added + other.added,
            self.removed + other.removed,
            self.modified + other.modified,
            self.moved + other.moved,
        )


def counts_by_name(changes: Iterable[ChangedOp]) -> dict[str, OpCounts]:
    """Return the counts by the name of the op."""
    numbers: dict[str, Counter[str]] = defaultdict(Counter)
    for change in changes:
        numbers[change.name][change.status] += 1
    return {name: OpCounts(**found) for name, found in numbers.items()}


def pass_step(found: ScopeStep, step: Step[ShownT]) -> PassStep | None:
    """Return what the passes are charged with that a dump shows; None if nothing of it was known before."""
    if found.before is None:
        return None
    charged: dict[PassRun | None, list[ChangedOp]] = defaultdict(list)
    for change in changed_ops(found):
        charged[step.run_of(change.function)].append(change)
    return PassStep(found.before, found.after, charged)


def changed_ops(found: ScopeStep) -> Iterator[ChangedOp]:
    """Yield what became of the ops that a dump and the text before it do not share."""
    comparison, old, new = found.comparison, found.old, found.new
    if comparison is None or old is None or new is None:
        return
    for status, was, now in comparison.statuses():
        change = _changed_op(status, was, now, old, new)
        if status == "added" and not found.was_known(change.function):
            continue  # the dump only shows more of the program than those before it
        number = new.numbers[now] if now is not None else old.numbers[was or 0]
        origin = old.numbers[found.origins[now][0]] if now is not None and now in found.origins else -1
        yield replace(change, number=number, origin=origin)


def _changed_op(
    status: str, old: int | None, new: int | None, before: ScopeSide, after: ScopeSide
) -> ChangedOp:
    side, op = (before, old) if new is None else (after, new)
    assert op is not None
    ops = side.ops.ops
    return ChangedOp(
        status,
        ops.names[op],
        ops.functions[ops.ir.op_block[op]],
        None if old is None else before.line_of(old),
        None if new is None else after.line_of(new),
    )
