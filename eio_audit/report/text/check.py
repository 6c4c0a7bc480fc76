"""Checks, fixes and the order of dumps as text for people: what is wrong, where, and what to type next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from eio_audit.audit.check.figures import BlockAudit, DumpAudit, Summary
from eio_audit.audit.gate.gate import Verdict
from eio_audit.audit.gate.rules import WRONG_INDEX
from eio_audit.report.document import Cells, figures_of
from eio_audit.report.text.console import Column, Console, hyperlink, print_figures, print_next, print_table
from eio_audit.report.text.findings import SHOWN, Excerpts, Shown, print_findings, print_rest
from eio_audit.report.wording import order
from eio_audit.report.wording.conclusion import status, steps_after, verdict_line
from eio_audit.report.wording.numbers import count

if TYPE_CHECKING:
    from eio_audit.audit.fix.fix import Fix
    from eio_audit.audit.gate.findings import Finding

SHOWN_FIELDS = 4  # the fields of an origin to show: the innermost module, file, function and framework op


def print_check(
    verdict: Verdict, console: Console, *, statistics: bool = False, excerpts: Excerpts | None = None
) -> None:
    """Print the findings, the sums of blocks with inversions, notes, and the verdict: on a terminal first.

    If several models have more blocks with findings than a report shows, print the sums of models and passes
    instead. If verbose, print every finding and block, for each block its displaced ops and their blockers,
    and these sums. ``statistics`` are the numbers of findings of each kind, instead of the findings.
    """
    findings, heading = verdict.findings, ""
    if console.wraps:  # it may show only the start of a long report
        _print_verdict(verdict, console)
        if findings:
            console.print()
    if statistics:
        _print_statistics(findings, console)
    else:
        shown = [Shown(one, "red" if verdict.fails_by(one) else "yellow") for one in findings]
        heading = print_findings(shown, console, excerpts)
    _print_stale(verdict, console)
    broken = [dump for dump in verdict.check.dumps if dump.summary.inversions]
    if findings:
        console.print()
    for dump in broken if console.verbose else ():
        print_heading(dump, console)
        print_order(dump, console, names_wrong=WRONG_INDEX not in verdict.gate.rules)
        console.print()
    blocks = [] if console.verbose else _blocks_with_findings(broken, findings)
    if (broken if console.verbose else blocks[SHOWN:]) and len(verdict.check.by_model) > 1:
        _print_corpus(verdict, console)
    else:
        _print_sums(blocks, heading, console)
    if not console.verbose:
        _print_told_apart(verdict, console)
        dumps = verdict.check.dumps
        unknown = order.unknown_ops(sum((dump.unknown_ops for dump in dumps), Counter()), limit=3)
        for note in filter(None, (unknown, _assumed_pure(dumps))):
            console.print(note)
    if not console.wraps:
        _print_verdict(verdict, console)
    print_next(steps_after(verdict), console)


def _print_verdict(verdict: Verdict, console: Console) -> None:
    console.print(
        (status(verdict), "bold green" if status(verdict) == "passed" else "bold red"),
        verdict_line(verdict, verbose=console.verbose).removeprefix(status(verdict)),
    )


_KINDS: dict[str, Callable[[Finding], str]] = {
    "rule": lambda finding: f"{finding.rule.code} {finding.rule.name}",
    "pass": lambda finding: finding.pass_name or finding.place.moment,
    "module": lambda finding: finding.op.module or "",
}


def _print_statistics(findings: Sequence[Finding], console: Console) -> None:
    for title, kind_of in _KINDS.items():
        groups: dict[str, list[int]] = {}
        for finding in filter(kind_of, findings):
            groups.setdefault(kind_of(finding), []).append(finding.inversions)
        ranked = sorted(groups.items(), key=lambda group: (-len(group[1]), -sum(group[1]), group[0]))
        columns = [
            Column("findings", [f"{len(found):,}" for _, found in ranked], right=True),
            Column("inversions", [f"{sum(found):,}" for _, found in ranked], right=True),
            Column(title, [kind for kind, _ in ranked]),
        ]
        print_table(console, columns)


def _print_corpus(verdict: Verdict, console: Console) -> None:
    """Print a line for each model and each pass with inversions, findings or errors, the worst first."""
    from eio_audit.audit.corpus.models import figures_by_model, figures_by_pass

    classes = "".join(f"~{key}={title}, " for key, title in order.CLASSES.items())
    figures, of_model = "#inversions, #findings", "#dumps, ~errors=not read, model, worst?=worst dump"
    for things, what, columns in (
        (figures_by_model(verdict), "models", f"#avoidable, {classes}{figures}, {of_model}"),
        (figures_by_pass(verdict), "passes", f"#avoidable, {classes}>where=in models, {figures}, pass"),
    ):
        rows = [one for one in things if not one.is_clean]
        shown = rows if console.verbose else rows[:SHOWN]
        cells: Cells = {"worst": order.worst_of, "where": order.models_of, "pass": order.pass_of}
        print_figures(figures_of(shown, columns, cells), console, indent=0)
        print_rest(len(rows), f" {what}", console)
        console.print()


def _blocks_with_findings(
    broken: Sequence[DumpAudit], findings: Sequence[Finding]
) -> list[tuple[DumpAudit, BlockAudit, int]]:
    columns = {
        (one.source, one.place.line, one.block_line, one.function, one.block): one.block_column
        for one in findings
    }
    return [
        (dump, block, column)
        for dump in broken
        for block in dump.blocks
        if block.inversions
        and (column := columns.get((dump.source, dump.line, block.line, block.function, block.block)))
    ]


def _print_sums(blocks: Sequence[tuple[DumpAudit, BlockAudit, int]], heading: str, console: Console) -> None:
    """Print a line for each block, the worst first. ``heading`` is the file that is named above, if any."""
    worst_first = sorted(blocks, key=lambda one: (-one[1].avoidable_others, -one[1].inversions))
    shown = worst_first[:SHOWN]
    for source in dict.fromkeys(dump.source for dump, _, _ in shown):
        if source != heading:
            console.print((source, "bold"))
            heading = source
        for dump, block, column in (one for one in shown if one[0].source == source):
            names = order.block_name(block.function, block.block), dump.moment
            total, causes = order.sum_pieces(block)
            console.print(
                (f"{block.line}:{column}", f"bold {hyperlink(source, block.line)}"),
                f" {' '.join(filter(None, names))}: {total}",
                (causes, "red" if block.is_shuffled else ""),
                indent=2,
            )
    print_rest(len(blocks), " blocks", console)


def _print_told_apart(verdict: Verdict, console: Console) -> None:
    """Print a line for the hoisted constants of each block, and for its splits, worst first.

    What are findings is not printed, and what several dumps of a log show is printed once.
    """
    lines: dict[tuple[object, ...], tuple[int, DumpAudit, BlockAudit, str]] = {}
    for dump in verdict.check.dumps:
        for block in dump.blocks:
            for number, said in order.told_apart(block, verdict.gate.rules):
                shown = dump.source, dump.place.program, block.function, block.block, said
                lines.setdefault(shown, (number, dump, block, said))
    worst_first = sorted(lines.values(), key=lambda one: -one[0])
    for _, dump, block, said in worst_first[:SHOWN]:
        names = order.block_name(block.function, block.block), dump.moment
        console.print(
            (f"{dump.source}:{block.line}:1", f"bold {hyperlink(dump.source, block.line)}"),
            f": {' '.join(filter(None, names))}: {said}",
        )
    print_rest(len(lines), " blocks with hoisted constants or splits", console)


def _assumed_pure(dumps: Sequence[DumpAudit]) -> str:
    return order.assumed_pure(sum((dump.assumed_pure for dump in dumps), Counter()))


def _print_stale(verdict: Verdict, console: Console) -> None:
    for entry, number in sorted(verdict.stale.items())[: None if console.verbose else SHOWN]:
        times = f" ({number:,} times)" if number > 1 else ""
        origin = "|".join(entry.origin.split("|")[-SHOWN_FIELDS:])
        what = " ".join(filter(None, (entry.source, entry.code, entry.function, entry.op, origin)))
        console.print((f"not found any more{times}: {what}", "dim"))
    print_rest(len(verdict.stale), " of the baseline not found any more", console)


def print_fix(fix: Fix, source_name: str, console: Console, *, is_dry: bool = False) -> None:
    """Print what a fix moved, or with ``is_dry`` would move, what inversions remain and why."""
    assumed = _assumed_pure(fix.dumps)
    if assumed and (fix.before.inversions or fix.relabelled):
        console.print(f"{source_name}: {assumed}")
    would = "would be changed: " if is_dry and (fix.changed or fix.renumbered) else ""
    console.print(f"{source_name}: {would}{_outcome(fix)}")


def _outcome(fix: Fix) -> str:
    before, remain = fix.before, fix.ordered_from.minimum
    relabel = order.relabelling(fix.ordered_from if fix.changed else before, fix.dumps)
    advice = f": --relabel {relabel}" if relabel else ""
    unmoved = "nothing moved, values renumbered" if fix.renumbered else "unchanged"
    if not (before.inversions or fix.relabelled):
        return f"{'in order' if before.has_indices else 'no op indices'}: {unmoved}"
    why = "" if advice else _why_they_remain(fix.ordered_from)
    if not fix.changed:
        return f"nothing to move: {unmoved}; {_remaining(remain)}{why}{advice}"
    total = count(before.inversions, "inversion")
    removed, rest = f"{total} removed", "none remains"
    if remain:
        removed = f"{before.inversions - remain:,} of {total} removed"
        rest = f"{_remaining(remain, '')}{why}"
    relabelled = f"{count(fix.relabelled, 'index', 'indices')} corrected, " if fix.relabelled else ""
    unindexed = f" ({fix.moved_unindexed:,} unindexed)" if fix.moved_unindexed else ""
    moved = f"{count(fix.moved, 'op')} moved{unindexed}" if fix.moved else "no op moved"
    return f"{relabelled}{moved}, {removed}; {rest}{advice}"


def print_fixes(changed: int, unchanged: int, failed: int, console: Console, *, is_dry: bool = False) -> None:
    """Print how many files changed, or with ``is_dry`` would change, and how many did not."""
    groups = {"would be changed" if is_dry else "changed": changed, "unchanged": unchanged, "failed": failed}
    parts = [f"{number:,} {group}" for group, number in groups.items() if number]
    console.print(f"{count(changed + unchanged + failed, 'file')}: {', '.join(parts)}")


def _remaining(number: int, noun: str = "inversion") -> str:
    """Return ``18 inversions remain``, or without a noun ``18 remain``."""
    return f"{count(number, noun) if noun else f'{number:,}'} {'remains' if number == 1 else 'remain'}"


def _why_they_remain(before: Summary) -> str:
    """Return why a fix leaves inversions that come from no wrong index: `` (in graph regions)``."""
    unordered = order.in_graph_regions(before)
    parts = []
    if before.minimum > unordered:
        parts.append("every legal order has them" if before.certified else "no better order was found")
    if unordered:
        parts.append(f"{unordered:,} in graph regions")
    return f" ({'; '.join(parts)})" if parts else ""


SHOWN_BLOCKS = 3
SHOWN_WRONG_LABELS = 3
SHOWN_NAMES = 3  # the most names of each kind that a report shows unless verbose
BARS = "▁▂▃▄▅▆▇█"


def print_heading(dump: DumpAudit, console: Console, title: str = "") -> None:
    """Print where the dump is and which pass it belongs to."""
    place = (order.place_of(dump), f"bold {hyperlink(dump.source, dump.line)}")
    console.print(title, place, f"  {dump.moment}".rstrip())


def print_order(
    dump: DumpAudit, console: Console, *, before: DumpAudit | None = None, names_wrong: bool = True
) -> None:
    """Print the blocks with inversions, worst first, compared with an earlier dump.

    ``names_wrong`` names the ops with a wrong index, which may be findings already.
    """
    blocks = sorted((b for b in dump.blocks if b.inversions), key=lambda b: -b.inversions)
    shown = blocks if console.verbose else blocks[:SHOWN_BLOCKS]
    for block in shown:
        earlier = "" if before is None else _earlier(block, before)
        said = [*filter(None, [earlier]), *order.notes(block, verbose=console.verbose)]
        _print_block(block, dump.source, console, said, names_wrong)
    if len(blocks) > len(shown):
        rest = count(len(blocks) - len(shown), "more block")
        inversions = count(sum(b.inversions for b in blocks[len(shown) :]), "inversion")
        console.print((f"... and {rest} with {inversions}; --verbose shows all", "dim"), indent=2)
    unknown = order.unknown_ops(dump.unknown_ops, limit=None if console.verbose else SHOWN_NAMES)
    for note in filter(None, (unknown, order.assumed_pure(dump.assumed_pure))):
        console.print(note, indent=2)


def _earlier(block: BlockAudit, before: DumpAudit) -> str:
    if before.summary.has_indices and not before.summary.inversions:
        return "before: in order"
    same = [b for b in before.blocks if (b.function, b.block) == (block.function, block.block)]
    if len(same) != 1:
        return ""
    return f"before: {order.sum_of(same[0]) if same[0].inversions else 'in order'}"


def _print_block(
    block: BlockAudit, source: str, console: Console, said: list[str], names_wrong: bool
) -> None:
    total, causes = order.sum_pieces(block, verbose=console.verbose)
    name = f"{order.block_name(block.function, block.block)} at line {block.line}: "
    console.print(name, (total, "bold"), (causes, "red" if block.is_shuffled else ""), indent=2)
    for note in said:
        console.print(note, indent=4)
    if console.wraps and console.escaped(BARS) == BARS:
        console.print("original place  ", (_sparkline(block.profile), "cyan"), indent=4)
    if block.wrong_indices:
        console.print(order.wrong_labels(block), indent=4)
    if block.wrong_indices and names_wrong:
        wrong = block.mislabelled if console.verbose else block.mislabelled[:SHOWN_WRONG_LABELS]
        for one in wrong:
            at_line = (f"line {one.op.line}", hyperlink(source, one.op.line))
            right = f" should carry {order.should_carry(one.right)}"
            console.print((one.op.title, "cyan"), " at ", at_line, right, indent=6)
        _print_more(len(wrong), len(block.mislabelled), block.wrong_indices, console)
    if console.verbose:
        _print_displaced(block, source, console)


def _print_displaced(block: BlockAudit, source: str, console: Console) -> None:
    shown = block.worst
    verb = "is" if block.displaced == 1 else "are"
    worst = "; the worst" if len(shown) < block.displaced else ""
    total = count(block.indexed, "indexed op")
    console.print(f"{block.displaced:,} of {total} {verb} displaced{worst}:", indent=4)
    for displaced in shown:
        op, inversions = displaced.op, count(displaced.inversions, "inversion")
        console.print(
            (op.title, "cyan"),
            f" is {'early' if displaced.early else 'late'} at ",
            (f"line {op.line}", hyperlink(source, op.line)),
            f", in {inversions}",
            (f" ({op.module})" if op.module else "", "dim"),
            indent=6,
        )
        origin = f"a pass made it from the op at #{op.index}" if displaced.derived else ""
        if why := "; ".join(filter(None, (order.reason(displaced, block), origin))):
            console.print(why, indent=8)
    _print_more(len(shown), len(block.worst), block.displaced, console)


def _print_more(shown: int, described: int, total: int, console: Console) -> None:
    if shown < total:
        hint = f"; --verbose shows {'all' if described == total else f'the worst {described}'}"
        more = f"... and {total - shown:,} more{hint if described > shown else ''}"
        console.print((more, "dim"), indent=6)


def _sparkline(heights: Sequence[float]) -> str:
    """Return one bar for each number from 0 to 1.

    >>> _sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    return "".join(BARS[min(int(height * len(BARS)), len(BARS) - 1)] for height in heights)
