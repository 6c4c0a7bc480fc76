"""Sentences about the ops of a diff, without layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from eio_audit.audit.diff.diff import Diff
from eio_audit.audit.diff.op_changes import OpChange, OpDifference, Relation, RepeatedChange
from eio_audit.audit.diff.sameness import Sameness
from eio_audit.audit.op_label import OpLabel
from eio_audit.mlir.tokens import after_arrow
from eio_audit.report.wording.numbers import count
from eio_audit.report.wording.word_diff import Stretch, marked, word_diff

SIGNS = {"unchanged": " ", "moved": ">", "modified": "~", "added": "+", "removed": "-"}
"""The sign before an op, by what happened to it."""

DERIVATIONS = {
    Relation.DERIVED: "derived from",
    Relation.CLONED: "cloned from",
    Relation.COMMUTED: "moved here from",
    Relation.CONVERTED: "converted from",
}
"""How an added op came from another op."""


def order_summary(diff: Diff) -> tuple[str, str]:
    """Return ``0 -> 18 inversions``, ``0 -> 0 avoidable``. Empty if no op has an index."""
    before, after = diff.before.summary, diff.after.summary
    if not before.has_indices and not after.has_indices:
        return "", ""
    constants = ""
    if before.avoidable_constants or after.avoidable_constants:
        change = f"{before.avoidable_constants:,} -> {after.avoidable_constants:,}"
        constants = f" ({change} of hoisted constants)"
    return (
        f"{before.inversions:,} -> {count(after.inversions, 'inversion')}",
        f"{before.avoidable:,} -> {after.avoidable:,} avoidable{constants}",
    )


def ops_summary(diff: Diff) -> str:
    """Return ``4 unchanged, 0 moved, 8 modified, 8 added, 6 removed``."""
    sizes = {"unchanged": diff.ops.unchanged} | {name: len(ops) for name, ops in diff.ops.groups.items()}
    return ", ".join(f"{number:,} {name}" for name, number in sizes.items())


SAMENESS = {
    Sameness.BYTES: "identical",
    Sameness.NAMES: "same text up to names and locations",
    Sameness.ORDER: "same program in another order",
}
"""The verdict on two dumps that are the same in some sense."""


def verdict(diff: Diff) -> str:
    """Return in what sense the dumps are the same, ``same program in another order``, or what differs."""
    found = diff.sameness
    if found.sameness in SAMENESS:
        return SAMENESS[found.sameness]
    changed = [f"{len(ops):,} {name}" for name, ops in diff.ops.groups.items() if ops]
    if changed:
        return f"different: {', '.join(changed)}"
    return f"not proven to be the same: {found.reason}"


def implied_ops(diff: Diff) -> str:
    """Return how many ops are in no group because only one printing form shows them. Empty if none."""
    ops = count(diff.ops.implied, "op")
    return f"not counted: {ops} that only one of the two printing forms shows" if diff.ops.implied else ""


def cells_of(change: OpChange) -> tuple[str, str, str, str, str]:
    """Return the op's index, name, result, line and module, before and after if they differ."""
    return (
        _from_to(change, lambda op: "" if op.index is None else f"#{op.index}"),
        _from_to(change, lambda op: op.name),
        _from_to(change, lambda op: op.result or ""),
        _from_to(change, lambda op: str(op.line)),
        _from_to(change, lambda op: op.module or ""),
    )


def row_of(change: OpChange) -> str:
    """Return the cells as one text: ``#27  ttir.add  %106 -> %92  line 178 -> 164  ReLU[net.act]``."""
    index, name, result, line, module = cells_of(change)
    return "  ".join(filter(None, (index, name, result, f"line {line}", module)))


def _from_to(change: OpChange, text_of: Callable[[OpLabel], str]) -> str:
    """Return a text of an op before and after, or only once if both are equal."""
    texts = [text_of(op) for op in (change.before, change.after) if op is not None]
    return " -> ".join(dict.fromkeys(text or "none" for text in texts)) if any(texts) else ""


def what_happened(change: OpChange, *, verbose: bool) -> list[str]:
    """Return the differences of an op, then its notes."""
    return [*(difference(one, verbose=verbose) for one in change.differences), *notes(change)]


def notes(change: OpChange) -> list[str]:
    """Return where an op moved or came from, and its inversions."""
    said = []
    if change.block_before is not None:
        said.append(f"from {change.block_before} to {change.block_after}")
    if change.moved and change.differences:
        said.append("moved")
    if change.ancestor is not None:
        said.append(f"{DERIVATIONS[change.ancestor.relation]} {change.ancestor.op}")
    elif change.derived and change.before is None:
        said.append("derived")
    if inversions := inversions_of(change):
        said.append(inversions)
    return said


def repetition(one: RepeatedChange) -> str:
    """Return ``36 times in 18 modules: BatchNorm2d[net.layers.*.norm]``. Empty for a single change."""
    if len(one.changes) == 1:
        return ""
    where = f" in {one.modules:,} modules: {one.module}" if one.modules > 1 else ""
    return f"{len(one.changes):,} times{where}"


def inversions_of(change: OpChange) -> str:
    """Return ``in 6 inversions, in none before``. Empty for an op in none."""
    before, after = change.inversions_before, change.inversions_after
    if after is None or (not after and not before):
        return ""
    now = f"in {count(after, 'inversion')}" if after else "in no inversion"
    if change.before is None or before == after:
        return now
    return f"{now}, {f'{before:,}' if before else 'none'} before"


def kinds_of(changes: Sequence[OpChange]) -> str:
    """Return the kinds of change in a group: ``: operands of 7, types of 6``. Empty if none."""
    derived = sum(change.ancestor is not None for change in changes)
    moved = sum(change.moved for change in changes if change.differences)
    kinds = Counter(kind for change in changes for kind in change.changed)
    order = ("operands", "attributes", "types", "location")
    parts = [f"{kind} of {kinds[kind]:,}" for kind in order if kinds[kind]]
    others = {"also moved": moved, "from another op": derived}
    parts += [f"{number:,} {what}" for what, number in others.items() if number]
    return f": {', '.join(parts)}" if parts else ""


def title(one: OpDifference) -> str:
    """Return the name of what differs: ``operand 0``, ``types``, an attribute."""
    return f"operand {one.name}" if one.kind == "operands" and one.name else one.name or one.kind


def words_of(one: OpDifference, *, verbose: bool) -> list[Stretch]:
    """Return the words that differ.

    Unless verbose, types are compared by their results if these differ, and locations are not shown. All
    words of an operand differ, because another value may have the same name.
    """
    before, after = one.before, one.after
    if one.kind == "operands":
        return [Stretch(before, after, differs=True)]
    if not verbose and one.kind == "location":
        return []
    results = after_arrow(before), after_arrow(after)
    if not verbose and one.kind == "types" and results[0] != results[1]:
        before, after = results
    return word_diff(before, after, verbose=verbose)


def difference(one: OpDifference, *, verbose: bool) -> str:
    """Return ``operand 0: [-%3 ttir.permute-]{+%1 ttir.conv2d+}``. Unless verbose, shorten long values."""
    return ": ".join(filter(None, (title(one), marked(words_of(one, verbose=verbose)))))
