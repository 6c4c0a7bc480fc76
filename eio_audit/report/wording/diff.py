"""Sentences about the ops of a diff, without layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from eio_audit.audit.diff.diff import Diff
from eio_audit.audit.diff.op_changes import OpChange, OpDifference, Relation
from eio_audit.audit.diff.sameness import Sameness
from eio_audit.audit.op_label import OpLabel
from eio_audit.report.wording.numbers import count
from eio_audit.report.wording.order import op_at

LONGEST_VALUE = 40
"""Characters of an attribute, type or location that a report shows that is not verbose."""

DERIVATIONS = {
    Relation.DERIVED: "derived from",
    Relation.CLONED: "cloned from",
    Relation.COMMUTED: "moved here from",
    Relation.CONVERTED: "converted from",
}
"""How an added op came from another one."""


def order_summary(diff: Diff) -> tuple[str, str]:
    """``0 -> 18 inversions``, ``0 -> 0 avoidable``; empty where no op carries an index."""
    before, after = diff.before.summary, diff.after.summary
    if not before.has_indices and not after.has_indices:
        return "", ""
    return (
        f"{before.inversions:,} -> {count(after.inversions, 'inversion')}",
        f"{before.avoidable:,} -> {after.avoidable:,} avoidable",
    )


def ops_summary(diff: Diff) -> str:
    """``4 unchanged, 0 moved, 8 modified, 8 added, 6 removed``."""
    sizes = {"unchanged": diff.ops.unchanged} | {name: len(ops) for name, ops in diff.ops.groups.items()}
    return ", ".join(f"{number:,} {name}" for name, number in sizes.items())


SAMENESS = {
    Sameness.BYTES: "identical",
    Sameness.NAMES: "same text up to names and locations",
    Sameness.ORDER: "same program in another order",
}
"""The verdict on two dumps that are the same in some sense."""


def verdict(diff: Diff) -> str:
    """In what sense the two dumps are the same: ``same program in another order``; else what differs."""
    found = diff.sameness
    if found.sameness in SAMENESS:
        return SAMENESS[found.sameness]
    changed = [f"{len(ops):,} {name}" for name, ops in diff.ops.groups.items() if ops]
    if changed:
        return f"different: {', '.join(changed)}"
    return f"not proven to be the same: {found.reason}"


def implied_ops(diff: Diff) -> str:
    """How many ops are in no group, because only one printing form shows them; empty where none."""
    ops = count(diff.ops.implied, "op")
    return f"{ops} that only one of the two printing forms shows: not counted" if diff.ops.implied else ""


def cells_of(change: OpChange) -> tuple[str, str, str, str, str]:
    """The op's index, name, result, line and module, each before and after where they differ."""
    return (
        _from_to(change, lambda op: "" if op.index is None else f"#{op.index}"),
        _from_to(change, lambda op: op.name),
        _from_to(change, lambda op: op.result or ""),
        _from_to(change, lambda op: str(op.line)),
        _from_to(change, lambda op: op.module or ""),
    )


def _from_to(change: OpChange, text_of: Callable[[OpLabel], str]) -> str:
    """What an op shows before and after; once where it is the same."""
    texts = [text_of(op) for op in (change.before, change.after) if op is not None]
    return " -> ".join(dict.fromkeys(text or "none" for text in texts)) if any(texts) else ""


def what_happened(change: OpChange, *, verbose: bool) -> list[str]:
    """Why a moved op matters, what of a modified op differs, where an added one came from."""
    said = []
    if change.block_before is not None:
        said.append(f"from {change.block_before} to {change.block_after}")
    if change.moved and change.differences:
        said.append("moved")
    said += [difference(one, verbose=verbose) for one in change.differences]
    if change.ancestor is not None:
        said.append(f"{DERIVATIONS[change.ancestor.relation]} {op_at(change.ancestor.op)}")
    elif change.derived and change.before is None:
        said.append("derived")
    if inversions := inversions_of(change):
        said.append(inversions)
    return said


def inversions_of(change: OpChange) -> str:
    """``in 6 inversions, in none before``; empty for an op in none."""
    before, after = change.inversions_before, change.inversions_after
    if after is None or (not after and not before):
        return ""
    now = f"in {count(after, 'inversion')}" if after else "in no inversion"
    if change.before is None or before == after:
        return now
    return f"{now}, {f'{before:,}' if before else 'none'} before"


def kinds_of(changes: Sequence[OpChange]) -> str:
    """What a group consists of: ``: 6 derived``, ``: operands of 7, types of 6``; empty for nothing."""
    derived = sum(change.ancestor is not None for change in changes)
    moved = sum(change.moved for change in changes if change.differences)
    kinds = Counter(kind for change in changes for kind in change.changed)
    order = ("operands", "attributes", "types", "location")
    parts = [f"{kind} of {kinds[kind]:,}" for kind in order if kinds[kind]]
    others = {"moved as well": moved, "came from another op": derived}
    parts += [f"{number:,} {what}" for what, number in others.items() if number]
    return f": {', '.join(parts)}" if parts else ""


def both(one: OpDifference) -> tuple[str, str]:
    """A difference as two lines, before and after: ``  operand 0: %3 ttir.permute``."""
    return f"  {_title(one)}: {one.before or 'none'}", f"  {_title(one)}: {one.after or 'none'}"


def _title(one: OpDifference) -> str:
    return f"operand {one.name}" if one.kind == "operands" and one.name else one.name or one.kind


def difference(one: OpDifference, *, verbose: bool) -> str:
    """``operand 0: %3 ttir.permute -> %1 ttir.conv2d``; unless verbose, long values are shortened."""
    before, after = one.before or "none", one.after or "none"
    if verbose:
        return f"{_title(one)}: {before} -> {after}"
    if one.kind == "location":
        return "location"
    results = before.rpartition(" -> ")[2], after.rpartition(" -> ")[2]
    if one.kind == "types" and results[0] != results[1]:
        before, after = results
    return f"{_title(one)}: {' -> '.join(_around_difference(before, after))}"


def _around_difference(before: str, after: str) -> tuple[str, str]:
    """Two texts, each cut to what is around the first place where they differ."""
    pairs = enumerate(zip(before, after, strict=False))
    same = next((k for k, (a, b) in pairs if a != b), min(len(before), len(after)))
    if max(len(before), len(after)) <= LONGEST_VALUE or same <= LONGEST_VALUE // 2:
        return shortened(before), shortened(after)
    start = same - LONGEST_VALUE // 4
    return shortened("..." + before[start:]), shortened("..." + after[start:])


def shortened(text: str, width: int = LONGEST_VALUE) -> str:
    """The text, cut to a width.

    >>> shortened("tensor<1x16x32x32xbf16>", 12)
    'tensor<1x...'
    """
    return text if len(text) <= width else text[: width - 3] + "..."
