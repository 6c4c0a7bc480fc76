"""What a diff says, in people's words: pieces of sentences for text and Markdown alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from eio_audit.audit.diff.diff import Diff
from eio_audit.audit.diff.inverse_ops import InverseOps, LayoutPair, MovedLayoutOp
from eio_audit.audit.diff.module_runs import Fragmentation, ModuleRuns
from eio_audit.audit.diff.op_changes import OpChange, OpDifference, Relation
from eio_audit.audit.locations.location_health import HealthChange, LocationRule
from eio_audit.audit.op_label import OpLabel
from eio_audit.report.wording.order import count, op_name

LONGEST_VALUE = 40
"""Characters of an attribute, type or location that a report shows that is not verbose."""

RULES = {
    LocationRule.UNKNOWN_LOCATION: "location unknown",
    LocationRule.NO_INDEX: "no index in the location",
    LocationRule.UNKNOWN_INDEX: "negative index",
    LocationRule.REPEATED_LOCATION: "same location as another op",
    LocationRule.TWO_FUNCTIONS: "one source line, two functions",
    LocationRule.REFUSED_LOCATION: "no name location: code generation refuses it",
}
"""What each rule on locations finds, as a heading."""

_HOW = {
    Relation.DERIVED: "derived from",
    Relation.CLONED: "cloned from",
    Relation.COMMUTED: "moved here from",
}


def order_summary(diff: Diff) -> tuple[str, str]:
    """``0 -> 18 inversions``, ``0 -> 0 avoidable``."""
    before, after = diff.before.summary, diff.after.summary
    return (
        f"{before.inversions:,} -> {count(after.inversions, 'inversion')}",
        f"{before.avoidable:,} -> {after.avoidable:,} avoidable",
    )


def ops_summary(diff: Diff) -> str:
    """``4 unchanged, 0 moved, 8 modified, 8 added, 6 removed``."""
    sizes = {"unchanged": diff.ops.unchanged} | {name: len(ops) for name, ops in diff.ops.groups.items()}
    return ", ".join(f"{number:,} {name}" for name, number in sizes.items())


def by_function(changes: Sequence[OpChange]) -> list[tuple[str | None, list[OpChange]]]:
    """The changes of each function, functions in order of appearance."""
    functions: dict[str | None, list[OpChange]] = {}
    for change in changes:
        functions.setdefault(change.function, []).append(change)
    return list(functions.items())


def from_to(change: OpChange, text_of: Callable[[OpLabel], str]) -> str:
    """What an op shows before and after; once where it is the same."""
    texts = [text_of(op) for op in (change.before, change.after) if op is not None]
    return " -> ".join(dict.fromkeys(text or "none" for text in texts)) if any(texts) else ""


def at(op: OpLabel) -> str:
    """``#23 ttir.permute %8 (line 11)``."""
    return f"{op_name(op)} (line {op.line})"


def what_happened(change: OpChange, *, verbose: bool) -> list[str]:
    """Why a moved op matters, what of a modified op differs, where an added one came from."""
    said = []
    if change.block_before is not None:
        said.append(f"from {change.block_before} to {change.block_after}")
    if change.moved and change.differences:
        said.append("moved")
    said += [difference(one, verbose=verbose) for one in change.differences]
    if change.ancestor is not None:
        said.append(f"{_HOW[change.ancestor.relation]} {at(change.ancestor.op)}")
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
    """What is behind a group's size: ``: 6 derived``, ``: operands of 7, types of 6``; empty for nothing."""
    derived = sum(change.ancestor is not None for change in changes)
    moved = sum(change.moved for change in changes if change.differences)
    kinds = Counter(kind for change in changes for kind in change.changed)
    parts = [
        f"{kind} of {kinds[kind]:,}"
        for kind in ("operands", "attributes", "types", "location")
        if kinds[kind]
    ]
    parts += [f"{moved:,} moved as well"] if moved else []
    parts += [f"{derived:,} came from another op"] if derived else []
    return f": {', '.join(parts)}" if parts else ""


def both(one: OpDifference) -> tuple[str, str]:
    """A difference as two lines, before and after: ``  operand 0: %3 ttir.permute``."""
    title = f"operand {one.name}" if one.kind == "operands" and one.name else one.name or one.kind
    return f"  {title}: {one.before or 'none'}", f"  {title}: {one.after or 'none'}"


def difference(one: OpDifference, *, verbose: bool) -> str:
    """``operand 0: %3 ttir.permute -> %1 ttir.conv2d``."""
    before, after = one.before or "none", one.after or "none"
    title = one.kind
    if one.kind == "operands":
        title = f"operand {one.name}" if one.name else "operands"
    elif one.kind == "attributes":
        title = one.name or "attributes"
    elif one.kind == "types" and not verbose:
        before, after = _shortest_difference(before, after)
    if not verbose:
        if one.kind == "location":
            return "location"
        before, after = _around_difference(before, after)
    return f"{title}: {before} -> {after}"


def _shortest_difference(before: str, after: str) -> tuple[str, str]:
    """Of two function types the results, where they differ."""
    results = before.rpartition(" -> ")[2], after.rpartition(" -> ")[2]
    return results if results[0] != results[1] else (before, after)


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


# ---------------------------------------------------------------------- inverse ops


def inverse_summary(inverse: InverseOps) -> str:
    """The answer to what became of permutes, transposes and reshapes; empty where there are none."""
    if not inverse.before and not inverse.after:
        return ""
    parts = [
        f"{inverse.before:,} -> {inverse.after:,} permutes, transposes and reshapes",
        f"{len(inverse.cancelled):,} of {count(inverse.inverse_before, 'inverse pair')} cancelled",
        f"{len(inverse.moved):,} moved and not cancelled",
        f"{count(len(inverse.remaining), 'inverse pair')} still there",
    ]
    return f"{parts[0]}: {', '.join(parts[1:])}"


def cancelled(inverse: InverseOps) -> str:
    """How many pairs were cancelled, and at what price."""
    said = f"{count(len(inverse.cancelled), 'inverse pair')} cancelled"
    if not inverse.copies:
        return said
    copies = sum(len(op.after) for op in inverse.copies)
    ops = "1 op" if len(inverse.copies) == 1 else f"{len(inverse.copies):,} of these ops"
    return (
        f"{said}, which left {'1 copy' if copies == 1 else f'{copies:,} copies'} of {ops} on other operands"
    )


def moved_in_vain(inverse: InverseOps) -> str:
    """How many were moved to no avail."""
    number = len(inverse.moved)
    which = "this" if number == 1 else "these"
    return f"{number:,} moved and not cancelled: {which} should have been left alone"


def disorder(diff: Diff) -> str:
    """How much of the disorder the moved ops and the copies make; empty where none."""
    number, total = diff.inverse_ops.inversions, diff.after.summary.inversions
    if not number:
        return ""
    what = count(total, "inversion")
    share = f"all {what}" if number == total else f"{number:,} of {what}"
    return f"moved ones and copies are at an end of {share}"


def pair(one: LayoutPair) -> str:
    """``#14 ttir.permute %3 (line 6) and #23 ttir.permute %8 (line 11), 4 elementwise ops between``."""
    between = f"{count(one.between, 'elementwise op')} between" if one.between else "one feeds the other"
    return f"{at(one.first.op)} and {at(one.second.op)}: {one.first.does}, {between}"


def moved_to(one: MovedLayoutOp) -> str:
    """``#23 ttir.reshape %11 (line 14) -> #25 ttir.reshape %15 (line 18)``."""
    return f"{at(one.before.op)} -> {', '.join(at(op.op) for op in one.after)}"


def inverse_parts(inverse: InverseOps) -> list[tuple[str, str, list[str]]]:
    """Titles, their styles, and what stands below them; a part may be empty."""
    return [
        (cancelled(inverse), "green", [pair(one) for one in inverse.cancelled]),
        (moved_in_vain(inverse), "red", [moved_to(one) for one in inverse.moved]),
        (
            f"{len(inverse.gone):,} gone without an inverse: merged with others or folded",
            "",
            [f"{op_name(one.op)} (line {one.op.line}): {one.does}" for one in inverse.gone],
        ),
        (
            f"{len(inverse.added):,} new, of none that was there before",
            "",
            [f"{op_name(one.op)} (line {one.op.line}): {one.does}" for one in inverse.added],
        ),
        (
            f"{count(len(inverse.remaining), 'inverse pair')} still there",
            "yellow",
            [pair(one) for one in inverse.remaining],
        ),
    ]


# ---------------------------------------------------------------------- modules and locations


def runs_summary(fragmentation: Fragmentation) -> str:
    """``24 -> 61 runs of 30 modules, 60 after fix``; empty where no location names a module."""
    runs = fragmentation.modules or fragmentation.functions
    if not runs:
        return ""
    before, after, fixed, relabelled = (
        sum(getattr(one, when) for one in runs) for when in ("before", "after", "fixed", "relabelled")
    )
    what = count(len(runs), "module" if fragmentation.modules else "source function")
    fix = f", {fixed:,} after fix" if fixed != after else ""
    relabel = f", {relabelled:,} after fix --relabel" if relabelled != fixed else ""
    return f"{before:,} -> {count(after, 'run')} of {what}{fix}{relabel}"


def torn(runs: Sequence[ModuleRuns]) -> list[ModuleRuns]:
    """Those in more runs than before, worst first."""
    return [one for one in runs if one.after > one.before > 0]


def changed_rules(locations: HealthChange) -> list[tuple[str, str, int, int]]:
    """Rule, what it finds, findings before and after; rules without findings are left out."""
    before, after = locations.before.counts, locations.after.counts
    rows = [(rule.value, RULES[rule], before[rule], after[rule]) for rule in LocationRule]
    return [row for row in rows if row[2] or row[3]]
