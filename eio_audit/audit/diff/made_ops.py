"""Ops that a pass made or moved and that are out of order: whether it is their location or their place.

An op that carries the index of the op that it replaces may stand elsewhere. If dependences let it stand where
that op stood, its location is right and its place is wrong. If they do not, it is the location that is wrong,
as of an op that a pass moved up past its operands' producers: of these, ``check`` tells the right index.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress, pairwise

from eio_audit.audit.check.check import audit_keyed
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.keyed_dump import AuditedDump, KeyedDump, SharedWork
from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.order.effort import Effort
from eio_audit.order.linear_extension import restore_order
from eio_audit.order.permutation import keyed_inversions, moved_places
from eio_audit.order.precedence import Precedence
from eio_audit.order.windows import least_beside
from eio_audit.order.wrong_labels import relabelled


@dataclass(frozen=True, slots=True)
class Placement:
    """Some ops of a dump, put where their keys say as far as dependences allow. No other moves."""

    ops: tuple[OpLabel, ...]  # those that are put elsewhere, in textual order
    behind: OpLabel | None  # what the first of them stands behind; None if it moves, too, or there is none
    removed: int  # how many inversions that removes
    inversions: int  # how many inversions all of the ops are in


def placed(
    dump: KeyedDump, ops: Collection[int], keys: Sequence[int | None], *, removes_most: bool = False
) -> Placement:
    """Put ops where their keys say. ``keys`` has the key of each op of the dump.

    With ``removes_most``, they stay if a bound says that this cannot remove most of their inversions.
    Complexity: that of a fix of the blocks with these ops that are out of order.
    """
    removed, inversions, left, moved, behind, effort = 0, 0, 0, list[int](), None, Effort()
    parts: list[tuple[KeyedBlock, Sequence[int | None], list[bool], Precedence, int]] = []
    for number in sorted({dump.ir.op_block[op] for op in ops}):
        block, own = KeyedBlock(dump, number), dump.ir.of_block(number, keys)
        now = keyed_inversions(own)
        is_fixed = [key is not None and op not in ops for op, key in zip(block.ops, own, strict=True)]
        if now and block.graph is not None:
            parts.append((block, own, is_fixed, block.graph.precedence, now))
            inversions += now - keyed_inversions(compress(own, is_fixed))
            left += least_beside(own, is_fixed, block.graph.precedence) if removes_most else 0
    for block, own, is_fixed, precedence, now in () if removes_most and 2 * left >= inversions else parts:
        fixed = [place for place, flag in enumerate(is_fixed) if flag]
        edges = [*precedence.forwards(), *pairwise(fixed)]
        producers, users = ([edge[end] for edge in edges] for end in range(2))
        order = restore_order(own, Precedence.from_edges(len(own), producers, users), now, effort).order
        removed += now - keyed_inversions([own[place] for place in order])
        # By place, how many of the ops that keep their order come before it, now and then.
        before = [*accumulate(is_fixed, initial=0)]
        then = dict(zip(order, accumulate(map(is_fixed.__getitem__, order), initial=0), strict=False))
        here = [place for place in range(len(own)) if before[place] != then[place]]
        here = [k for k in here or sorted(order[k] for k in moved_places(order)) if own[k] is not None]
        if here and not moved and before[here[0]]:
            behind = dump.label(block.ops[fixed[before[here[0]] - 1]])
        moved += (block.ops[place] for place in here)
    return Placement(tuple(map(dump.label, moved)), behind, removed, inversions)


def made_out_of_order(comparison: DumpComparison) -> dict[str, set[int]]:
    """Return, by name, the ops that a pass made or moved and that are in more inversions than before it."""
    made = defaultdict[str, set[int]](set)
    for op in (*comparison.added, *comparison.moved):
        found = comparison.converted_from(op)
        was = comparison.was.get(op) if found is None else found[0]
        before = 0 if was is None else comparison.before.inversions(was) or 0
        if (comparison.after.inversions(op) or 0) > before:
            made[comparison.after.ops.names[op]].add(op)
    return made


def misplaced(
    dump: KeyedDump, made: Mapping[str, Collection[int]], keys: Sequence[int | None]
) -> dict[str, Placement]:
    """Return the groups of ops that a pass made or moved and whose place is wrong, put in the right one.

    It is if that removes most of their inversions. Constants do not count: every greedy rewrite hoists them.
    """
    keys = [None if flag else key for key, flag in zip(keys, dump.keys.constants_by_op, strict=True)]
    groups = {name: placed(dump, ops, keys, removes_most=True) for name, ops in made.items()}
    return {name: one for name, one in groups.items() if 2 * one.removed > one.inversions}


@dataclass(frozen=True, slots=True)
class Correction:
    """What to change in a pass for the ops of one name that it made or moved."""

    ops: tuple[OpLabel, ...]  # those with a wrong location, or in a wrong place, in textual order
    right: OpLabel | None  # the op whose index the first of them should carry; None if its place is wrong
    behind: OpLabel | None  # if its place is wrong, the op behind which it stands, as in a `Placement`
    now: int  # the inversions after the pass, with the corrections before this one
    inversions: int  # the inversions with this one, too


def corrections(comparison: DumpComparison) -> tuple[Correction, ...]:
    """Return what to change in the pass between two dumps, where that removes most inversions of the ops.

    If ops that the pass made are out of order, it audits the later dump.
    """
    dump, found = comparison.after.dump, list[Correction]()
    made = made_out_of_order(comparison) if dump.keys.disordered_blocks else {}
    if not made or dump.options.order_from is not None:
        return ()
    audited = dump if isinstance(dump, AuditedDump) else audit_keyed(dump, SharedWork(0, finds_classes=False))
    donors = audited.donors
    was = keys = dump.keys.by_op
    now = _all_inversions(dump, keys)
    for name, ops in [*made.items()]:
        wrong = [op for op in sorted(ops & donors.keys()) if (was[op] or 0) > (was[donors[op]] or 0)]
        if not wrong:
            continue
        right = relabelled(keys, {op: donors[op] for op in wrong})
        others = [None if op in ops else key for op, key in enumerate(keys)]
        then = _all_inversions(dump, right)
        if 2 * (now - then) > now - _all_inversions(dump, others):
            labels = tuple(map(dump.label, wrong))
            found.append(Correction(labels, dump.label(donors[wrong[0]]), None, now, then))
            keys, now = right, then
            del made[name]
    for place in misplaced(dump, made, keys).values():
        found.append(Correction(place.ops, None, place.behind, now, now - place.removed))
        now -= place.removed
    return tuple(found)


def _all_inversions(dump: KeyedDump, keys: Sequence[int | None]) -> int:
    return sum(keyed_inversions(dump.ir.of_block(number, keys)) for number in dump.keys.disordered_blocks)
